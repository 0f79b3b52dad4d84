"""The executions that a search for the peak asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from igen.analysis.sweep import PeakSearch
from igen.errors import InputError
from igen.study.order import Execution
from igen.study.plan import USERS_AXIS, Level
from igen.study.study import Study

_LARGEST_USERS = 4096


class PeakPlan:
    """Turns a search's requests into executions; told the throughput of each, it goes on."""

    def __init__(self, study: Study, make_level: Callable[[int, dict[str, int]], Level | None]) -> None:
        """`make_level` gives the level of that number at those values, None where it is refused."""
        self._axis, self._first, self._largest = search_range(study)
        self._make_level = make_level
        self._levels: dict[int, Level | None] = {}
        self._throughputs: dict[str, dict[int, list[float]]] = {"search": {}, "confirm": {}}

    def executions(self) -> Iterator[Execution]:
        """One execution after the other; call `record` before asking for the next."""
        search = PeakSearch(first=self._first, largest=self._largest)
        searched, confirmed = self._throughputs["search"], self._throughputs["confirm"]
        while requests := search.next(list(searched.items()), list(confirmed.items())):
            for request in requests:
                done = self._throughputs[request.purpose].setdefault(request.users, [])
                level = self._level(request.users)
                first = len(done)
                for run in range(request.runs if level else 0):
                    assert level is not None
                    yield Execution(
                        level=level, repeat=first + run, purpose=request.purpose, last=run == request.runs - 1
                    )

    def record(self, execution: Execution, throughput_per_s: float | None) -> None:
        """What an execution reached; None when it failed."""
        if throughput_per_s is not None:
            users = execution.level.values[self._axis]
            self._throughputs[execution.purpose][users].append(throughput_per_s)

    def _level(self, users: int) -> Level | None:
        if users not in self._levels:
            self._levels[users] = self._make_level(len(self._levels), {self._axis: users})
        return self._levels[users]


def search_range(study: Study) -> tuple[str, int, int]:
    """Axis, first and largest number of users of a search: least and most of the study's one axis."""
    axes = study.axes or {USERS_AXIS: [1]}
    if len(axes) > 1:
        raise InputError("a search goes along one axis", where="axes", hint=f"keep `{USERS_AXIS}`")
    ((axis, values),) = axes.items()
    if not axis.startswith("load.") or not axis.endswith(".users"):
        raise InputError("a search varies the number of users", where=axis, hint=f"use `{USERS_AXIS}`")
    if not all(isinstance(value, int) for value in values):
        raise InputError("a search needs whole numbers", where=axis)
    return axis, min(values), max(values) if len(values) > 1 else _LARGEST_USERS
