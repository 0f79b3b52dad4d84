"""The `igen ab` that measures two recorded systems again, side by side."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from igen.ask.command import ab_command
from igen.judge.compare.differences import params_of
from igen.judge.record.settings import settings_of, value_text
from igen.judge.result import Result, System
from igen.loads import SEVERAL
from igen.report.reproduce import asked_of

OF_JOB = ("load.", "placement.")
"""Fields of a job that a side of `igen ab` may set, apart from its targets and parameters."""


def side_by_sides(result: Result) -> list[str]:
    """Return the command for each pair whose runs differ, but were not measured side by side."""
    systems = {system.name: system for system in result.systems}
    pairs = {
        (each.base, each.system) for each in [*result.ratios, *result.overall] if each.differs_in_session
    }
    commands = (side_by_side(systems[base], systems[system]) for base, system in sorted(pairs))
    return [command for command in commands if command]


def side_by_side(base: System, system: System) -> str | None:
    """Return the command; None if no settings of one workload tell the systems apart."""
    is_one = base.workload == system.workload and base.load_model == system.load_model
    if not is_one or base.scaling or SEVERAL in (base.load_model, system.load_model) or not base.levels:
        return None
    if len(base.targets) > 1 or len(system.targets) > 1:
        return None
    a, b = _settings(base, system), _settings(system, base)
    unlike = [name for name in a | b if a.get(name) != b.get(name)]
    if not any(name in b for name in unlike):
        return None
    shared = {name: value for name, value in base.params.items() if system.params.get(name) == value}
    targets = None if "target" in unlike else base.targets
    asked = replace(asked_of(base), params=shared, targets=targets, seed=None)
    return ab_command(base.workload, asked, _side(a, unlike), _side(b, unlike))


def _settings(system: System, other: System) -> dict[str, Any]:
    """Return what a side of `igen ab` can set; a parameter that only the other side sets has its default."""
    of_job = {path: value for path, value in settings_of(system.job).items() if path.startswith(OF_JOB)}
    target = {"target": system.targets[0]} if system.targets else {}
    return {**target, **params_of(system, other), **of_job}


def _side(settings: dict[str, Any], unlike: Sequence[str]) -> str:
    return shlex.join(f"{name}={value_text(settings[name])}" for name in unlike if name in settings)
