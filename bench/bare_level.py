"""A level of a loop in C without iGen, judged as iGen judges its own: is the machine itself steady?"""

from __future__ import annotations

import time
from itertools import pairwise

from bench.tools_load import Loop, between, counting_loop
from igen.judge.run.steady import steadiness

INTERVAL_S = 0.1
"""As iGen reports a MEASURE of a few seconds."""


def unsteady(*, threads: int, runs: int, warmup_s: float, measure_s: float) -> list[str]:
    """Return the rules by which the runs of one level are not steady; empty if all are steady."""
    with counting_loop(threads) as loop:
        series = [_rates(loop, warmup_s, measure_s) for _ in range(runs)]
    told = steadiness(series, may_cut=False, interval_s=INTERVAL_S)
    return [reason.rule for reasons in told.reasons for reason in reasons]


def _rates(loop: Loop, warmup_s: float, measure_s: float) -> list[float]:
    """Rounds a second, interval by interval."""
    begin_s = time.monotonic() + warmup_s
    marks = []
    for place in range(round(measure_s / INTERVAL_S) + 1):
        time.sleep(max(begin_s + place * INTERVAL_S - time.monotonic(), 0.0))
        marks.append(loop.mark())
    return [between(*pair, loop.threads).per_s for pair in pairwise(marks)]
