"""Spread of the parts of a level's runs, for figures with too few runs for an interval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import exp, inf, log, sqrt

import numpy as np

from igen.judge.curve.points import used_runs
from igen.judge.figure.figure import Figure
from igen.judge.result import Interval, Level
from igen.judge.trust.rules.curve import FACTOR_OF_PARTS, PARTS_OF_RUN
from igen.judge.trust.rules.numerics import CELLS_PER_DOUBLING
from igen.quantiles import QUANTILES

_NAMES = {"p99.9": "p999"}
_CELL = log(2) / CELLS_PER_DOUBLING
"""Width of a cell of the grid in which intervals keep their times, as a logarithm."""


def factor_of_parts(level: Level, figure: str) -> float:
    """Return the factor by which another run's `figure` may differ from the level's; infinite if unknown.

    The prediction interval of one more part of such a run (t on logarithms) and the width of the grid: far
    wider than the interval that repeats would give.
    """
    parts = [
        _figure(part, figure)
        for run in used_runs(level)
        for part in np.array_split([each for each in run.timeline if each.measured], PARTS_OF_RUN.value)
        if any(each.heat for each in part)
    ]
    if len(parts) < 2 or figure == "max":
        return inf
    spread = float(np.var(np.log(parts), ddof=1)) * (1 + 1 / len(parts))
    another = Figure.estimated(1.0, sqrt(spread), len(parts) - 1.0)
    return exp(max(another.half(), log(FACTOR_OF_PARTS.value)) + _CELL)


def _figure(part: Iterable[Interval], figure: str) -> float:
    """Return a figure of the response times of a part, in milliseconds."""
    counts: Counter[float] = Counter()
    for edge_ms, count in (cell for each in part for cell in each.heat):
        counts[edge_ms] += int(count)
    edges_ms = sorted(counts)
    cumulated = np.cumsum([counts[edge] for edge in edges_ms])
    if figure == "mean":
        return sum(edge * count for edge, count in counts.items()) / int(cumulated[-1])
    return edges_ms[int(np.searchsorted(cumulated, QUANTILES[_NAMES.get(figure, figure)] * cumulated[-1]))]
