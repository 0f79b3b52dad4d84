"""The command that repeats a run, put together from the result document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from igen.ask.asked import Asked
from igen.ask.command import command_of
from igen.aspects.aspects import ASPECTS
from igen.judge.record.settings import settings_of
from igen.judge.result import System
from igen.loads import PERSONAS, SEVERAL

BEYOND_FLAGS = ("placement.scheduling", "placement.task.pin", "monitors")
"""Settings that only a study's `[job]` can hold."""


def command(system: System) -> str:
    """Return `igen run …` with the same workload, targets, load, phases, repeats, seed and parameters.

    Settings without an option stand in comments below it. Only for a system with levels: without one, its job
    is the job that a user wrote. A curve along the number of targets, and several loads at once, need
    a study.
    """
    if system.scaling:
        return 'igen study run FILE  # with plan = { mode = "scaling" }'
    if system.load_model == SEVERAL:
        return f"igen study run FILE  # with [job.{PERSONAS}]"
    lines = [command_of(system.workload, asked_of(system))]
    lines += [f"# only in a study's [job]: {setting}" for setting in _beyond_flags(system)]
    return "\n".join(lines)


def asked_of(system: System) -> Asked:
    """Return the answers that lead to a recorded system."""
    return replace(
        _job_answers(system.job),
        targets=system.targets,
        params=system.params,
        name=system.name,
        **_load_answers(system),
    )


def _load_answers(system: System) -> dict[str, Any]:
    loads: list[dict[str, Any]] = [dict(next(iter(level.load.values()), {})) for level in system.levels]
    first = loads[0]
    found: dict[str, Any] = {}
    if "rate_per_s" in first:
        rates = [load["rate_per_s"] for load in loads]
        found |= {"rate": rates, "arrivals": str(first.get("arrivals", "constant"))}
    users = [level.users for level in system.levels if level.users is not None]
    purposes = {repeat.purpose for level in system.levels for repeat in level.repeats}
    search = not purposes.isdisjoint({"search", "confirm"})
    if users:
        found["users"] = [min(users), max(users)] if search else users
    found["think_time"] = first.get("think_time_s") or None
    found["pace"] = first.get("rate_per_user_per_s")
    if search:
        return {**found, "find_peak": True}
    if of_aspects := {name: value for aspect in ASPECTS for name, value in aspect.answers(system).items()}:
        return found | of_aspects
    # Fresh runs that took the place of disturbed ones are made again if they are needed.
    counted = max(sum(run.used for run in level.repeats) for level in system.levels)
    return {**found, "repeats": max(counted, 1)}


def _job_answers(job: dict[str, Any]) -> Asked:
    phases = job.get("phases") or {}
    placement = job.get("placement") or {}
    # An extendable measurement is a measurement with `--warmup auto`: its warm-up follows from the duration.
    warmup = None if phases.get("extendable") else phases.get("warmup_s")
    return Asked(
        duration=phases.get("measure_s"),
        warmup=warmup,
        seed=job.get("load_seed", job.get("seed")),
        threads=(placement.get("task") or {}).get("threads") or None,
        pin=(placement.get("thread") or {}).get("pin"),
        precise=placement.get("precise"),
        force=job.get("force"),
    )


def _beyond_flags(system: System) -> Iterator[str]:
    for path, value in settings_of(system.job).items():
        if path.startswith(BEYOND_FLAGS) or (path == "phases.ramp_s" and value):
            yield f"{path} = {json.dumps(value)}"
