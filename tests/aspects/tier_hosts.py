"""Hosts whose tiers are known, as an agent would have recorded them."""

from __future__ import annotations

from typing import Any

from igen.aspects.aspects import ASPECTS
from igen.judge import analyse
from igen.judge.record.recording import Reading, Recording, recording_from_events
from igen.judge.result import System
from tests.judge.synthetic import events, readings, recording

SIEBEL = {"web": (2, 0.78, 4.5e9), "application": (8, 0.76, 69e9), "database": (4, 0.72, 20e9)}
"""Processors, share of them that is busy, memory: 78, 76 and 72 %, and 93.5 GB, as published."""


def on_tiers(
    tiers: dict[str, tuple[float, float, float]],
    *,
    users: int = 64,
    repeat: int = 0,
    level: int = 0,
    driver: float = 0.5,
    others: float = 0.0,
    processors: int = 16,
    per_s: int = 1000,
    factor: float = 1.0,
) -> Recording:
    """So many processors of each tier are busy, times `factor`; `driver` and `others` are processors too."""
    made = recording([per_s] * 10, users=users, repeat=repeat, level=level)
    busy = sum(count * share * factor for count, share, _ in tiers.values()) + driver + others
    whole = {"user_s": busy, "system_s": 0.0, "idle_s": processors - busy}
    made.readings.update(readings("cpu", whole))
    for number in range(processors):
        part = {name: value / processors for name, value in whole.items()}
        made.readings.update(readings("cpu", part, f"cpu{number}"))
    made.readings.update(readings("process", {"user_s": driver, "system_s": 0.0}, "agent"))
    for name, (count, share, memory) in tiers.items():
        used = count * share * factor
        gauges = {"memory_bytes": memory, "capacity_processors": float(count), "processes": 3.0}
        grown = readings("tier", {"user_s": 0.75 * used, "system_s": 0.25 * used}, name)
        made.readings.update(
            {
                place: [Reading(each.at_s, each.counters, gauges) for each in series]
                for place, series in grown.items()
            }
        )
        made.facts[f"tier.{name}.source"] = f"control group /{name}.service (version 2)"
    return made


def judged(*made: Recording) -> System:
    """The whole way, from the lines that an agent writes."""
    read = [recording_from_events(events(each), each.job_file) for each in made]
    (system,) = analyse(read, aspects=ASPECTS)
    return system


def repeats(
    tiers: dict[str, tuple[float, float, float]], weight: float = 1.0, **rest: Any
) -> list[Recording]:
    """Three runs that differ by 1 %, of which each tier is as busy as is told times `weight`."""
    factors = (0.99, 1.0, 1.01)
    return [
        on_tiers(tiers, repeat=place, factor=weight * factor, **rest) for place, factor in enumerate(factors)
    ]
