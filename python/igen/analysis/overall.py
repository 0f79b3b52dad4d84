"""One ratio for each test of a study: the geometric mean over the loads."""

from __future__ import annotations

from collections.abc import Sequence
from operator import truediv
from typing import Literal

import numpy as np

from igen.analysis.compare import pairs_of
from igen.analysis.interval import log_welch, paired_log_t
from igen.analysis.load import level_value
from igen.analysis.points import usable, used_runs
from igen.analysis.result import Estimate, Level, OverallRatio, System


def overall_ratios(systems: Sequence[System]) -> list[OverallRatio]:
    """Of each pair of compared systems in each test; none where they have no valid load in common."""
    pairs = [(base, system) for base, system in pairs_of(systems) if base.test]
    found = (_overall(base, system) for base, system in pairs)
    return [each for each in found if each is not None]


def _overall(base: System, system: System) -> OverallRatio | None:
    levels, base_levels = (
        {level_value(level): level for level in usable(each.levels)} for each in (system, base)
    )
    loads = [load for load in base_levels if load in levels]
    if not loads or base.workload != system.workload:
        return None
    throughput = _ratio([levels[load] for load in loads], [base_levels[load] for load in loads])
    verdict: Literal["faster", "slower", "~"] = "~"
    if throughput.low is not None and throughput.high is not None:
        verdict = "faster" if throughput.low > 1 else "slower" if throughput.high < 1 else "~"
    return OverallRatio(
        test=system.test,
        title=system.test_title,
        system=system.system,
        base=base.system,
        loads=len(loads),
        throughput=throughput,
        verdict=verdict,
        published=system.published_ratios,
    )


def _ratio(levels: Sequence[Level], base: Sequence[Level]) -> Estimate:
    """Of the repeats' means over the loads; without an interval where a repeat lacks one of them."""
    ours, theirs = _by_repeat(levels), _by_repeat(base)
    if not (ours and theirs):
        of_all = (_mean([level.throughput_per_s.value for level in each]) for each in (levels, base))
        return Estimate(value=truediv(*of_all))
    test = paired_log_t if ours.keys() == theirs.keys() else log_welch
    return test(*([each[repeat] for repeat in sorted(each)] for each in (ours, theirs))).ratio


def _by_repeat(levels: Sequence[Level]) -> dict[int, float]:
    """The geometric mean over the levels of each repeat; empty where the repeats differ between levels."""
    runs = [{run.repeat: run.throughput_per_s for run in used_runs(level)} for level in levels]
    if any(each.keys() != runs[0].keys() for each in runs):
        return {}
    return {repeat: _mean([each[repeat] for each in runs]) for repeat in runs[0]}


def _mean(values: Sequence[float]) -> float:
    """Geometric."""
    return float(np.exp(np.mean(np.log(values))))
