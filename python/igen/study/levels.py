"""Levels of a study: each is a job that the agent has checked."""

from __future__ import annotations

import copy
import itertools
import math
from dataclasses import dataclass, replace
from typing import Any, Literal

from igen.ask.tables import merged
from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.judge.record.value import LAST_FIFTH
from igen.loads import load_at
from igen.study.proportions import TOTAL_AXIS, least_total, proportions
from igen.study.serving import with_tiers_of
from igen.study.study import Study, StudySystem, StudyTest
from igen.study.targets import expand_targets

USERS_AXIS = "load.closed.users"
"""Default axis of a search."""
PACED_AXIS = "load.paced.users"
"""Axis of a scaling study."""
SEARCH_AXES = (USERS_AXIS, PACED_AXIS)
"""Axis of the users of an open load, which has no peak: arrivals come at their rate."""
MOST_LEVELS = 10_000
"""Most levels of a study: each is a job that is checked and kept in memory."""
MOST_EXECUTIONS = 100_000
"""Most executions of a study: each is a file, and takes at least a second."""
_LARGEST_USERS = 4096
"""Largest number of users in a search."""

_WARMUP_SHARE, _WARMUP_LEAST_S, _WARMUP_MOST_S = 0.2, 0.25, 30.0
_INTERVALS, INTERVAL_LEAST_S, _INTERVAL_MOST_S = 50, 0.1, 1.0
_CANARY_SHARE, _CANARY_MOST_S = 0.05, 0.2
"""Longest canary before and after each measurement, as a share of its length."""
_OVERHEAD_S = 0.2
"""Rough time for the start, the users' set-up and the end of a job, for estimates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedLevel:
    """A point of the curve, before it is measured."""

    number: int
    """From 0, in ascending order of load."""
    values: dict[str, Any]
    """Value on each axis."""
    job: dict[str, Any]
    """Job with the agent's defaults."""
    system: str = ""
    """Name, if the study has several."""
    purpose: Literal["sweep", "scale"] = "sweep"
    """`scale` for a level on the curve along the number of targets."""
    test: str = ""
    """Name, if the study has several."""

    @property
    def label(self) -> str:
        """Name of the level: `users 4`, `clerks users 4`."""
        words = [f"{_short(path)} {_text(value)}" for path, value in self.values.items()]
        return ", ".join([*filter(None, (self.test, self.system)), *words]) or "one level"

    @property
    def duration_s(self) -> float:
        """Rough time of an execution, without preparation and extensions."""
        phases = self.job["phases"]
        load_s: float = phases["ramp_s"] + phases["warmup_s"] + phases["measure_s"]
        return load_s + 2 * float(self.job["canary_s"]) + _OVERHEAD_S


def expand(study: Study, agent: Agent) -> list[PlannedLevel]:
    """Return the planned levels. Raises `InputError` with the path of the first fault."""
    axes = {path: sorted(values) if _numbers(values) else values for path, values in study.axes.items()}
    for path, values in axes.items():
        if any(value in values[:index] for index, value in enumerate(values)):
            raise InputError(f"a value occurs twice in {values}", where=path)
    count = math.prod(map(len, [*axes.values(), study.systems or [None], study.tests or [None]]))
    if count > MOST_LEVELS:
        text = f"{count:,} levels are too many"
        raise InputError(text, where="axes", hint=f"use at most {MOST_LEVELS:,}; several axes are multiplied")
    repeats = study.plan.repeats
    if isinstance(repeats, int) and count * repeats > MOST_EXECUTIONS:
        text = f"{count:,} levels, each executed {repeats:,} times, are too many executions"
        hint = f"use at most {MOST_EXECUTIONS:,} executions: fewer levels or repeats"
        raise InputError(text, where="plan.repeats", hint=hint)
    points = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    systems: list[StudySystem | None] = [*study.systems] or [None]
    tests: list[StudyTest | None] = [*study.tests] or [None]
    places = itertools.product(tests, systems, points)
    with agent.checking_many():
        return [
            level(study, number, values, agent, system, test)
            for number, (test, system, values) in enumerate(places)
        ]


def level(
    study: Study,
    number: int,
    values: dict[str, Any],
    agent: Agent,
    system: StudySystem | None = None,
    test: StudyTest | None = None,
) -> PlannedLevel:
    """Return the level of a system in a test at `values` of the study's axes."""
    job = copy.deepcopy(study.job)
    for part in (system, test):
        job = merged(job, part.job) if part else job
    for path, value in values.items():
        job = study.plan.with_value(job, path, value)
    if study.value == LAST_FIFTH:
        # The first four fifths are the warm-up, and no measurement may be longer than the others.
        job.setdefault("phases", {}).setdefault("warmup_s", 0)
    try:
        checked = checked_level(with_tiers_of(study.servers, job), number, values, agent)
    except InputError as error:
        if test:
            error.text = f"test `{test.name}`: {error.text}"
        if system:
            error.text = f"system `{system.name}`: {error.text}"
        raise
    return replace(checked, system=system.name if system else "", test=test.name if test else "")


def checked_level(job: dict[str, Any], number: int, values: dict[str, Any], agent: Agent) -> PlannedLevel:
    """Return the level of this job, with its targets expanded."""
    if "targets" in job:
        job = job | {"targets": expand_targets(job["targets"])}
    job = _with_defaults(job, agent.check(job))
    return PlannedLevel(number=number, values=values, job=job)


def search_range(study: Study, usual: str = USERS_AXIS) -> tuple[str, int, int]:
    """Axis, first and largest number of users of a search: least and most of the study's one axis, which is
    the `usual` one where it has none, and that of all users together if it has several loads.

    Raises `InputError` for a range in which there is nothing to search."""
    shares = proportions(study.job)
    if shares:
        usual = TOTAL_AXIS
    axes = study.axes or {usual: [least_total(shares) if shares else 1]}
    if len(axes) > 1:
        raise InputError("a search needs exactly one axis", where="axes", hint=f"keep `{usual}`")
    ((axis, values),) = axes.items()
    if axis not in ([TOTAL_AXIS] if shares else SEARCH_AXES):
        raise InputError("a search varies the number of users", where=axis, hint=f"use `{usual}`")
    if not all(type(value) is int for value in values):
        raise InputError("a search needs whole numbers", where=axis, hint=f"such as {axis} = [1, 64]")
    if shares and min(values) < (least := least_total(shares)):
        text = f"{min(values)} users are too few for a user of each load in these proportions"
        raise InputError(text, where=axis, hint=f"start with {least} or more")
    first, largest = min(values), max(values) if len(values) > 1 else _LARGEST_USERS
    if first > largest:
        text = f"a search from {first:,} to {largest:,} users has nothing to try"
        raise InputError(
            text, where="axes", hint=f"set the largest number too: {axis} = [{first}, {2 * first}]"
        )
    return axis, first, largest


def _with_defaults(asked: dict[str, Any], checked: dict[str, Any]) -> dict[str, Any]:
    """The checked job with the judge's own defaults where the user asked for nothing.

    Warm-up is a fifth of the measurement, 0.25 s to 30 s: the judge cuts what is left of it, and a level
    that is not steady then is extended. Intervals are a fiftieth, 0.1 s to 1 s.
    """
    phases = asked.get("phases", {})
    measure_s: float = checked["phases"]["measure_s"]
    defaults = {
        "warmup_s": _warmup_s(measure_s),
        "interval_s": min(max(measure_s / _INTERVALS, INTERVAL_LEAST_S), _INTERVAL_MOST_S),
        "extendable": "warmup_s" not in phases,
    }
    return {
        **checked,
        "phases": checked["phases"] | {name: value for name, value in defaults.items() if name not in phases},
        "canary_s": checked["canary_s"] if "canary_s" in asked else _canary_s(measure_s),
    }


def length_s(measure_s: float, warmup_s: float | None = None) -> float:
    """Return how long a measurement takes with its canaries and its warm-up, the usual one if None."""
    return measure_s + 2 * _canary_s(measure_s) + (_warmup_s(measure_s) if warmup_s is None else warmup_s)


def measure_within(room_s: float, warmup_s: float | None = None) -> float:
    """Return the longest measurement that takes at most so long with its canaries and its warm-up."""
    canaries = 1 + 2 * _CANARY_SHARE
    if warmup_s is not None:
        return (room_s - warmup_s) / canaries
    return min(room_s / (canaries + _WARMUP_SHARE), (room_s - _WARMUP_LEAST_S) / canaries)


def _warmup_s(measure_s: float) -> float:
    return min(max(_WARMUP_SHARE * measure_s, _WARMUP_LEAST_S), _WARMUP_MOST_S)


def _canary_s(measure_s: float) -> float:
    return min(_CANARY_SHARE * measure_s, _CANARY_MOST_S)


def _short(path: str) -> str:
    """Return the last name of a path, after the name of its load."""
    load, below = load_at(path)
    last = below.rpartition(".")[2]
    return f"{load} {last}" if load else last


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _numbers(values: list[Any]) -> bool:
    return all(isinstance(value, int | float) for value in values)
