"""What a console refuses because it is too much: answers with the status 413."""

from __future__ import annotations

from igen.errors import InputError


class TooMuch(InputError):
    """Less of it would be done."""


class FormTooLong(TooMuch):
    """A form that is not read."""


class TookTooLong(TooMuch):
    """Work that was given up."""
