"""The number of threads that share the users of a network client, as a person writes it."""

from __future__ import annotations

from igen.errors import InputError

MOST_THREADS = 65_535
"""Largest number that a job may name."""


def threads_of(text: str, where: str) -> int | None:
    """Return the number of threads that a text means; None for `auto`. Raises `InputError` about `where`."""
    if text == "auto":
        return None
    if text.isascii() and text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= MOST_THREADS:
        return int(text)
    hint = f"use 1 to {MOST_THREADS:,} or auto"
    raise InputError(f"`{text}` is not a number of threads", where=where, hint=hint)
