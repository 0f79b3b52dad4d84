"""Short names of systems: only what tells each from the others, such as `1 server, 3 ms`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from igen.errors import InputError
from igen.judge.record.settings import settings_of, value_text
from igen.judge.result import Result, System
from igen.units import counted, format_bytes, format_time_ms, parse_bytes, parse_time_s

Settings = Mapping[str, Any]


def short_names(result: Result) -> dict[str, str]:
    """Return a short name of each system, by its name.

    Systems of one name in their study are called by the settings in which they differ, after that name if
    others have another. A name that two systems would share is not short enough to use.
    """
    systems = result.systems
    groups: dict[tuple[str, str, str], list[System]] = {}
    for system in systems:
        groups.setdefault((system.run, system.system, system.test), []).append(system)
    several = len({system.system for system in systems}) > 1
    short: dict[str, str] = {}
    for (_, name, _), group in groups.items():
        for system, label in zip(group, _differing(group), strict=True):
            short[system.name] = f"{name}, {label}" if several and label and name else label or system.name
    used = Counter(short.values())
    return {name: label if used[label] == 1 else name for name, label in short.items()}


def _differing(group: Sequence[System]) -> list[str]:
    """Return the settings of each system in which any of them differ; empty if there is no difference."""
    settings = [_readable(system) for system in group]
    paths = [
        path
        for path in dict.fromkeys(path for each in settings for path in each)
        if any(each.get(path) != settings[0].get(path) for each in settings)
    ]
    if any(isinstance(each.get(path), list) for each in settings for path in paths):
        return ["" for _ in group]
    kinds = Counter(kind for path in paths if (kind := _kind(settings[0].get(path))))
    return [", ".join(_label(path, each.get(path), kinds) for path in paths) for each in settings]


def _readable(system: System) -> dict[str, Any]:
    """Return the settings; an only target as itself."""
    settings = settings_of(system.job)
    return {
        path: value[0] if isinstance(value, list) and len(value) == 1 else value
        for path, value in settings.items()
    }


def _kind(value: Any) -> str:
    """Return the kind of quantity that a value with a unit is, or nothing."""
    for kind, parse in (("time", parse_time_s), ("size", parse_bytes)):
        try:
            if isinstance(value, str) and not value.strip()[-1:].isdigit():
                parse(value)
                return kind
        except InputError:
            continue
    return ""


def _label(path: str, value: Any, kinds: Counter[str]) -> str:
    """Return `3 ms` if no other setting is a time, `1 server` of `servers`, else `fsync=on`."""
    name = path.rpartition(".")[2]
    kind = _kind(value)
    if kind and kinds[kind] == 1:
        return quantity_text(value)
    if isinstance(value, int) and not isinstance(value, bool) and name.endswith("s"):
        return counted(value, name.removesuffix("s").replace("_", " "))
    return f"{name}={quantity_text(value)}"


def quantity_text(value: Any) -> str:
    """Return a setting for a reader: a time or a size in the unit that reads best, all else as written."""
    kind = _kind(value)
    if kind == "time":
        return format_time_ms(1e3 * parse_time_s(value))
    return format_bytes(parse_bytes(value)) if kind == "size" else value_text(value)
