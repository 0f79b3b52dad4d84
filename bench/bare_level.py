"""A level of a loop in C without iGen, judged as iGen judges its own: does the machine hold its speed?"""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np

from bench.tools_load import Loop, between, counting_loop
from igen.judge.run.steady import steadiness
from igen.judge.trust.rules.machine import BOUND_PERCENT
from igen.judge.trust.trend import Series, shared_change

INTERVAL_S = 0.1
"""As iGen reports a MEASURE of a few seconds."""


def broken_by(*, threads: int, runs: int, warmup_s: float, measure_s: float) -> list[str]:
    """Return the rules by which one level is not VALID; empty if it is."""
    with counting_loop(threads) as loop:
        try:
            series = [_rates(loop, warmup_s, measure_s) for _ in range(runs)]
        except RuntimeError:
            return ["outage"]
    told = steadiness(series, may_cut=False, interval_s=INTERVAL_S)
    outages = [found.rule for shape in told.shapes for found in shape if found.row.grade != "VALID"]
    change = shared_change([Series(np.array(rates), np.ones(len(rates))) for rates in series])
    return [*outages, *(["trend"] if 100 * abs(change) / 2 > BOUND_PERCENT.value else [])]


def _rates(loop: Loop, warmup_s: float, measure_s: float) -> list[float]:
    """Rounds a second, interval by interval."""
    begin_s = time.monotonic() + warmup_s
    marks = []
    for place in range(round(measure_s / INTERVAL_S) + 1):
        time.sleep(max(begin_s + place * INTERVAL_S - time.monotonic(), 0.0))
        marks.append(loop.mark())
    return [between(*pair, loop.threads).per_s for pair in pairwise(marks)]
