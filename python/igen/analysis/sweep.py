"""What to run next: how many repeats a level needs, and where to look for the peak."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from typing import Literal

from igen.analysis.interval import LEAST_RUNS, half_width_of_log

PRECISION = 0.02
"""Half-width of ln X at which a level has enough runs."""
MOST_RUNS = 10

LEAST_GAIN = 0.03
"""Two doublings in a row that gain less end the search upwards."""
MIDPOINT_ROUNDS = 3
MOST_CANDIDATES = 4
CONFIRM_RUNS = 3
CANDIDATE_SD = 2.8
"""Two runs of the same level differ by less than 2.8 = 2 √2 of their standard deviation in 95 % of cases."""

Runs = Sequence[tuple[int, Sequence[float]]]
"""Users and the throughputs of their runs, in the order in which they ran; no throughput where all failed."""


def enough(run_means: Sequence[float]) -> bool:
    """Whether the repeats of a level are precise enough, or too many.

    From 3 runs on, when the half-width of ln X was at most 2 % after each of the last two runs; at 10 anyway.
    """
    if len(run_means) >= MOST_RUNS:
        return True
    halves = [half_width_of_log(run_means[:n]) for n in (len(run_means) - 1, len(run_means))]
    return len(run_means) >= LEAST_RUNS and max(halves) <= PRECISION


@dataclass(frozen=True, slots=True)
class Request:
    """Runs that a search asks for."""

    purpose: Literal["search", "confirm"]
    users: int
    runs: int


@dataclass(frozen=True, slots=True)
class PeakSearch:
    """Doubling, then geometric midpoints around the best, then fresh runs of the candidates.

    It keeps no state: the next step follows from all that ran so far, so an interrupted search can go on.
    At 2 % noise it takes 27 to 29 runs on a curve that peaks at 100 users.
    """

    first: int = 1
    largest: int = 4096
    noise: float = 0.02
    """Standard deviation of a run's throughput, as a share of it: `igen aa` measures it."""

    def next(self, searched: Runs, confirmed: Runs) -> list[Request]:
        """What to run now, in this order; nothing when the peak is confirmed."""
        found = {users: max(runs, default=0.0) for users, runs in searched}
        tried: dict[int, float] = {}
        users = self.first
        while users not in tried and not _levels_off(list(tried.values())):
            if users not in found:
                return [Request("search", users, 1)]
            tried[users] = found[users]
            users = min(2 * users, self.largest)
        for _ in range(MIDPOINT_ROUNDS):
            midpoints = _midpoints(tried)
            missing = [Request("search", users, 1) for users in midpoints if users not in found]
            if missing:
                return missing
            tried |= {users: found[users] for users in midpoints}
        if max(tried.values()) == 0:
            return []
        if not confirmed:
            return _interleaved(self._candidates(tried))
        return _interleaved(_next_best(tried, confirmed))

    def _candidates(self, tried: dict[int, float]) -> list[int]:
        """The best levels, and those that one run each cannot tell from the best, in ascending order."""
        least = max(tried.values()) * (1 - CANDIDATE_SD * self.noise)
        best = sorted((users for users in tried if tried[users] >= least), key=lambda users: -tried[users])
        return sorted(best[:MOST_CANDIDATES])


def _next_best(tried: dict[int, float], confirmed: Runs) -> list[int]:
    """The best level that was not confirmed yet, where of all others a confirmation run failed.

    So it is with a load that is just more than can be served: once it is met, the next time it is not.
    """
    if len(confirmed) >= MOST_CANDIDATES or any(len(runs) == CONFIRM_RUNS for _, runs in confirmed):
        return []
    failed = {users for users, _ in confirmed}
    left = [users for users, throughput in tried.items() if throughput > 0 and users not in failed]
    return [max(left, key=lambda users: tried[users])] if left else []


def _levels_off(throughputs: Sequence[float]) -> bool:
    """Whether the last two doublings gained little."""
    little = [after <= before * (1 + LEAST_GAIN) for before, after in pairwise(throughputs[-3:])]
    return len(little) == 2 and all(little)


def _midpoints(tried: dict[int, float]) -> list[int]:
    """Geometric means of the best level and its neighbours, where they are new."""
    levels = sorted(tried)
    best = levels.index(max(tried, key=lambda users: tried[users]))
    pairs = pairwise(levels[max(best - 1, 0) : best + 2])
    return [middle for low, high in pairs if low < (middle := round(sqrt(low * high))) < high]


def _interleaved(candidates: list[int]) -> list[Request]:
    """A B C, C B A, A B C: a drift of the machine touches all alike."""
    orders = [candidates if round_ % 2 == 0 else candidates[::-1] for round_ in range(CONFIRM_RUNS)]
    return [Request("confirm", users, 1) for order in orders for users in order]
