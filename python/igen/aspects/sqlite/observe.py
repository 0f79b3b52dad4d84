"""SQLite's write lock as the reason of a curve that hardly grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.judge.curve.points import ratio_to
from igen.judge.record.target import target_schemes
from igen.judge.result import Finding, Level, Part, System
from igen.judge.trust.finding import figure, finding

HARDLY_MORE = 1.5
"""A curve hardly grows if its highest point is surely less than this times its lowest."""


def one_writer_observations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    """Yield SQLite's write lock if the curve grows as little as that predicts."""
    if (
        not (system.peak and len(levels) > 1)
        or target_schemes(system.targets) != {"sqlite"}
        or system.workload not in ("oltp", "bank")
        or system.params.get("read_only")
    ):
        return
    between = system.levels[system.levels.index(levels[0]) : system.levels.index(levels[-1]) + 1]
    means = [level.throughput_per_s.value for level in levels]
    users = [level.users for level in levels if level.users]
    highest, lowest = (pick(levels, key=lambda level: level.throughput_per_s.value) for pick in (max, min))
    spread = ratio_to(highest, lowest, looked=system.looked)
    # A curve whose levels are known to ± 75 % may grow by more.
    hardly_more = spread.against(HARDLY_MORE, HARDLY_MORE) == "below"
    if between != list(levels) or not hardly_more or len(users) < 2 or max(users) < 4 * min(users):
        return
    yield finding(
        "one-writer",
        Part(name="least_throughput_per_s", figure=min(means), text=system.transaction),
        Part(name="most_throughput_per_s", figure=max(means), text=system.transaction),
        figure("ratio", spread),
        limit=HARDLY_MORE,
        least_users=min(users),
        most_users=max(users),
    )
