"""What to run next: how many repeats a level needs, and where to look for the peak."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, log, sqrt
from typing import Literal

import numpy as np

from igen.judge.figure.effect import repeats_for
from igen.judge.figure.interval import log_interval, paired_ratio
from igen.judge.figure.pairs import RunFigure, paired
from igen.judge.record.turns import turns
from igen.judge.trust.rules.curve import (
    BEST_CANDIDATES,
    CANDIDATE_SD,
    CONFIRM_RUNS,
    EDGE_ROUNDS,
    FAR,
    LARGEST_LOAD,
    LEAST_CHOOSING,
    LEAST_GAIN,
    MIDPOINT_ROUNDS,
    MOST_CONFIRMED,
    MOST_RUNS,
    NOISE_LEVELS,
    NOT_INFERIOR,
    PRECISION,
    REFINED,
    SEEN_SD,
)
from igen.judge.trust.rules.statistics import LEAST_RUNS

Runs = Sequence[tuple[int, Sequence[RunFigure]]]
"""Users and the throughputs of their valid runs, in the order in which they ran; none where all failed."""


def enough(run_means: Sequence[float]) -> bool:
    """Whether the repeats of a level are precise enough, or too many.

    From 3 runs on, when the confidence sequence of ln X is at most 2 % wide to each side: it holds at every
    look, so looking after each run costs nothing. At 10 anyway.
    """
    if len(run_means) >= MOST_RUNS.value:
        return True
    return (
        len(run_means) >= LEAST_RUNS.value and log_interval(run_means, "sequence").half() <= PRECISION.value
    )


@dataclass(frozen=True, slots=True)
class Request:
    """Runs that a search asks for."""

    purpose: Literal["search", "choose", "confirm"]
    users: int
    runs: int


@dataclass(frozen=True, slots=True)
class PeakSearch:
    """Doubling, midpoints around the two best and at the edge of what does as much, then two rounds of runs.

    The first round chooses peak and sweet spot among the candidates, the second confirms what was chosen: its
    runs had no part in the choice, so they do not flatter. No state is kept: the next step follows from
    all that ran so far, so an interrupted search can go on. If time is short, the runs that confirm the best
    level so far come first, and the round that chooses is left out.
    """

    first: int = 1
    largest: int = LARGEST_LOAD.value
    noise: float | None = None
    """Standard deviation of a run's throughput, as a share of it, where `igen noise` has measured it; else it
    comes from two runs of each of the first levels."""
    seed: str = ""
    """Draws the order of the candidates in each round."""

    def next(self, searched: Runs, chosen: Runs, confirmed: Runs, *, left: float = inf) -> list[Request]:
        """Return the next runs, in this order, if there is time for `left` runs; empty when the peak is
        confirmed."""
        if left < 1:
            return []
        found = {users: _mean(runs) if runs else None for users, runs in searched}
        noise = noise_of(searched, self.noise)
        tried: dict[int, float] = {}
        for users in self._wanted(found, noise, tried):
            if users not in found:
                # In little time more loads are worth more than the noise: the best is confirmed in any case.
                unknown = self.noise is None and left == inf and len(found) < NOISE_LEVELS.value
                runs = 2 if unknown else 1
                if chosen or confirmed or (tried and runs + CONFIRM_RUNS.value > left):
                    break
                return [Request("search", users, runs)]
        if not tried:
            return []
        if not (chosen or confirmed):
            candidates, runs = self._candidates(tried, noise), _choosing_runs(noise)
            if len(candidates) * runs + MOST_CONFIRMED.value * CONFIRM_RUNS.value <= left:
                return self._blocks("choose", candidates, runs)
        return self._confirmation(tried, noise, chosen or searched, confirmed, left)

    def _wanted(self, found: dict[int, float | None], noise: float, tried: dict[int, float]) -> Iterator[int]:
        """The levels in the order in which they are tried; those that gave a figure are put into `tried`."""
        seen, failed = max(SEEN_SD.value * noise, LEAST_GAIN.value), set[int]()

        def took(users: int) -> float | None:
            value = found.get(users)
            if value is None:
                failed.add(users)
            else:
                tried[users] = value
            return value

        users, climb, far = self.first, list[float](), False
        while True:
            yield users
            value = took(users)
            if value is None:
                break
            climb.append(value)
            if _levels_off(climb, seen):
                probe = min(FAR.value * users, self.largest)
                if far or probe == users:
                    break
                far = True
                yield probe
                value = took(probe)
                if value is None or value <= max(climb) * (1 + seen):
                    break
                users, climb = probe, [value]
            following = min(2 * users, self.largest)
            if following == users:
                break
            users = following
        for _ in range(MIDPOINT_ROUNDS.value if tried else 0):
            for users in _midpoints(tried, failed):
                yield users
                took(users)
        for _ in range(EDGE_ROUNDS.value if tried else 0):
            for users in _edge(tried):
                yield users
                took(users)

    def _candidates(self, tried: dict[int, float], noise: float) -> list[int]:
        """The best levels, and those around the lowest load that does the same, in ascending order."""
        top = max(tried.values())
        near = [
            users
            for users in tried
            if tried[users] >= top * (1 - max(CANDIDATE_SD.value * noise, LEAST_GAIN.value))
        ]
        best = sorted(near, key=lambda users: -tried[users])[: BEST_CANDIDATES.value]
        levels = sorted(tried)
        edge = next(at for at, users in enumerate(levels) if tried[users] >= NOT_INFERIOR.value * top)
        around = [
            users
            for users in levels[max(edge - 1, 0) : edge + 2]
            if tried[users] >= top * (NOT_INFERIOR.value - SEEN_SD.value * noise)
        ]
        return sorted({*best, *around})

    def _confirmation(
        self, tried: dict[int, float], noise: float, chosen: Runs, confirmed: Runs, left: float
    ) -> list[Request]:
        """Fresh runs of the chosen peak and sweet spot; of the next best where the peak's failed, and of the
        next lower level where all have: a rate at the edge of what is served is held in some runs."""
        runs = {users: of for users, of in chosen if of}
        failed = {users for users, of in confirmed if not of}
        remaining = [users for users in runs if users not in failed]
        if not remaining:
            lower = [users for users in tried if users < min(users for users, _ in chosen)]
            return self._blocks("choose", [max(lower)], _choosing_runs(noise)) if lower else []
        peak = max(remaining, key=lambda users: _mean(runs[users]))
        wanted = {peak, _lowest_alike(runs, peak)} - {users for users, _ in confirmed}
        runs_of_each = min(CONFIRM_RUNS.value, max(left // max(len(wanted), 1), 1))
        return self._blocks("confirm", sorted(wanted), int(runs_of_each))

    def _blocks(self, purpose: Literal["choose", "confirm"], levels: list[int], blocks: int) -> list[Request]:
        """All levels once, and again in the order reversed: a drift of the machine touches all alike."""
        seed = f"{self.seed} {purpose}"
        return [
            Request(purpose, levels[place], 1)
            for block in range(blocks)
            for place in turns(len(levels), block, seed)
        ]


def _mean(runs: Sequence[RunFigure]) -> float:
    return float(np.mean([run.value for run in runs]))


def noise_of(searched: Runs, known: float | None) -> float:
    """The standard deviation of a run: what is known, or that of the runs of a level about their mean."""
    if known is not None:
        return known
    logs = [np.log([run.value for run in runs]) for _, runs in searched if len(runs) > 1]
    parts = [(float(np.var(of_level, ddof=1)), len(of_level) - 1) for of_level in logs]
    freedom = sum(each for _, each in parts)
    return sqrt(sum(variance * each for variance, each in parts) / freedom) if freedom else 0.0


def _choosing_runs(noise: float) -> int:
    """As many as show in 4 of 5 searches that a level which does the peak's work does at least 97 % of it."""
    runs = repeats_for(-log(NOT_INFERIOR.value), sqrt(2) * noise, "pairs")
    return min(max(runs or MOST_RUNS.value, LEAST_CHOOSING.value), MOST_RUNS.value)


def _lowest_alike(runs: dict[int, Sequence[RunFigure]], peak: int) -> int:
    """The lowest load that is shown to do the peak's work, as `points.sweet_spot_of` finds it."""
    lowest = peak
    for users in sorted((users for users in runs if users < peak), reverse=True):
        pairs = paired(*(dict(enumerate(runs[each])) for each in (users, peak)))
        ratio = paired_ratio(pairs)
        if ratio.against(least=NOT_INFERIOR.value) != "within":
            break
        lowest = users
    return lowest


def _levels_off(throughputs: Sequence[float], seen: float) -> bool:
    """Whether the last two doublings gained little."""
    little = [after <= before * (1 + seen) for before, after in [*pairwise(throughputs)][-2:]]
    return len(little) == 2 and all(little)


def _midpoints(tried: dict[int, float], failed: set[int]) -> list[int]:
    """Geometric means of the best levels and their neighbours, also one that failed, where they are new."""
    levels = sorted({*tried, *failed})
    best = sorted(tried, key=lambda users: -tried[users])[: REFINED.value]
    places = [levels.index(users) for users in best]
    return [*dict.fromkeys(new for at in places for new in _between(levels[max(at - 1, 0) : at + 2]))]


def _edge(tried: dict[int, float]) -> list[int]:
    """Between the lowest level that does nearly the most and the highest that does less."""
    levels, top = sorted(tried), max(tried.values())
    lowest = next(at for at, users in enumerate(levels) if tried[users] >= NOT_INFERIOR.value * top)
    return _between(levels[max(lowest - 1, 0) : lowest + 1])


def _between(levels: Sequence[int]) -> list[int]:
    return [middle for low, high in pairwise(levels) if low < (middle := round(sqrt(low * high))) < high]
