"""The time that a study takes, from its file alone: no load process or server is asked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from igen.fleet.agent import Agent
from igen.study.sizing import PLANNED_S, is_sized
from igen.study.study import Study
from igen.units import parse_time_s

_MEASURE_S = 10.0
"""Length of a measurement if a job does not set it."""


def time_needed_s(study: Study) -> float:
    """Return about how long all executions of the study take, without preparation and extensions.

    Raises `InputError` if its levels are wrong.
    """
    if study.plan.has_pilot and not is_sized(study):
        return PLANNED_S
    return study.plan.expected_s(study.plan.levels(study, _AnyJob()))


class _AnyJob(Agent):
    """An agent that takes every job as it is, and fills in the phases."""

    def __init__(self) -> None:
        """Need no program."""

    @contextmanager
    def checking_many(self) -> Iterator[None]:
        """Start no process."""
        yield

    def check(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the job with its phases in seconds."""
        given = {name: parse_time_s(str(value)) for name, value in job.get("phases", {}).items()}
        phases = {"ramp_s": 0.0, "warmup_s": 0.0, "measure_s": _MEASURE_S, **given}
        return {"canary_s": 0.0, **job, "phases": phases}
