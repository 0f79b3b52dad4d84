"""JSON as text with values: numbers, order and repeated names are kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from igen.har.fields import Field, Piece

_MOST_DIGITS = 18
"""Longest number that all programs read alike."""


@dataclass(frozen=True, slots=True)
class _Number:
    text: str


@dataclass(frozen=True, slots=True)
class _Object:
    members: list[tuple[str, Any]]


def tree_of(text: str) -> Any:
    """Return the values of a JSON text. Raises `ValueError` if it is not JSON."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_Object, parse_float=_Number, parse_int=_Number, parse_constant=_refused
    )
    try:
        return decoder.decode(text)
    except RecursionError:
        raise ValueError("too deep") from None


def pieces_of(text: str) -> list[Piece]:
    """Return the text as pieces: each string and number is a value. Raises `ValueError` if it is not JSON."""
    pieces: list[Piece] = []
    for piece in _pieces(tree_of(text), ""):
        if isinstance(piece, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return pieces


def leaves_of(text: str) -> Iterator[tuple[str, str, str]]:
    """Pointer (RFC 6901), name and value of each string and whole number.

    Raises `ValueError` where it is no JSON.
    """
    yield from _leaves(tree_of(text), "", "")


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


def _pieces(value: Any, name: str) -> Iterator[Piece]:
    match value:
        case _Object(members):
            yield "{"
            for index, (key, member) in enumerate(members):
                yield f"{',' if index else ''}{_string(key)}:"
                yield from _pieces(member, key)
            yield "}"
        case list():
            yield "["
            for index, member in enumerate(value):
                yield "," if index else ""
                yield from _pieces(member, name)
            yield "]"
        case str():
            yield Field("json", name, value, _string(value))
        case _Number(number):
            yield Field("json", name, number, number, is_text=False)
        case _:
            yield json.dumps(value)


def _string(value: str) -> str:
    """Return a JSON string; halves of characters are escaped."""
    is_halved = any("\ud800" <= letter <= "\udfff" for letter in value)
    return json.dumps(value, ensure_ascii=is_halved)


def _leaves(value: Any, name: str, pointer: str) -> Iterator[tuple[str, str, str]]:
    match value:
        case _Object(members):
            for key, member in members:
                step = key.replace("~", "~0").replace("/", "~1")
                yield from _leaves(member, key, f"{pointer}/{step}")
        case list():
            for index, member in enumerate(value):
                yield from _leaves(member, name, f"{pointer}/{index}")
        case str():
            yield pointer, name, value
        case _Number(number) if number.lstrip("-").isdigit() and len(number) <= _MOST_DIGITS:
            yield pointer, name, number
