"""Numbers that the fields of a result hold, and whether a printed number is one of them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from igen.judge.result import Result
from igen.units import date_text

NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])|(?<![\w.,])\d+(?:\.\d+)?(?![\w,])")
SCALES = tuple(10.0**power for power in (-9, -6, -3, 0, 2, 3, 6, 9))
"""Between the unit of a field and that of a reader: ns and ms, a share and percent, bytes and MB."""
SENTENCES = {"evidence", "observations", "text", "unnamed", "warnings"}
"""Fields in words of the judge: their numbers are figures, and have fields too."""
UNITS = {
    "ns": ("s", 1e-9),
    "µs": ("s", 1e-6),
    "ms": ("s", 1e-3),
    "s": ("s", 1.0),
    "%": ("share", 1e-2),
    "KiB": ("bytes", 2.0**10),
    "kB": ("bytes", 1e3),
    "MiB": ("bytes", 2.0**20),
    "MB": ("bytes", 1e6),
    "GiB": ("bytes", 2.0**30),
    "GB": ("bytes", 1e9),
    "per s": ("per_s", 1.0),
    "/s": ("per_s", 1.0),
}
"""What a unit of a reader measures, and its size."""
ENDINGS = {
    "per_s": ("per_s", 1.0),
    "_ns": ("s", 1e-9),
    "_us": ("s", 1e-6),
    "_ms": ("s", 1e-3),
    "_s": ("s", 1.0),
    "_bytes": ("bytes", 1.0),
    "_percent": ("share", 1e-2),
    "share": ("share", 1.0),
}
"""The same of the end of a field's name; the first that fits holds."""
UNKNOWN = ""
"""Fields whose unit is not in their name may have any."""
Leaf = tuple[tuple[str, ...], float | str]


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """Yield each number and each name of a document with its path, but no sentence about them."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from leaves(each, (*path, name))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each, path)
    elif path and path[-1] not in SENTENCES:
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, int | float):
            yield path, abs(float(value))


def numbers(text: str) -> Iterator[tuple[float, float, str]]:
    """Yield each number of a text, half of its last digit that is known, and its digits."""
    for match in NUMBER.finditer(text):
        digits = match[0].replace(",", "")
        known = digits.lstrip("0").replace(".", "") if "." in digits else digits.strip("0")
        last = len(digits) - len(digits.rstrip("0")) if "." not in digits else -len(digits.partition(".")[2])
        yield float(digits), 0.5 * 10.0**last, known


def fields(result: Result) -> list[float]:
    """Return each number that a field of the result holds, in each unit that a reader may see."""
    found = set[float]()
    for _, leaf in leaves(msgspec.to_builtins(result)):
        found |= {number for number, _, _ in numbers(leaf)} if isinstance(leaf, str) else {leaf}
    for system in result.systems:
        found |= {number for number, _, _ in numbers(re.sub(r"\W", " ", date_text(system.started_unix_s)))}
        for level in system.levels:
            # Little's law: users that the times account for.
            if level.response_time_ms is not None:
                found.add(level.throughput_per_s.value * level.response_time_ms.mean / 1e3)
    return sorted(number * scale for number in found for scale in SCALES)


def by_unit(result: Result) -> Mapping[str, Sequence[float]]:
    """Return the numbers of the fields by what their unit measures, without pictures."""
    found = defaultdict[str, set[float]](set)
    for path, leaf in leaves(msgspec.to_builtins(result)):
        if "heat" in path:
            continue
        if isinstance(leaf, str):
            # Servers write 128MB.
            apart = re.sub(r"(?<=\d)(?=[A-Za-z])", " ", leaf)
            found[UNKNOWN] |= {number * scale for number, _, _ in numbers(apart) for scale in SCALES}
            continue
        ends = (ENDINGS[end] for name in reversed(path) for end in ENDINGS if name.endswith(end))
        measured, size = next(ends, (UNKNOWN, 1.0))
        found[measured] |= {leaf * scale for scale in SCALES} if measured == UNKNOWN else {leaf * size}
    return {measured: sorted(values) for measured, values in found.items()}


def is_told(value: float, half: float, told: Sequence[float]) -> bool:
    place = bisect_left(told, value - 1.001 * half)
    return place < len(told) and told[place] <= value + 1.001 * half


def is_told_in(unit: str, value: float, half: float, told: Mapping[str, Sequence[float]]) -> bool:
    """True if a number of this unit is a field of such a unit, or of an unknown one."""
    measured, size = UNITS[unit]
    return is_told(value * size, half * size, told.get(measured, ())) or is_told(value, half, told[UNKNOWN])


def is_exactly(value: float, told: Sequence[float]) -> bool:
    return is_told(abs(value), 1e-9 * abs(value), told)
