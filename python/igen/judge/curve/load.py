"""The load that a curve runs along, and its name: users, or for an open load the offered rate.

Several loads at once are named one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.result import Level, Point, Ratio, System
from igen.loads import Load
from igen.units import counted, format_count

Loaded = Level | Point | Ratio
"""Something at one load."""
LoadKey = tuple[tuple[str, str, float, str], ...]


def load_value(at: Loaded, *, by_rate: bool) -> float:
    """Where `at` stands on the curve."""
    rate = _rate(at, by_rate)
    return float((at.users or 0) if rate is None else rate)


def load_name(at: Loaded, *, by_rate: bool) -> str:
    """`64 users`, or `100/s` where the rate is what is varied; `64 users of clerks and 100/s of orders`."""
    if isinstance(at, Ratio) and at.among:
        return at.among
    if isinstance(at, Level) and at.loads:
        *names, last = [f"{own_name(part)} of {name}" for name, part in at.loads.items()]
        return f"{', '.join(names)} and {last}" if names else last
    rate = _rate(at, by_rate)
    if rate is not None:
        return f"{rate:,.6g}/s"
    return counted(at.users or 0, "user")


def own_name(level: Level) -> str:
    """The load of a level by its own model."""
    return load_name(level, by_rate="open" in level.load)


def side_name(system: str, load: str) -> str:
    """One side of a comparison in sentences: `A`, or of one of several loads on it `A (clerks)`."""
    return f"{system} ({load})" if load else system


def load_key(level: Level) -> LoadKey:
    """The same for the same loads, in amount and manner; different for different ones."""
    return tuple(
        (name, next(iter(part.load), ""), level_value(part), Load.of(part.load).manner)
        for name, part in level.each.items()
    )


def load_manner(level: Level) -> tuple[str, ...]:
    """How each load of a level is offered, beside how much of it."""
    return tuple(Load.of(part.load).manner for part in level.each.values())


def instances_name(at: Level | Point) -> str:
    """`1 instance`, `4 instances`."""
    return counted(at.instances, "instance")


def level_value(level: Level) -> float:
    """Where a level stands among those of its own system."""
    return load_value(level, by_rate="open" in level.load)


def _rate(at: Loaded, by_rate: bool) -> float | None:
    """The offered rate where it names the load; an open load may have no number of users."""
    return at.offered_per_s if by_rate or at.users is None else None


def load_number(at: Loaded, *, by_rate: bool) -> str:
    """Return the load without its noun: `64`, or `100/s`; of several loads at once their name."""
    if isinstance(at, Level) and at.loads:
        return load_name(at, by_rate=by_rate)
    rate = _rate(at, by_rate)
    return format_count(at.users or 0) if rate is None else f"{rate:,.6g}/s"


def load_in(system: System, at: Loaded) -> str:
    """Return `64 users`, or `100/s` for an open load of that system."""
    return load_name(at, by_rate=system.load_model == "open")


def loads_in(system: System, levels: Sequence[Level]) -> str:
    """Return `48 to 96 users` for neighbours, else `2 users and 8 users`; `levels` in ascending order.

    Levels that were left out, such as INVALID ones, part their neighbours.
    """
    positions = [system.levels.index(level) for level in levels]
    names = [load_in(system, level) for level in levels]
    if len(levels) > 1 and positions[-1] - positions[0] == len(positions) - 1:
        first = load_number(levels[0], by_rate=system.load_model == "open")
        return f"{first} to {names[-1]}"
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
