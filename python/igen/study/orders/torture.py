"""A run of many hours, cut into segments: what is next, and which targets are still trusted."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence

from igen.aspects.targets.measure import users_of_target
from igen.aspects.torture.segments import Segment, next_segment, torture_of
from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent
from igen.study.levels import PlannedLevel, checked_level, expand
from igen.study.order import Execution, Heard, Reached
from igen.study.study import Study

_MOST_FAILURES = 3
"""Segments in a row in which nothing was measured."""
_GIVEN_UP = ("data errors", "failed")
"""States of a target that is not loaded any more. A job reports why itself."""
_NEGLIGIBLE = 0.05
"""A rest of the time that is shorter than this part of a segment is left out."""


def torture_level(study: Study, agent: Agent) -> PlannedLevel:
    """The one load at which all segments go. Raises `InputError` where there are several."""
    levels = expand(study, agent)
    if len(levels) > 1:
        raise InputError("a torture run needs one load", where="plan.torture", hint="use one number of users")
    return levels[0]


class TortureOrder:
    """One segment after the other, on the targets that still keep what is written."""

    def __init__(self, total_s: float, first: PlannedLevel, agent: Agent, done: Sequence[Segment]) -> None:
        """It goes on for `total_s` under load, at the `first` level as long as no target is given up."""
        self._total_s = total_s
        self._first = first
        self._agent = agent
        self._segments = list(done)
        self._told = len(torture_of(done).incidents)

    def executions(self) -> Iterator[Execution]:
        """Until the time is over, or no target is left."""
        while True:
            self._give_up_if_nothing_goes()
            done_s = self._segments[-1].end_s if self._segments else 0.0
            left_s = self._total_s - done_s
            planned_s: float = self._first.job["phases"]["measure_s"]
            level = self._level()
            if left_s < _NEGLIGIBLE * planned_s or level is None:
                return
            job = level.job
            if left_s < planned_s:
                job = job | {"phases": job["phases"] | {"measure_s": left_s}}
            if done_s > 0 and job.get("params", {}).get("precondition"):
                # What earlier segments have written must still be there at the end.
                job = job | {"params": job["params"] | {"precondition": False}}
            level = PlannedLevel(number=level.number, values=level.values, job=job)
            yield Execution(level=level, repeat=len(self._segments), purpose="torture")

    def hear(self, execution: Execution, reached: Reached) -> Heard:
        """Take in what a segment recorded. No level is finished before the run is."""
        self._segments.append(next_segment(reached.recording, self._segments))
        incidents = torture_of(self._segments).incidents
        new, self._told = incidents[self._told :], len(incidents)
        return Heard(incidents=[each.text for each in new if each.kind not in _GIVEN_UP])

    def _level(self) -> PlannedLevel | None:
        """The first level without the targets that were given up; each of the others keeps its users."""
        targets: list[str] = self._first.job["targets"]
        states = {each.target: each.state for each in torture_of(self._segments).targets}
        left = [
            (index, target) for index, target in enumerate(targets) if states.get(target) not in _GIVEN_UP
        ]
        if len(left) == len(targets):
            return self._first
        if not left:
            return None
        job = copy.deepcopy(self._first.job) | {"targets": [target for _, target in left]}
        (model,) = job["load"]
        users = job["load"][model].get("users")
        if users is not None:
            each = [users_of_target(users, len(targets), index) for index, _ in left]
            job["load"][model]["users"] = sum(each)
        number = len(targets) - len(left)
        checked = checked_level(job, number, self._first.values, self._agent)
        return PlannedLevel(number=number, values=checked.values, job=job)

    def _give_up_if_nothing_goes(self) -> None:
        last = [segment.end_s for segment in self._segments[-_MOST_FAILURES:]]
        before_s = self._segments[-_MOST_FAILURES - 1].end_s if len(self._segments) > _MOST_FAILURES else 0.0
        if len(last) == _MOST_FAILURES and last[-1] == before_s:
            raise IgenError(f"nothing was measured in {_MOST_FAILURES} segments in a row")
