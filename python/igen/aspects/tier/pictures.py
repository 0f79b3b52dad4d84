"""CPU % of each tier over the load."""

from __future__ import annotations

from igen.aspects.tier.parts import TierResult, tiers_at
from igen.document import Axis, ChartLine, Dot, Guide, Lines, Picture, Pictures, Section
from igen.judge.result import Level, Result, System
from igen.layout.dots import LOG_X_FROM, MARKS, tip
from igen.layout.level import LoadAxis
from igen.layout.number import interval, significant
from igen.text import Text

CAPTION = (
    "Of each tier's own processors, so that the lines do not add up. Bands and bars: 95 % interval over runs."
)


def tier_section(result: Result) -> Section | None:
    """CPU % of each tier over the load; only where a job has tiers."""
    found = tier_pictures(result)
    return Section("tiers", "Tiers", [Pictures(found, CAPTION)]) if found else None


def tier_pictures(result: Result) -> list[Picture]:
    """One for each system with tiers at two loads or more."""
    found = ((place, system) for place, system in enumerate(result.systems) if not system.scaling)
    pictures = (_picture(result, place, system) for place, system in found)
    return [picture for picture in pictures if picture is not None]


def _picture(result: Result, place: int, system: System) -> Picture | None:
    axis = LoadAxis.of(result)
    levels = sorted((level for level in system.levels if tiers_at(level)), key=axis.value)
    loads = [axis.value(level) for level in levels]
    if len(set(loads)) < 2:
        return None
    names = dict.fromkeys(_name(tier) for level in levels for tier in _tiers(level))
    series = [
        ChartLine(
            name,
            colour,
            [
                _dot(axis, system, level, tier)
                for level in levels
                for tier in _tiers(level)
                if _name(tier) == name
            ],
        )
        for colour, name in enumerate(names)
    ]
    wide = loads[0] > 0 and loads[-1] / loads[0] > LOG_X_FROM
    chart = Lines(
        Axis(axis.title, "log" if wide else "linear", ticks=sorted(set(loads))),
        Axis(),
        series,
        guides=[Guide("full", height=100.0)],
    )
    several = len(result.systems) > 1
    of = f" of {system.name}" if several else ""
    name = f"tiers-{place + 1}" if several else "tiers"
    return Picture(
        name,
        f"CPU % of each tier's processors{of}",
        f"CPU % by tier{of} over {axis.title}; the figures are in the table of tiers.",
        chart,
    )


def _tiers(level: Level) -> list[TierResult]:
    tiers = tiers_at(level)
    return tiers.tiers if tiers else []


def _name(tier: TierResult) -> str:
    return f"{tier.name} on {tier.host}" if tier.host else tier.name


def _dot(axis: LoadAxis, system: System, level: Level, tier: TierResult) -> Dot:
    percent = tier.cpu_percent
    spread = f" ({interval(percent, digits=3)})" if percent.low is not None else ""
    of = f"{_name(tier)}: {significant(percent.value)} %{spread} of {tier.capacity_processors:g} processors"
    return Dot(
        axis.value(level),
        percent.value,
        percent.low,
        percent.high,
        mark=MARKS[level.trust.verdict],
        tip=Text.of(f"{of}\n", tip(axis, system, level)),
    )
