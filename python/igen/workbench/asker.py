"""Who asks for a run: somebody at the command line, who may do everything, or in a console."""

from __future__ import annotations

from typing import Any

import msgspec

from igen.errors import InputError
from igen.facts import ENVIRONMENT_CONSOLE
from igen.foreign_text import cleaned
from igen.version import VERSION

MOST_CHARACTERS = 100
"""Longest text of those that are kept of who has started a run."""


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """Who starts a study or lets it wait its turn."""

    console: dict[str, str] = {}
    """Version of the console, role and name; empty at the command line."""
    guarded: bool = False
    """True if only studies that are known to be harmless may run."""


def in_console(role: str, name: str, *, guarded: bool) -> Asker:
    """Somebody with a role in a console, known by the name that they gave, or by none."""
    console = {"version": VERSION, "role": role} | ({"name": name} if name else {})
    return Asker(console=console, guarded=guarded)


def facts_of_console(text: str) -> dict[str, Any]:
    """The fact that is kept with a run of who has started it. Raises `InputError` for what is none."""
    try:
        said = msgspec.json.decode(text, type=dict[str, str])
    except (msgspec.DecodeError, UnicodeError) as error:
        hint = 'such as {"version": "0.1.0", "role": "run", "name": "Anna"}'
        raise InputError(f"is no table of texts: {error}", where="--console", hint=hint) from None
    return {
        ENVIRONMENT_CONSOLE: {cleaned(key)[:40]: cleaned(said[key])[:MOST_CHARACTERS] for key in sorted(said)}
    }
