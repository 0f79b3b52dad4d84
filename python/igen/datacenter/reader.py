"""Reads numbers with their sources from a TOML file; whatever is wrong is told with its line."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from igen.datacenter.source import HINT, UNKNOWN, Input, Source, source_of
from igen.errors import InputError
from igen.nearest import suggestion
from igen.study.toml_place import Step, line_of
from igen.units import SHARE_UNITS, TIME_UNITS, parse_time_s

MOST = 1e12
"""No number of a data centre is larger, whatever its unit."""
PARTS = ("value", "low", "likely", "high", "source")


@dataclass
class Reader:
    """A file, and what was read of it."""

    file: str
    text: str
    table: Mapping[str, Any]
    references: list[str]
    inputs: list[Input] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, path: Path, references: list[str]) -> Reader:
        """Raises `InputError` where the file cannot be read, or is no TOML."""
        try:
            text = path.read_text(encoding="utf-8")
            return cls(str(path), text, tomllib.loads(text), references)
        except OSError as error:
            raise InputError(
                f"cannot read: {(error.strerror or str(error)).lower()}", where=str(path)
            ) from error
        except (ValueError, RecursionError) as error:
            text = str(error).partition(";")[0] if isinstance(error, ValueError) else "nested too deeply"
            raise InputError(f"not TOML: {text}", where=str(path)) from error

    def line(self, path: Sequence[Step]) -> int | None:
        """Where that stands in the file."""
        return line_of(self.text, path)

    def error(self, path: Sequence[Step], text: str, hint: str = "") -> InputError:
        """What is wrong at that place."""
        return InputError(text, where=self.place(path), hint=hint)

    def place(self, path: Sequence[Step]) -> str:
        """Return the file and the line of a path, as errors name them."""
        line = self.line(path)
        return f"{self.file}:{line}" if line else self.file

    def section(self, path: Sequence[Step], known: Sequence[str]) -> Mapping[str, Any]:
        """The table at that place, whose keys must be known; empty where there is none."""
        found: Mapping[str, Any] = self.table
        for step in path:
            found = found.get(str(step), {})
            if not isinstance(found, Mapping):
                raise self.error(path, f"`{step}` is not a table")
        for key in found:
            if known and key not in known:
                raise self.error([*path, key], f"unknown key `{key}`", suggestion(key, known))
        return found

    def listed(self, path: Sequence[Step]) -> list[Any]:
        """The list at that place; empty where there is none."""
        table = self._at(path[:-1])
        found = table.get(path[-1], []) if isinstance(table, Mapping) else []
        if not isinstance(found, list):
            raise self.error(path, f"`{path[-1]}` is not a list")
        return found

    def named(self, name: str) -> list[str]:
        """The names of the tables below one: of `[system.blade]`, `blade`."""
        found = self.section([name], ())
        for each in found:
            self.section([name, each], ())
        return list(found)

    def number(
        self,
        path: Sequence[Step],
        *,
        kind: str = "number",
        least: float = 0.0,
        most: float = MOST,
        default: tuple[float, str] | None = None,
        required: bool = False,
    ) -> Input | None:
        """The number at that place with its source: its own, or that of its table.

        `kind`: `number`, `time` (seconds; must have its unit) or `share`. `default`: value and the rule that
        it is. None where it is not there, or is marked as unknown.
        """
        table = self._at(path[:-1])
        raw = table.get(path[-1]) if isinstance(table, Mapping) else table[int(path[-1])]
        name = ".".join(map(str, path))
        if raw is None:
            if default is not None:
                return self._kept(
                    Input(name, default[0], default[0], default[0], Source("default", default[1]))
                )
            if required:
                raise self.error(path[:-1], f"`{path[-1]}` is missing", "say it, with its source")
            return None
        parts = raw if isinstance(raw, Mapping) else {"value": raw}
        if wrong := [key for key in parts if key not in PARTS]:
            raise self.error(path, f"`{path[-1]}`: unknown key `{wrong[0]}`", suggestion(wrong[0], PARTS))
        source = self.source(path, parts)
        if source is None:
            self.unknown.append(name)
            return None
        likely = parts.get("likely", parts.get("value"))
        if likely is None:
            hint = (
                '{ value = 4, source = "vendor: …" }, or { low = 3, likely = 4, high = 6, source = "guess" }'
            )
            raise self.error(path, f"`{path[-1]}` has no value", hint)
        low, value, high = (
            self.value(path, parts.get(part, likely), kind) for part in ("low", "likely", "high")
        )
        value = self.value(path, likely, kind)
        for each in (low, value, high):
            if not least <= each <= most:
                beyond = f"below {least:g}" if each < least else f"above {most:g}"
                raise self.error(path, f"`{path[-1]}` is {beyond}", _hint(path[-1]))
        if not low <= value <= high:
            raise self.error(path, f"`{path[-1]}`: low, likely and high are not in this order")
        return self._kept(Input(name, value, low, high, source, self.line(path)))

    def _kept(self, found: Input) -> Input:
        self.inputs.append(found)
        return found

    def _at(self, path: Sequence[Step]) -> Any:
        found: Any = self.table
        for step in path:
            found = found[step]
        return found

    def source(self, path: Sequence[Step], parts: Mapping[str, Any]) -> Source | None:
        """Its own source or the nearest table's around it; None where it is unknown."""
        text = parts.get("source")
        for end in range(len(path) - 1, 0, -1):
            if text is None:
                around = self._at(path[:end])
                text = around.get("source") if isinstance(around, Mapping) else None
        if text is None:
            raise self.error(path, f"`{path[-1]}` has no source", HINT)
        if text == UNKNOWN:
            return None
        source = source_of(str(text), self.references)
        if isinstance(source, str):
            raise self.error(path, f"`{path[-1]}`: {source}", HINT)
        return source

    def value(self, path: Sequence[Step], raw: Any, kind: str) -> float:
        """A number with its unit read; what is wrong is told with its line."""
        read: dict[str, Callable[[Any], float]] = {"number": _plain, "time": _time_s, "share": _share}
        try:
            return read[kind](raw)
        except InputError as error:
            raise self.error(path, f"`{path[-1]}`: {error.text}", error.hint) from error


def _plain(raw: Any) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not abs(raw) < 1e18:
        raise InputError(f"`{raw}` is not a number", hint="its unit is in its name")
    return float(raw)


def _time_s(raw: Any) -> float:
    if not isinstance(raw, str) or raw.strip()[-1:] in "0123456789.":
        hint = f'such as "{raw}s" or "{raw}ms"; units are {", ".join(TIME_UNITS)}'
        raise InputError(f"`{raw}` has no unit", hint=hint)
    return parse_time_s(raw)


def _share(raw: Any) -> float:
    if isinstance(raw, str) and raw.strip().endswith("%"):
        try:
            return float(raw.strip()[:-1]) * SHARE_UNITS["%"]
        except ValueError:
            pass
    if isinstance(raw, bool) or not isinstance(raw, int | float):
        raise InputError(f"`{raw}` is not a share", hint='such as "25%"')
    if abs(raw) > 1:
        raise InputError(f"`{raw}` has no unit", hint=f'such as "{raw:g}%"')
    return float(raw)


def _hint(key: Step) -> str:
    if key == "pue":
        return "power usage effectiveness is all power over that of the machines: 1 at best"
    return ""
