"""Are the claims such that this kind of load can carry them?"""

from __future__ import annotations

from igen.judge.curve.load import side_name
from igen.judge.curve.quantities import P99
from igen.judge.result import Ratio, Result
from igen.lint.finding import Finding, Found

PERCENTILES = ("p50", "p90", "p95", "p99", "p99.9", "max")


def closed_percentile(result: Result) -> Found:
    """A percentile of a closed load in a threshold, or in a ratio with an answer."""
    closed = {
        (system.name, persona)
        for system in result.systems
        for level in system.levels
        for persona, load in (level.personas or {"": level}).items()
        if "closed" in load.load
    }
    compared = [
        each
        for each in result.ratios
        if (each.system, each.persona) in closed and each.quantity == P99 and each.answer != "cannot tell"
    ]
    limits = [each for each in result.thresholds if each.figure.split(" ")[0] in PERCENTILES]
    if not closed or not (compared or limits):
        return
    what = f"`{limits[0].threshold}`" if limits else _claim(compared[0])
    yield Finding(
        found=f"a percentile is claimed of a closed load: {what}",
        matters="users who wait for an answer send nothing: who would have come in a stall is not in it",
        remedy="measure percentiles with an open load: --rate",
    )


def _claim(ratio: Ratio) -> str:
    return f"{side_name(ratio.system, ratio.persona)} is {ratio.answer} in p99"
