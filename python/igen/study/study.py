"""A plan as a user writes it: a job, the axes along which it varies, and how often each level is repeated."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from igen.errors import InputError

DEFAULT_REPEATS = 5
Repeats = Annotated[int, msgspec.Meta(ge=1, le=1000)] | Literal["auto"]
"""`auto`: until the level is known precisely enough, 3 to 10 executions."""


class Search(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Levels that are not planned but found."""

    policy: Literal["find-peak"]


class Study(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plan. `job` is the agent's business: nothing in here knows what its fields mean."""

    name: str
    """Short; part of the run's id."""
    job: dict[str, Any]
    """What all levels have in common."""
    title: str = ""
    """One line for the report's head."""
    system: str = ""
    """The name of the system under test in comparisons; this host's name when empty."""
    repeats: Repeats = DEFAULT_REPEATS
    axes: dict[str, Annotated[list[Any], msgspec.Meta(min_length=1)]] = {}
    """Values by path in the job: `"load.closed.users" = [1, 2, 4]`; several axes are multiplied."""
    search: Search | None = None


def load_study(path: Path) -> Study:
    """Reads a study from a TOML file. Raises `InputError` with the place of the fault."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read: {(error.strerror or str(error)).lower()}", where=str(path)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not TOML: {error}", where=str(path)) from error
    for key in table:
        if key not in Study.__struct_fields__:
            raise InputError(
                f"unknown key `{key}`",
                where=str(path),
                hint=suggestion(key, Study.__struct_fields__),
            )
    if "repeats" in table and "search" in table:
        raise InputError(
            "`repeats` does not go with `search`",
            where=str(path),
            hint="a search decides itself how often a level is executed",
        )
    try:
        return msgspec.convert({"name": path.stem, **table}, Study)
    except msgspec.ValidationError as error:
        raise InputError(str(error), where=str(path), hint="the guide's page on studies shows one") from error


def suggestion(word: str, known: tuple[str, ...] | list[str]) -> str:
    """A hint that names the nearest of the known words, or all of them."""
    nearest = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{nearest[0]}`?" if nearest else f"there is {', '.join(known)}"
