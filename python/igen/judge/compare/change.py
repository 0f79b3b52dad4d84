"""Where a series of runs over time changes its level, and which of its runs are odd.

Circular binary segmentation (A. Olshen, E. Venkatraman, R. Lucito and M. Wigler, "Circular binary
segmentation for the analysis of array-based DNA copy number data", Biostatistics 5, 2004): two questions
share the error. A change that stayed is the cut whose sides differ most; a change that was undone is the
stretch that differs most from the runs before and after it. Each part is then asked the same.

What a change explains is compared with what the resemblance of neighbouring runs explains, by the
likelihood ratio of both (D. R. Cox, "Tests of separate families of hypotheses", Berkeley Symposium, 1961):
a machine that drifts makes long waves, and a wave alone is not a change. The ratio is compared with the
ratios of the same runs in random order (C. Kirch and J. Steinebach, "Permutation principles for the change
analysis of stochastic processes under strong invariance", Journal of Computational and Applied Mathematics
186, 2006), so that the rate of false alarms holds for noise of any shape. Random orders end as soon as the
answer is "no change" (J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991).

An odd run counts as the median of the runs around it, in the series and in each random order. The median of
2 k - 1 values keeps a level of k runs and removes shorter ones (N. Gallagher and G. Wise, "A theoretical
analysis of the properties of median filters", IEEE Transactions on Acoustics, Speech and Signal Processing
29, 1981).

`bench/run history` simulates all rates; tests/judge/test_change.py the most important ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, pairwise
from math import comb

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from igen.judge.trust.rules.comparison import (
    FALSE_CHANGES,
    LEAST_HISTORY,
    LEAST_SIDE,
    MOST_ALIKE,
    MOST_ODD,
    ODD_DISTANCE,
)
from igen.judge.trust.rules.numerics import (
    KEPT_QUESTIONS,
    LEAST_ORDERS,
    LITTLE,
    MOST_ORDERED_VALUES,
    MOST_ORDERS,
    ORDERS_BATCH,
    RIDGE,
)

_SEED = 1

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
"""Rows of begin and end of a stretch of runs."""


@dataclass(frozen=True, slots=True)
class Change:
    """The series has another level from this run on."""

    at: int
    """Number of the first run after the change."""
    p: float
    """Share of random orders in which a change explains as much, times the number of questions."""


def change_points(values: Sequence[float], alpha: float = FALSE_CHANGES.value) -> list[Change]:
    """Return all changes of a series of positive values, in the order of time.

    `alpha` is the share of histories without a change in which one may be found.
    """
    return _changes(np.log(np.asarray(values, float)), 0, alpha, np.random.default_rng(_SEED))


def odd_runs(values: Sequence[float]) -> dict[int, float]:
    """Return the number of each odd run of positive values, and the value that it counts as."""
    if len(values) < LEAST_HISTORY.value:
        return {}
    logs = np.log(np.asarray(values, float))
    settled = _settled(logs[None])[0]
    return {int(at): float(np.exp(settled[at])) for at in np.flatnonzero(settled != logs)}


def least_runs(alpha: float) -> int:
    """Return the number of runs from which on a change can be found.

    Of n runs cut in the middle, two of n over n/2 orders differ as much as any order does; this must be as
    rare as `alpha` allows for each question.
    """
    return next(
        runs
        for runs in count(LEAST_HISTORY.value)
        if len(_questions(runs)) * 2 / comb(runs, runs // 2) <= alpha
    )


def segments(values: Sequence[float], changes: Sequence[Change]) -> list[Sequence[float]]:
    """Return the parts of the series between its changes."""
    edges = [0, *(change.at for change in changes), len(values)]
    return [values[begin:end] for begin, end in pairwise(edges)]


def resemblance(values: Sequence[float], changes: Sequence[Change]) -> float | None:
    """Return the correlation of a run with the run before it, about the level of their segment.

    None if there are too few runs.
    """
    parts = [np.log(np.asarray(part, float)) for part in segments(values, changes)]
    about = [part - part.mean() for part in parts if len(part) >= LEAST_SIDE.value]
    squares = sum(float((part**2).sum()) for part in about)
    if sum(map(len, about)) < LEAST_HISTORY.value or squares == 0:
        return None
    return sum(float((part[1:] * part[:-1]).sum()) for part in about) / squares


def _changes(logs: Floats, offset: int, alpha: float, random: np.random.Generator) -> list[Change]:
    found = _stretch(logs, alpha, random)
    if found is None:
        return []
    edges, p = found
    changes = []
    for begin, end in pairwise([0, *edges, len(logs)]):
        changes += [Change(offset + begin, p)] if begin else []
        changes += _changes(logs[begin:end], offset + begin, alpha, random)
    return changes


def _stretch(logs: Floats, alpha: float, random: np.random.Generator) -> tuple[list[int], float] | None:
    """Return the edges of the stretch that differs most, and its p; None if chance does as much."""
    n = len(logs)
    questions = _questions(n)
    if not questions or float(np.ptp(settled := _settled(logs[None]))) == 0:
        return None
    best, seen = zip(*(_explained(logs[None], settled, places) for places in questions), strict=True)
    orders = int(np.clip(100 / alpha, LEAST_ORDERS, MOST_ORDERS))
    batch = int(np.clip(MOST_ORDERED_VALUES // max(map(len, questions)), 1, ORDERS_BATCH))
    tried, as_much = 0, np.zeros(len(questions))
    while tried < orders:
        shuffled = random.permuted(np.tile(logs, (min(batch, orders - tried), 1)), axis=1)
        settled = _settled(shuffled)
        tried += len(shuffled)
        as_much += [
            (_explained(shuffled, settled, places)[1] >= own * (1 - LITTLE)).sum()
            for places, own in zip(questions, seen, strict=True)
        ]
        p = len(questions) * (1 + as_much) / (1 + orders)
        if p.min() > alpha:
            return None
    asked = int(p.argmin())
    begin, end = questions[asked][best[asked][0]]
    return [int(edge) for edge in (begin, end) if 0 < edge < n], float(p[asked])


@lru_cache(maxsize=KEPT_QUESTIONS)
def _questions(runs: int) -> list[Places]:
    """Return the stretches that a cut makes, and those within the series; each part has `LEAST_SIDE` runs."""
    side = LEAST_SIDE.value
    if runs < LEAST_HISTORY.value:
        return []
    cuts = [(0, end) for end in range(side, runs - side + 1)]
    within = [
        (begin, end)
        for begin in range(side, runs - 2 * side + 1)
        for end in range(begin + side, runs - side + 1)
    ]
    return [np.array(places) for places in (cuts, within) if places]


def _explained(series: Floats, settled: Floats, places: Places) -> tuple[Places, Floats]:
    """Return the best stretch of each series by its number, and how well it explains the series.

    This is what the resemblance of neighbours leaves unexplained of the squares, over what two levels leave.
    An odd run costs its least distance: settling the runs against a change must not make the change.
    """
    runs = series.shape[1]
    about = settled - settled.mean(axis=1, keepdims=True)
    total = (about**2).sum(axis=1)
    sums = np.concatenate([np.zeros((len(series), 1)), about.cumsum(axis=1)], axis=1)
    inside = places[:, 1] - places[:, 0]
    between = (sums[:, places[:, 1]] - sums[:, places[:, 0]]) ** 2 * (runs / (inside * (runs - inside)))
    best = between.argmax(axis=1)
    left = np.maximum(total - between[np.arange(len(series)), best], RIDGE * total)
    total, left = (np.maximum(squares, np.finfo(float).tiny) for squares in (total, left))
    alike = np.clip((about[:, 1:] * about[:, :-1]).sum(axis=1) / total, 0.0, MOST_ALIKE.value)
    cost = ODD_DISTANCE.value ** (2 * (settled != series).mean(axis=1))
    return best, (1 - alike**2) * total / left / cost


def _settled(series: Floats) -> Floats:
    """Return the series with each odd run as the median of the runs around it.

    A run is odd if it is far from this median. Of odd runs side by side the oddest is settled first, because
    the next one may only look odd. If more runs are odd than may be, the noise has this shape and none is.
    """
    settled, apart = series.copy(), LEAST_SIDE.value - 1
    most = int(MOST_ODD.value * series.shape[1])
    rows, usual = np.arange(len(series)), None
    for _ in range(apart):
        around = sliding_window_view(
            np.pad(settled[rows], ((0, 0), (apart, apart)), mode="reflect"), 2 * apart + 1, axis=1
        )
        medians = np.partition(around, apart, axis=2)[:, :, apart]
        away = np.abs(settled[rows] - medians)
        if usual is None:
            usual = _usual(away, most)
        oddest = sliding_window_view(np.pad(away, ((0, 0), (apart, apart))), 2 * apart + 1, axis=1).max(
            axis=2
        )
        odd = (away > ODD_DISTANCE.value * usual[rows, None]) & (away >= oddest)
        settled[rows] = np.where(odd, medians, settled[rows])
        rows = rows[odd.any(axis=1)]
    many = (settled != series).sum(axis=1) > most
    return np.where(many[:, None], series, settled)


def _usual(away: Floats, most_odd: int) -> Floats:
    """Return the root mean square of the distances in each row, without those that may be of odd runs."""
    kept = away.shape[1] - most_odd
    least = np.partition(away, kept - 1, axis=1)[:, :kept]
    return np.asarray(np.sqrt((least**2).sum(axis=1) / (kept - 1)))
