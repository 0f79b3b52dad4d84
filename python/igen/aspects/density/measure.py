"""Users for each watt, rack unit and 1,000 of the price, where the study says of which and in which time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.density.parts import Density
from igen.aspects.power.measure import draw_w
from igen.judge.aspect import SystemRuns
from igen.judge.curve.load import level_value
from igen.judge.curve.named import load_of, named
from igen.judge.curve.points import within_limit_of
from igen.judge.figure.interval import mean_interval
from igen.judge.result import Figure, Finding, Level, Part, System, aspect
from igen.judge.trust.finding import figure, finding, parts_of
from igen.judge.trust.usable import is_sound


def density_of(system: SystemRuns) -> Density | None:
    """None where the study has no limit, or neither watts, rack units nor price, or no VALID load is within.

    Without a limit of the response time any number of users could be put on any machine.
    """
    limit_ms, described = system.intent.response_time_limit_ms, system.described
    given, rack_units, price = (described.get(name) for name in ("watts", "rack_units", "price"))
    place = _place(system.levels, limit_ms)
    if place is None or not (given or rack_units or price):
        return None
    level = system.levels[place]
    users = level.users or 0
    meter = given if isinstance(given, str) else ""
    watts = _metered(system, place, meter) if meter else Figure(value=given, n=1) if given else None
    return Density(
        level=level.level,
        users=users,
        watts=watts,
        meter=meter,
        users_per_watt=users / watts if watts else None,
        rack_units=rack_units,
        users_per_rack_unit=users / rack_units if rack_units else None,
        price=price,
        users_per_1000_of_price=1000 * users / price if price else None,
    )


def _place(levels: Sequence[Level], limit_ms: float | None) -> int | None:
    """The place of the highest VALID level whose mean response time is surely below the limit."""
    valid = [level for level in levels if is_sound(level) and level.users]
    within = within_limit_of(sorted(valid, key=level_value), limit_ms)
    places = [place for place, level in enumerate(levels) if within and level.level == within.level]
    return places[0] if places else None


def _metered(system: SystemRuns, place: int, meter: str) -> Figure | None:
    """Mean power over the measured time of each run; None unless it is known of every one."""
    runs = system.runs[place] if place < len(system.runs) else []
    drawn = [draw_w(run.host, meter) for run in runs]
    known = [watts for watts in drawn if watts is not None and watts > 0]
    return mean_interval(known) if known and len(known) == len(drawn) else None


def density_observations(system: System, _: Sequence[Level]) -> Iterator[Finding]:
    """Yield one finding with all figures."""
    found = aspect(system, Density)
    level = next((each for each in system.levels if found and each.level == found.level), None)
    if found is None or level is None or system.response_time_limit_ms is None:
        return
    figures = {
        "rack_units": found.rack_units,
        "users_per_rack_unit": found.users_per_rack_unit,
        "price": found.price,
        "users_per_1000_of_price": found.users_per_1000_of_price,
    }
    parts = parts_of({name: value for name, value in figures.items() if value is not None})
    if found.users_per_watt is not None and found.watts is not None:
        parts += [figure("users_per_watt", found.users_per_watt), figure("watts", found.watts)]
        parts += [Part(name="meter", text=found.meter)] if found.meter else []
    if parts:
        limit_ms = system.response_time_limit_ms
        yield finding("density", named(system), load_of(system, level), *parts, limit=limit_ms, unit="ms")
