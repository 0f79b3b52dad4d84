"""Runs that fall into two groups: no mean, and no interval around one, tells of either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from igen.judge.trust.finding import Finding, finding
from igen.judge.trust.rules.statistics import GROUP_GAP_SD, GROUP_GAP_SD_OF_FEW, GROUP_GAP_SHARE


def two_groups(throughputs_per_s: Sequence[float]) -> Iterator[Finding]:
    """Yield a finding if the throughputs of runs fall into two groups."""
    values = np.sort(np.asarray(throughputs_per_s, float))
    n = len(values)
    if n < min(GROUP_GAP_SD_OF_FEW.value):
        return
    cut = int(np.argmax(np.diff(values))) + 1
    low, high = values[:cut], values[cut:]
    gap = float(high[0] - low[-1])
    within = sqrt((low.var() * len(low) + high.var() * len(high)) / (n - 2))
    least = GROUP_GAP_SD_OF_FEW.value.get(n, GROUP_GAP_SD.value) * within
    if gap <= GROUP_GAP_SHARE.value * values.mean() or gap <= least:
        return
    yield finding(
        "two-groups",
        scope="level",
        runs_low=len(low),
        near_low_per_s=float(low.mean()),
        runs_high=len(high),
        near_high_per_s=float(high.mean()),
    )
