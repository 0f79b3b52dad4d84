"""Reads the built-in sets of published results, which studies name: `reference = "directory"`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from igen.aspects.published.reference import PublishedResults
from igen.errors import InputError
from igen.first_use import ready

FOLDER = Path(__file__).parent


def reference_names() -> list[str]:
    """The names that a study may give."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@cache
def load_reference(name: str) -> PublishedResults:
    """The set of that name, one of `reference_names()`."""
    import msgspec

    return msgspec.toml.decode((FOLDER / f"{name}.toml").read_bytes(), type=ready(PublishedResults))


def read_published(path: Path) -> PublishedResults | None:
    """Published results in a file, of the same form as the built-in sets; None where it is another TOML file.

    Raises `InputError` where it cannot be read, or is of that form and has a fault.
    """
    import tomllib

    import msgspec

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if "job" in table or not table.keys() & {"tables", "applications", "ratios", "bandwidths", "io"}:
        return None
    try:
        return msgspec.convert(table, ready(PublishedResults))
    except msgspec.ValidationError as error:
        text, _, place = str(error).partition(" - at `$")
        hint = "the form is that of the sets that come with iGen, in igen/reference"
        where = f"{path}: {place.rstrip('`').lstrip('.')}" if place else str(path)
        raise InputError(text.lower(), where=where, hint=hint) from error


def reference_of(words_or_name: str) -> PublishedResults:
    """What a study says of published figures: the name of a set, or words."""
    if words_or_name in reference_names():
        return load_reference(words_or_name)
    return PublishedResults(text=words_or_name)
