"""Errors of requests that are too large: answered with status 413."""

from __future__ import annotations

from igen.errors import InputError


class TooMuch(InputError):
    """A request that would work if it were smaller."""


class FormTooLong(TooMuch):
    """A form that is too long to be read."""


class TookTooLong(TooMuch):
    """Work that took too long."""
