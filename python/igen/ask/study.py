"""Answers as a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from igen.ask.asked import QUESTIONS, Asked
from igen.ask.load import laid_over
from igen.errors import InputError

if TYPE_CHECKING:
    from igen.fleet.plan import FleetPlan
    from igen.study.plans import AnyPlan
    from igen.study.study import Study

_EXCLUDED = {"find_peak": ("torture", "repeats", "rate"), "torture": ("repeats",)}
"""Questions that do not go with a question that chooses another plan than the sweep."""
_HINT = (
    "a run is a sweep (--repeats), a search for the peak (--find-peak: it repeats what it must)"
    " or a torture (--torture: of storage, in segments)"
)
ONE_USER: dict[str, list[Any]] = {"load.closed.users": [1]}
_TORTURED = "io"
"""The workload that can verify what it wrote."""


def study_of_asked(workload: str, asked: Asked) -> Study:
    """Return the study of one workload. Raises `InputError` if the answers contradict each other."""
    import msgspec

    from igen.study.study import Study

    plan = _plan(workload, asked)
    job: dict[str, Any] = {"workload": workload, "targets": [], "params": {}, "load": {"closed": {}}}
    study = with_asked(Study(name=workload, job=job, system=asked.name or "", plan=plan), asked)
    return msgspec.structs.replace(study, job=plan.job(study.job), axes=study.axes or ONE_USER)


def with_asked(study: Study, asked: Asked) -> Study:
    """Return the study with the answers laid over its load; an open question changes nothing.

    Raises `InputError` as `laid_over` does.
    """
    import msgspec

    job, axes = laid_over(study.job, study.axes, asked)
    return msgspec.structs.replace(
        study,
        job=job,
        axes=axes,
        response_time_limit=asked.response_time_limit or study.response_time_limit,
        fail_if=[*study.fail_if, *(asked.fail_if or [])],
        fleet=_fleet(study.fleet, asked),
    )


def _plan(workload: str, asked: Asked) -> AnyPlan:
    from igen.study.plan import DEFAULT_REPEATS
    from igen.study.plans import FillPlan, PeakPlan, SweepPlan, TorturePlan

    if asked.torture is not None and workload != _TORTURED:
        raise InputError("is for storage", where="--torture", hint=f"use the workload {_TORTURED}")
    given = {name for name, _, _ in asked.given()}
    for mode, others in _EXCLUDED.items():
        for other in others:
            if mode in given and other in given:
                text = f"does not go with {QUESTIONS[mode].option}"
                raise InputError(text, where=QUESTIONS[other].option, hint=_HINT)
    if asked.find_peak:
        return PeakPlan()
    if asked.torture is not None:
        return TorturePlan(asked.torture)
    sweeps = FillPlan if asked.fill else SweepPlan
    return sweeps(DEFAULT_REPEATS if asked.repeats is None else asked.repeats)  # type: ignore[arg-type]


def _fleet(before: FleetPlan, asked: Asked) -> FleetPlan:
    """Return the load machines, with the fields replaced that were given."""
    import msgspec

    from igen.first_use import ready
    from igen.fleet.plan import FleetPlan
    from igen.study.validation import of_validation

    said = {
        "agents": asked.agents,
        "address": asked.fleet,
        "on_loss": asked.on_loss,
        "insecure": asked.insecure or None,
    }
    given = {name: value for name, value in said.items() if value is not None}
    try:
        return msgspec.convert({**msgspec.to_builtins(before), **given}, ready(FleetPlan))
    except msgspec.ValidationError as error:
        raise of_validation(str(error)) from error
