"""The executions that a search for the peak asks for."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from math import inf

from igen.judge.curve.sweep import PeakSearch, Request
from igen.judge.figure.pairs import RunFigure
from igen.study.levels import PlannedLevel
from igen.study.order import Execution, Heard, Reached

MOST_TRIES = 3
"""Executions in place of one that is INVALID, itself counted: after these its level is given up."""


class Allowance:
    """Time for a search, and the number of executions that fit into the rest of it."""

    def __init__(
        self, within_s: float = inf, run_s: float = 1.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        """`run_s` is the time that an execution is planned to take: the least that it is taken to need."""
        self._within_s = within_s
        self._run_s = run_s
        self._now = now
        self._began_s: float | None = None
        self._executions = 0

    @property
    def left(self) -> float:
        """The executions for which there is time, if they take as long as those so far; it begins with the
        first question."""
        now_s = self._now()
        self._began_s = now_s if self._began_s is None else self._began_s
        elapsed_s = now_s - self._began_s
        return (self._within_s - elapsed_s) / max(self._run_s, elapsed_s / max(self._executions, 1))

    def count(self) -> None:
        """Take in that one more was executed."""
        self._executions += 1


class PeakOrder:
    """Turns a search's requests into executions."""

    def __init__(
        self,
        axis: str,
        first: int,
        largest: int,
        make_level: Callable[[int, dict[str, int]], PlannedLevel | None],
        noise: float | None = None,
        *,
        seed: str,
        allowance: Allowance | None = None,
    ) -> None:
        """It goes along `axis` from the `first` to the `largest` number of users.

        `make_level` gives the level of that number at those values, None where it is refused; `noise` is that
        of a run, where `igen noise` has measured it; `seed` draws the order of the candidates; without an
        `allowance` it takes as long as it needs.
        """
        self._axis = axis
        self._search = PeakSearch(first=first, largest=largest, noise=noise, seed=seed)
        self._make_level = make_level
        self._allowance = allowance or Allowance()
        self._levels: dict[int, PlannedLevel | None] = {}
        self._throughputs: dict[str, dict[int, list[RunFigure]]] = {"search": {}, "choose": {}, "confirm": {}}
        self._started: Counter[tuple[str, int]] = Counter()
        self._given_up: set[tuple[str, int]] = set()
        self._still_due: Counter[int] = Counter()

    def executions(self) -> Iterator[Execution]:
        """One execution after the other."""
        found = self._throughputs.values()
        while requests := self._search.next(*(list(of.items()) for of in found), left=self._allowance.left):
            for request in requests:
                self._still_due[request.users] += request.runs
            for request in requests:
                yield from self._requested(request)

    def hear(self, execution: Execution, reached: Reached) -> Heard:
        """Take in what an execution reached; its level is finished if no further execution is due."""
        users = execution.level.values[self._axis]
        if reached.spoils_level:
            # Whatever others of the level come to, it is INVALID: none is chosen or confirmed.
            for purpose in ("choose", "confirm"):
                self._give_up((purpose, users))
            if execution.purpose != "search":
                self._still_due[users] = 0
        elif reached.throughput_per_s is not None:
            figure = RunFigure(reached.throughput_per_s, execution.order)
            self._throughputs[execution.purpose][users].append(figure)
            self._still_due[users] -= 1
        return Heard(done=[execution.level.number] if self._still_due[users] <= 0 else [])

    @property
    def levels(self) -> int:
        """How many levels it has numbered so far."""
        return len(self._levels)

    def _requested(self, request: Request) -> Iterator[Execution]:
        """The executions of a request, each INVALID one again; of a level that is given up no more, and what
        was measured of it counts as nothing."""
        users, place = request.users, (request.purpose, request.users)
        runs = self._throughputs[request.purpose].setdefault(users, [])
        if users not in self._levels:
            self._levels[users] = self._make_level(len(self._levels), {self._axis: users})
        level = self._levels[users]
        for _ in range(request.runs):
            before, tries = len(runs), 0
            while level and place not in self._given_up and len(runs) == before:
                if self._allowance.left < 1:
                    return
                tries += 1
                repeat = self._started[place]
                self._started[place] += 1
                self._allowance.count()
                yield Execution(level=level, repeat=repeat, purpose=request.purpose)
                if len(runs) == before and tries == MOST_TRIES:
                    self._give_up(place)
                    self._still_due[users] = 0

    def _give_up(self, place: tuple[str, int]) -> None:
        purpose, users = place
        self._given_up.add(place)
        self._throughputs[purpose].get(users, []).clear()
