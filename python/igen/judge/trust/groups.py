"""Runs that fall into two groups: no mean, and no interval around one, tells of either."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from igen.judge.trust.finding import Finding, finding

GAP = 4.0
"""In standard deviations within the groups."""
GAP_OF_FEW = {4: 13.4, 5: 7.7, 6: 5.9, 7: 4.8, 8: 4.1}
"""Few runs cluster by chance: with these limits in 4 % of levels (simulated), and in less than 1 % where runs
differ by 2 % or less, since the gap must be a real one too."""
LEAST_GAP = 0.05
"""Least gap between two groups, as a share of the mean."""


def two_groups(throughputs_per_s: Sequence[float]) -> Iterator[Finding]:
    """Yield a finding if the throughputs of runs fall into two groups."""
    values = np.sort(np.asarray(throughputs_per_s, float))
    n = len(values)
    if n < min(GAP_OF_FEW):
        return
    cut = int(np.argmax(np.diff(values))) + 1
    low, high = values[:cut], values[cut:]
    gap = float(high[0] - low[-1])
    within = ((low.var() * len(low) + high.var() * len(high)) / (n - 2)) ** 0.5
    if gap <= LEAST_GAP * values.mean() or gap <= GAP_OF_FEW.get(n, GAP) * within:
        return
    yield finding(
        "two-groups",
        scope="level",
        runs_low=len(low),
        near_low_per_s=float(low.mean()),
        runs_high=len(high),
        near_high_per_s=float(high.mean()),
    )
