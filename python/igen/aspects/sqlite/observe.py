"""SQLite's write lock as the reason of a curve that hardly grows."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.points import ratio_to
from igen.judge.result import Level, Observation, System
from igen.judge.target import target_schemes
from igen.judge.wording import rate, ratio_with_interval

HARDLY_MORE = 1.5
"""A curve hardly grows if its highest point is surely less than this times its lowest."""


def one_writer_observations(system: System, levels: Sequence[Level]) -> list[Observation]:
    """SQLite's write lock: said only where the curve grows as little as that predicts."""
    if (
        not (system.peak and len(levels) > 1)
        or target_schemes(system.targets) != {"sqlite"}
        or system.workload not in ("oltp", "bank")
        or system.params.get("read_only")
    ):
        return []
    between = system.levels[system.levels.index(levels[0]) : system.levels.index(levels[-1]) + 1]
    means = [level.throughput_per_s.value for level in levels]
    users = [level.users for level in levels if level.users]
    highest, lowest = (pick(levels, key=lambda level: level.throughput_per_s.value) for pick in (max, min))
    spread = ratio_to(highest, lowest, looked=system.looked)
    # A curve whose levels are known to ± 75 % may grow by more.
    hardly_more = spread.high is not None and spread.high < HARDLY_MORE
    if between != list(levels) or not hardly_more or len(users) < 2 or max(users) < 4 * min(users):
        return []
    span = f"{rate(system, min(means)).split(' ')[0]} and {rate(system, max(means))}"
    text = (
        f"SQLite lets one connection write at a time, so more users do little more: from {min(users)} to "
        f"{max(users)} users the throughput stays between {span}."
    )
    evidence = (
        f"target is SQLite; highest over lowest level {ratio_with_interval(spread)} (limit {HARDLY_MORE:g})"
    )
    return [Observation(text=text, evidence=evidence)]
