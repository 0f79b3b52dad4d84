"""Nested tables of a job or a study: values by dotted paths, and one table laid over another."""

from __future__ import annotations

import copy
from typing import Any

from igen.errors import InputError


def merged(table: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of `table` with `over` laid on it: tables are merged, other values are replaced."""
    result = copy.deepcopy(table)
    for name, value in over.items():
        below = result.get(name)
        if isinstance(value, dict) and isinstance(below, dict):
            result[name] = merged(below, value)
        else:
            result[name] = copy.deepcopy(value)
    return result


def set_path(table: dict[str, Any], path: str, value: Any) -> None:
    """Put `value` at a dotted `path`, and make missing tables."""
    *parents, last = path.split(".")
    for name in parents:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise InputError(f"`{name}` is a value, not a table", where=path)
    table[last] = value
