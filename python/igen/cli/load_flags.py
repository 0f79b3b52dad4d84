"""From the values of the load options to the study that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from igen.errors import InputError
from igen.first_use import ready
from igen.loads import path_of, several

if TYPE_CHECKING:
    from igen.fleet.plan import FleetPlan
    from igen.study.study import Study

_YIELDING = ("users", "rate", "think_time", "pace", "arrivals", "repeats")
"""Defaults in a file that say something of load and plan."""
_CHOOSING = ("rate", "pace", "find_peak", "torture")
"""Options that choose another load model or another plan, for which not all of these defaults have a use."""
_OF_ONE_LOAD = {
    "users": "load.closed.users",
    "rate": "load.open.rate_per_s",
    "think_time": "load.closed.think_time_s",
    "pace": "load.paced.rate_per_user_per_s",
    "arrivals": "load.open.arrivals",
    "params": "params.…",
}
"""Flags for a field that each of several loads sets separately."""


def without_yielding(flags: dict[str, Any]) -> dict[str, Any]:
    """Return the flags without a file's defaults if the command line has chosen another kind of run."""
    context = click.get_current_context()
    source = {name: context.get_parameter_source(name) for name in flags}
    if not any(source.get(name) == click.core.ParameterSource.COMMANDLINE for name in _CHOOSING):
        return flags
    empty: dict[str, list[int]] = {"users": [], "rate": []}
    from_file = click.core.ParameterSource.DEFAULT_MAP
    return {
        name: empty.get(name) if name in _YIELDING and source[name] == from_file else value
        for name, value in flags.items()
    }


def study_of_workload(workload: str, flags: Mapping[str, Any]) -> Study:
    """Return the study of one workload under the load that the flags mean.

    Raises `InputError` if they contradict each other.
    """
    from igen.study.study import Study

    job: dict[str, Any] = {"workload": workload, "targets": [], "params": {}}
    return with_load(Study(name=workload, job=job), flags)


def with_load(study: Study, flags: Mapping[str, Any]) -> Study:
    """Return the study with the flags laid over its load; a flag that was not given changes nothing.

    A flag that means another load model than the study's replaces the whole load. Raises `InputError` if
    the flags contradict each other, or do not say which of several loads they mean.
    """
    import copy

    import msgspec

    from igen.study.levels import merged, set_path

    job, axes = copy.deepcopy(study.job), dict(study.axes)
    if several(job):
        _check_one_load(flags)
    else:
        _set_load(job, axes, flags, _model_of(study))
    for path, value in _fields(flags):
        set_path(job, path, value)
    if flags.get("threads") == "auto":
        job.get("placement", {}).pop("task", None)
    if params := _params(flags):
        job["params"] = merged(job.get("params", {}), params)
    return msgspec.structs.replace(
        study,
        job=job,
        axes=axes,
        response_time_limit=flags.get("response_time_limit") or study.response_time_limit,
        fail_if=[*study.fail_if, *(flags.get("fail_if") or [])],
        fleet=_fleet(study.fleet, flags),
    )


def _set_load(job: dict[str, Any], axes: dict[str, list[Any]], flags: Mapping[str, Any], before: str) -> None:
    """Set the load of a job and the axes along which it varies; `before` is the load model of the study."""
    from igen.cli.flags import load_path
    from igen.study.levels import set_path

    model = "open" if flags.get("rate") else "paced" if flags.get("pace") is not None else before
    if model != before:
        job.pop("load", None)
        for path in [path for path in axes if path.startswith("load.")]:
            del axes[path]
    load = job.setdefault("load", {}).setdefault(model, {})
    for name in ("think_time", "pace", "arrivals"):
        if flags.get(name) is not None:
            set_path(job, load_path(_option(name), model), flags[name])
    for name in ("rate", "users"):
        if flags.get(name):
            axes[load_path(_option(name), model)] = list(flags[name])
    users = load_path("--users", model)
    if model != "open" and users not in axes and "users" not in load:
        axes[users] = [1]


def _model_of(study: Study) -> str:
    """Return the load model of a study, which its job or its axes name; closed if neither does."""
    named = [*study.job.get("load", {}), *(path.split(".")[1] for path in study.axes if path[:5] == "load.")]
    return str(named[0]) if named else "closed"


def _check_one_load(flags: Mapping[str, Any]) -> None:
    for name, path in _OF_ONE_LOAD.items():
        if flags.get(name):
            raise InputError(
                "does not name the load that is meant",
                where=_option(name),
                hint=f"write {path_of('NAME', path)} in the study",
            )


def _fields(flags: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return path and value of each field of the job that was given."""
    warmup = flags.get("warmup")
    fields = [
        ("targets", list(flags.get("targets") or []) or None),
        ("phases.measure_s", flags.get("duration")),
        ("phases.warmup_s", None if warmup == "auto" else warmup),
        ("load_seed", flags.get("seed")),
        ("placement.task.threads", None if flags.get("threads") == "auto" else flags.get("threads")),
        ("placement.thread.pin", flags.get("pin") or None),
        ("placement.precise", flags.get("precise")),
        ("force", flags.get("force") or None),
        ("i_own_this_data", flags.get("i_own_this_data") or None),
    ]
    return [(path, value) for path, value in fields if value is not None]


def _params(flags: Mapping[str, Any]) -> dict[str, Any]:
    return {**(flags.get("params") or {}), **({"verify": True} if flags.get("verify") else {})}


def _option(name: str) -> str:
    return "--set" if name == "params" else f"--{name.replace('_', '-')}"


def _fleet(before: FleetPlan, flags: Mapping[str, Any]) -> FleetPlan:
    """Return the load machines, with those fields replaced that were given."""
    import msgspec

    from igen.fleet.plan import FleetPlan
    from igen.study.validation import of_validation

    said = {
        "agents": flags.get("agents"),
        "address": flags.get("fleet"),
        "on_loss": flags.get("on_loss"),
        "insecure": flags.get("insecure") or None,
    }
    given = {name: value for name, value in said.items() if value is not None}
    try:
        return msgspec.convert({**msgspec.to_builtins(before), **given}, ready(FleetPlan))
    except msgspec.ValidationError as error:
        raise of_validation(str(error)) from error
