"""The table of a study as TOML, to read, store and run it on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(table: Mapping[str, Any]) -> str:
    """Return the table as TOML: values first, then its tables. None values are left out."""
    return "\n".join(_lines(table, ())).strip() + "\n"


def assignment(key: str, value: Any) -> str:
    """Return a line that gives a key its value."""
    return f"{_key(key)} = {_value(value)}"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    values = {
        key: value for key, value in table.items() if not isinstance(value, Mapping) and value is not None
    }
    if path and (values or not table):
        yield ""
        yield f"[{'.'.join(map(_key, path))}]"
    for key, value in values.items():
        yield assignment(key, value)
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _lines(value, (*path, key))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case Mapping():
            pairs = [f"{_key(key)} = {_value(each)}" for key, each in value.items() if each is not None]
            return f"{{ {', '.join(pairs)} }}"
        case list() | tuple():
            return f"[{', '.join(map(_value, value))}]"
    return _string(str(value))


def _string(text: str) -> str:
    # JSON's strings are TOML's, but for the control character 127.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
