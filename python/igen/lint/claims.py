"""Checks of claims: does this kind of load support them?"""

from __future__ import annotations

from igen.judge.curve.load import side_name
from igen.judge.result import Result
from igen.judge.trust.finding import finding
from igen.lint.finding import Found
from igen.loads import P99

PERCENTILES = ("p50", "p90", "p95", "p99", "p99.9", "max")


def closed_percentile(result: Result) -> Found:
    """Yield percentiles of a closed load in a threshold, or in a ratio with an answer."""
    closed = {
        (system.name, name)
        for system in result.systems
        for level in system.levels
        for name, load in level.each.items()
        if "closed" in load.load
    }
    compared = [
        each
        for each in result.ratios
        if (each.system, each.load) in closed and each.quantity == P99 and each.answer != "cannot tell"
    ]
    limits = [each for each in result.thresholds if each.figure.split(" ")[0] in PERCENTILES]
    if not closed:
        return
    if limits:
        yield finding("closed-percentile", threshold=limits[0].threshold)
    elif compared:
        side = side_name(compared[0].system, compared[0].load)
        yield finding("closed-percentile", side=side, answer=compared[0].answer)
