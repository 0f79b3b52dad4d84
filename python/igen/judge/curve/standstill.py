"""Whether all users stood still for a time, or only one of them waited for something long."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from math import sqrt

from igen.judge.curve.points import used_runs
from igen.judge.result import Level, Repeat
from igen.judge.trust.rules.curve import SLOWER_SD, SLOWER_SHARE


def stood_still_s(level: Level) -> float:
    """The longest time for which all users may have stood still, as the timelines of the runs tell it; 0
    where what is missing may be chance.

    Of consecutive intervals in which less ended than usual it is the time in which the rest would have: one
    of ten users who waits for a second takes a tenth of a second from them.
    """
    return max((lost_s for run in used_runs(level) for lost_s in _lost_s(run)), default=0.0)


def _lost_s(run: Repeat) -> Iterator[float]:
    intervals = [interval for interval in run.timeline if interval.start_s >= 0]
    if len(intervals) < 2 or run.throughput_per_s <= 0:
        return
    lengths_s = [after.start_s - before.start_s for before, after in pairwise(intervals)]
    # The timeline does not tell the end of its last interval.
    shares = [
        (1 - interval.throughput_per_s / run.throughput_per_s, length_s)
        for interval, length_s in zip(intervals, [*lengths_s, lengths_s[-1]], strict=True)
    ]
    for is_slower, stretch in groupby(shares, lambda each: each[0] > SLOWER_SHARE.value):
        parts = [*stretch]
        lost_s = sum(share * length_s for share, length_s in parts)
        expected = run.throughput_per_s * sum(length_s for _, length_s in parts)
        if is_slower and run.throughput_per_s * lost_s > SLOWER_SD.value * sqrt(expected):
            yield lost_s
