"""The command that repeats a run, put together from the result document."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from igen.aspects.aspects import ASPECTS
from igen.judge.record.settings import flat, settings_of
from igen.judge.result import System
from igen.loads import PERSONAS, SEVERAL
from igen.units import plain_decimal

BEYOND_FLAGS = ("placement.scheduling", "placement.task.pin", "monitors")
"""Settings that only a study's `[job]` can hold."""


def command(system: System) -> str:
    """`igen run …` with the same workload, targets, load, phases, repeats, seed and parameters.

    Settings that have no flag stand in comments below it. Only of a system with levels: without one, its job
    is what a user wrote. A curve along the number of targets, and several loads at once, come of a study
    alone.
    """
    if system.scaling:
        return 'igen study run FILE  # with plan = { mode = "scaling" }'
    if system.load_model == SEVERAL:
        return f"igen study run FILE  # with [job.{PERSONAS}]"
    words = ["igen", "run", system.workload]
    for target in system.targets:
        words += ["--target", target]
    words += _load_options(system)
    words += _job_options(system.job)
    for name, value in flat(system.params):
        words += ["--set", f"{name}={_setting(value)}"]
    lines = [shlex.join([*words, "--name", system.name])]
    lines += [f"# only in a study's [job]: {setting}" for setting in _beyond_flags(system)]
    return "\n".join(lines)


def _load_options(system: System) -> list[str]:
    loads: list[dict[str, Any]] = [dict(next(iter(level.load.values()), {})) for level in system.levels]
    first = loads[0]
    options = []
    if "rate_per_s" in first:
        options += ["--rate", _listed([load["rate_per_s"] for load in loads])]
        options += ["--arrivals", str(first.get("arrivals", "constant"))]
    users = [level.users for level in system.levels if level.users is not None]
    purposes = {repeat.purpose for level in system.levels for repeat in level.repeats}
    search = not purposes.isdisjoint({"search", "confirm"})
    if users:
        options += ["--users", _listed([min(users), max(users)] if search else users)]
    if first.get("think_time_s"):
        options += ["--think-time", _think_time(first["think_time_s"])]
    if "rate_per_user_per_s" in first:
        options += ["--pace", f"{plain_decimal(first['rate_per_user_per_s'])}/s"]
    if search:
        return [*options, "--find-peak"]
    if of_aspects := [option for aspect in ASPECTS for option in aspect.options(system)]:
        return [*options, *of_aspects]
    # Fresh runs that took the place of disturbed ones are made again if they are needed.
    counted = max(sum(run.used for run in level.repeats) for level in system.levels)
    return [*options, "--repeats", str(max(counted, 1))]


def _think_time(think_time_s: float | dict[str, Any]) -> str:
    if not isinstance(think_time_s, dict):
        return f"{plain_decimal(think_time_s)}s"
    ((kind, times),) = think_time_s.items()
    listed = times if isinstance(times, list) else [times]
    return f"{kind}:{','.join(f'{plain_decimal(time)}s' for time in listed)}"


def _job_options(job: dict[str, Any]) -> list[str]:
    phases = job.get("phases") or {}
    options = []
    if "measure_s" in phases:
        options += ["--duration", f"{plain_decimal(phases['measure_s'])}s"]
    # An extendable measurement is that of `--warmup auto`: its warm-up follows from the duration.
    if "warmup_s" in phases and not phases.get("extendable"):
        options += ["--warmup", f"{plain_decimal(phases['warmup_s'])}s"]
    seed = job.get("load_seed", job.get("seed"))
    if seed is not None:
        options += ["--seed", str(seed)]
    placement = job.get("placement") or {}
    if threads := (placement.get("task") or {}).get("threads"):
        options += ["--threads", str(threads)]
    if (placement.get("thread") or {}).get("pin"):
        options.append("--pin")
    if (precise := placement.get("precise")) is not None:
        options.append("--precise" if precise else "--no-precise")
    return [*options, "--force"] if job.get("force") else options


def _beyond_flags(system: System) -> Iterator[str]:
    for path, value in settings_of(system.job).items():
        if path.startswith(BEYOND_FLAGS) or (path == "phases.ramp_s" and value):
            yield f"{path} = {json.dumps(value)}"


def _listed(values: list[Any]) -> str:
    return ",".join(dict.fromkeys(map(plain_decimal, values)))


def _setting(value: Any) -> str:
    """Text as it is, unless `--set` would take it for a number, true, false or null."""
    if isinstance(value, str):
        try:
            scalar = not isinstance(json.loads(value), list | dict)
        except ValueError:
            scalar = False
        if not scalar:
            return value
    return json.dumps(value)
