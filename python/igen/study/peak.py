"""The executions that a search for the peak asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from igen.analysis.sweep import PeakSearch, Request
from igen.study.order import Execution
from igen.study.plan import Level, search_range
from igen.study.study import Study


class PeakOrder:
    """Turns a search's requests into executions."""

    def __init__(self, study: Study, make_level: Callable[[int, dict[str, int]], Level | None]) -> None:
        """`make_level` gives the level of that number at those values, None where it is refused."""
        self._axis, first, largest = search_range(study)
        self._search = PeakSearch(first=first, largest=largest)
        self._make_level = make_level
        self._levels: dict[int, Level | None] = {}
        self._throughputs: dict[str, dict[int, list[float]]] = {"search": {}, "confirm": {}}
        self._started: Counter[tuple[str, int]] = Counter()
        self._still_due: Counter[int] = Counter()

    def executions(self) -> Iterator[Execution]:
        """One execution after the other."""
        searched, confirmed = self._throughputs["search"], self._throughputs["confirm"]
        while requests := self._search.next(list(searched.items()), list(confirmed.items())):
            for request in requests:
                self._still_due[request.users] += request.runs
            for request in requests:
                yield from self._requested(request)

    def record(self, execution: Execution, throughput_per_s: float | None) -> bool:
        """Takes what an execution reached; tells whether no further one of its level is due now."""
        users = execution.level.values[self._axis]
        if throughput_per_s is not None:
            self._throughputs[execution.purpose][users].append(throughput_per_s)
        self._still_due[users] -= 1
        return self._still_due[users] == 0

    @property
    def levels(self) -> int:
        """How many levels it has numbered so far."""
        return len(self._levels)

    def _requested(self, request: Request) -> Iterator[Execution]:
        users = request.users
        self._throughputs[request.purpose].setdefault(users, [])
        if users not in self._levels:
            self._levels[users] = self._make_level(len(self._levels), {self._axis: users})
        level = self._levels[users]
        for _ in range(request.runs if level else 0):
            assert level is not None
            repeat = self._started[request.purpose, users]
            self._started[request.purpose, users] += 1
            yield Execution(level=level, repeat=repeat, purpose=request.purpose)
