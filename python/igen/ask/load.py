"""Answers laid over a job and the axes along which it varies."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from igen.ask.asked import QUESTIONS, Asked, load_path
from igen.errors import InputError
from igen.loads import path_of, several

_OF_THE_LOAD = ("users", "rate", "think_time", "pace", "arrivals")
"""Questions about the load of a job."""
_LEVELS = ("rate", "users")
"""Answers with a value for each level: an axis."""
AUTO = "auto"

Axes = dict[str, list[Any]]
Job = dict[str, Any]


def laid_over(job: Mapping[str, Any], axes: Mapping[str, list[Any]], asked: Asked) -> tuple[Job, Axes]:
    """Return job and axes with the answers; an open question changes nothing.

    Answers for another load model than the job's replace the whole load. Raises `InputError` if the answers
    contradict each other, or do not say which of several loads they mean.
    """
    from igen.ask.tables import merged, set_path

    made, varied = copy.deepcopy(dict(job)), dict(axes)
    given = {name: value for name, _, value in asked.given()}
    if several(made):
        _check_one_load(given)
    elif not given.keys().isdisjoint(_OF_THE_LOAD):
        _set_load(made, varied, given)
    for name, value in given.items():
        paths = QUESTIONS[name].at
        if paths and not paths[0].startswith("load.") and value != AUTO:
            set_path(made, paths[0], value)
    if given.get("threads") == AUTO:
        made.get("placement", {}).pop("task", None)
    params = {**given.get("params", {}), **({"verify": True} if given.get("verify") else {})}
    if params:
        made["params"] = merged(made.get("params", {}), params)
    return made, varied


def _set_load(job: Job, axes: Axes, given: Mapping[str, Any]) -> None:
    from igen.ask.tables import set_path

    before = _model_of(job, axes)
    model = "open" if "rate" in given else "paced" if "pace" in given else before
    if model != before:
        job.pop("load", None)
        for path in [path for path in axes if path.startswith("load.")]:
            del axes[path]
    load = job.setdefault("load", {}).setdefault(model, {})
    for name in ("think_time", "pace", "arrivals"):
        if name in given:
            set_path(job, load_path(name, model), given[name])
    for name in _LEVELS:
        if name in given:
            axes[load_path(name, model)] = list(given[name])
    users = load_path("users", model)
    if model != "open" and users not in axes and "users" not in load:
        axes[users] = [1]


def _model_of(job: Job, axes: Axes) -> str:
    """Return the load model that a job or its axes name; closed if neither does."""
    named = [*job.get("load", {}), *(path.split(".")[1] for path in axes if path[:5] == "load.")]
    return str(named[0]) if named else "closed"


def _check_one_load(given: Mapping[str, Any]) -> None:
    for name in (*_OF_THE_LOAD, "params"):
        if name in given:
            path = next(iter(QUESTIONS[name].at), "params.…")
            raise InputError(
                "does not name the load that is meant",
                where=QUESTIONS[name].option,
                hint=f"write {path_of('NAME', path)} in the study",
            )
