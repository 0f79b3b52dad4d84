"""Values as they stand in TOML."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def text(value: str) -> str:
    """A string: as it is between single quotes where it has double ones, else with escapes."""
    is_plain = all(letter >= " " and letter != "\x7f" for letter in value)
    if is_plain and "'" not in value and ('"' in value or "\\" in value):
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def key(name: str) -> str:
    """A key, quoted where it has to be."""
    return name if _BARE.fullmatch(name) else text(name)


def inline(values: Mapping[str, str]) -> str:
    """A table in one line, of values that are TOML already."""
    return (
        "{ " + ", ".join(f"{key(name)} = {value}" for name, value in values.items()) + " }"
        if values
        else "{}"
    )


def table(name: str, values: Mapping[str, str], width: int) -> tuple[str, list[str]]:
    """A table in one line where it is no wider, else as a part of its own: one of both is empty."""
    line = f"{name.rpartition('.')[2]} = {inline(values)}"
    if len(line) <= width:
        return line, []
    return "", [f"[{name}]", *(f"{key(own)} = {value}" for own, value in values.items())]


def comment(words: str) -> str:
    """A comment: in one line, and without control characters."""
    return "# " + "".join(letter if letter.isprintable() else " " for letter in words)
