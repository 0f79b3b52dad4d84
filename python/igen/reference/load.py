"""Reads the built-in sets of published results, which studies name: `reference = "directory"`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from igen.aspects.published.reference import PublishedResults

FOLDER = Path(__file__).parent


def reference_names() -> list[str]:
    """The names that a study may give."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@cache
def load_reference(name: str) -> PublishedResults:
    """The set of that name, one of `reference_names()`."""
    import msgspec

    return msgspec.toml.decode((FOLDER / f"{name}.toml").read_bytes(), type=PublishedResults)


def reference_of(words_or_name: str) -> PublishedResults:
    """What a study says of published figures: the name of a set, or words."""
    if words_or_name in reference_names():
        return load_reference(words_or_name)
    return PublishedResults(text=words_or_name)
