"""The sentence of an estate in a data centre, and how its figures are read."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.trust.finding import Part
from igen.say.group import Group
from igen.units import format_count, format_number

COUNTED = ("systems", "racks", "systems_last_year", "racks_last_year")
GUESS, OUTSIDE = "*", "†"
"""Marks of a figure that rests on a guess, and of a figure outside the measured range."""


def amount(key: str, value: float) -> str:
    """Return a figure of an estate: machines and large figures without decimals."""
    return format_count(value) if key in COUNTED or abs(value) >= 1000 else format_number(value, 3)


def ratio_with_range(value: float, low: float, high: float) -> str:
    """Return `0.577 (0.507 to 0.704)`; without its range if both ends are the same."""
    ends = f"{low:.3g}", f"{high:.3g}"
    return f"{value:.3g}" if ends[0] == ends[1] else f"{value:.3g} ({' to '.join(ends)})"


def _figure(group: Group, name: str) -> str:
    """Return `8.52* (7.94 to 9.10)`."""
    part = group.parts(name)[0]
    marks = "".join(
        mark for kind, mark in (("guess", GUESS), ("outside", OUTSIDE)) if name in group.texts(kind)
    )
    ends = [amount(name, end) for end in part.span or () if end is not None]
    span = f" ({' to '.join(ends)})" if len({*ends}) > 1 else ""
    return f"{amount(name, part.figure or 0.0)}{marks}{span}"


def _cost(part: Part) -> str:
    if part.span is None:
        return f"the draws do not tell if it costs more or less than {part.text}"
    low, high = (end or 0.0 for end in part.span)
    return f"{ratio_with_range(part.figure or 0.0, low, high)} times the cost of {part.text}"


def _estate(group: Group) -> str:
    """Return `consolidate: 5 systems in 2 racks, 8.52 kW at the peak hour, 622,726 USD in 4 years; …`."""
    known = [f"{_figure(group, 'systems')} systems in {_figure(group, 'racks')} racks"]
    if group.has("kw"):
        known.append(f"{_figure(group, 'kw')} kW at the peak hour")
    if group.has("cost"):
        known.append(f"{_figure(group, 'cost')} {group.parts('cost')[0].text}")
    parts = [", ".join(known), *map(_cost, group.parts("cost_ratio"))]
    return f"{group.texts('estate')[0]}: {'; '.join(parts)}.{_lacking(group)}"


def _lacking(group: Group) -> str:
    if group.has("short_in_year"):
        return f" From year {group.number('short_in_year')} on that is NOT ENOUGH."
    return " That is NOT ENOUGH, or does not fit." if group.has("does_not_fit") else ""


PHRASES: dict[str, Callable[[Group], str]] = {"estate": _estate}
