"""Parts that many findings have: a system, a load, a figure with its interval."""

from __future__ import annotations

from igen.judge.curve.load import Loaded, load_name
from igen.judge.curve.points import used_runs
from igen.judge.result import Figure, Level, Part, System
from igen.judge.trust.finding import figure


def named(system: System, name: str = "system") -> Part:
    """Return the name of a system."""
    return Part(name=name, text=system.name)


def load_of(system: System, at: Loaded, name: str = "load") -> Part:
    """Return the name of a load: `64 users`, or `100/s` for an open load."""
    return Part(name=name, text=load_name(at, by_rate=system.load_model == "open"))


def throughput(system: System, estimate: Figure) -> Part:
    """Return a throughput; its text is the name of the transactions."""
    return figure("throughput_per_s", estimate, system.transaction)


def sample_of(level: Level) -> list[Part]:
    """Return how many runs and transactions stand behind the figures of a level."""
    return [
        Part(name="runs", figure=len(used_runs(level))),
        Part(name="transactions", figure=level.transactions),
    ]


def below_limit(level: Level) -> list[Part]:
    """Return the number of runs if the mean response time of a level has no interval."""
    interval = level.response_time_ms.mean_interval if level.response_time_ms else None
    if interval is not None and interval.high is not None:
        return []
    return [Part(name="runs", figure=level.throughput_per_s.n)]
