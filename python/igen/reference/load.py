"""Reads the built-in sets of published results, which studies name: `reference = "directory"`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from igen.analysis.reference import Reference

FOLDER = Path(__file__).parent


def reference_names() -> list[str]:
    """The names that a study may give."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


@cache
def load_reference(name: str) -> Reference:
    """The set of that name, one of `reference_names()`."""
    import msgspec

    return msgspec.toml.decode((FOLDER / f"{name}.toml").read_bytes(), type=Reference)


def reference_of(words_or_name: str) -> Reference:
    """What a study says of published figures: the name of a set, or words."""
    if words_or_name in reference_names():
        return load_reference(words_or_name)
    return Reference(text=words_or_name)
