"""Who asks for a run: a user of the command line, who may do everything, or a visitor of a console."""

from __future__ import annotations

from typing import Any

import msgspec

from igen.errors import InputError
from igen.facts import ENVIRONMENT_CONSOLE
from igen.foreign_text import cleaned
from igen.version import VERSION

MOST_CHARACTERS = 100
"""Longest text of the facts about who started a run."""


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """A person who starts or queues a study."""

    console: dict[str, str] = {}
    """Version of the console, role and name; empty at the command line."""
    guarded: bool = False
    """True if only studies that are known to be harmless may run."""


def in_console(role: str, name: str, *, guarded: bool) -> Asker:
    """Return a visitor of a console with a role, and a name if the visitor gave it."""
    console = {"version": VERSION, "role": role} | ({"name": name} if name else {})
    return Asker(console=console, guarded=guarded)


def facts_of_console(text: str) -> dict[str, Any]:
    """Return the recorded fact about who started a run. Raises `InputError` if it is malformed."""
    try:
        said = msgspec.json.decode(text, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeError) as error:
        hint = 'such as {"version": "0.1.0", "role": "run", "name": "Anna"}'
        raise InputError(f"is not a table of texts: {error}", where="--console", hint=hint) from None
    return {
        ENVIRONMENT_CONSOLE: {cleaned(key)[:40]: cleaned(said[key])[:MOST_CHARACTERS] for key in sorted(said)}
    }
