"""The command that repeats a run, put together from the result document."""

from __future__ import annotations

import shlex
from typing import Any

from igen.analysis.result import System


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _load_options(system: System) -> list[str]:
    models: list[tuple[str, dict[str, Any]]] = [
        next(iter(level.load.items()), ("", {})) for level in system.levels
    ]
    kind, load = models[0]
    users = ",".join(str(level.users) for level in system.levels if level.users is not None)
    if any(repeat.purpose == "search" for level in system.levels for repeat in level.repeats):
        options = ["--find-peak"]
    elif kind == "open":
        rates = ",".join(_text(float(each.get("rate_per_s", 0))) for _, each in models)
        options = ["--rate", rates, "--arrivals", str(load.get("arrivals", "constant"))]
        options += ["--users", users.partition(",")[0]] if users else []
    else:
        options = ["--users", users]
    if load.get("think_time_s"):
        options += ["--think-time", f"{_text(float(load['think_time_s']))}s"]
    if kind == "paced":
        options += ["--pace", f"{_text(float(load.get('rate_per_user_per_s', 0)))}/s"]
    return options


def command(system: System) -> str:
    """`igen run …` with the same workload, targets, load, phases, repeats, seed and parameters."""
    words = ["igen", "run", system.workload]
    for target in system.targets:
        words += ["--target", target]
    if system.levels:
        words += _load_options(system)
        words += ["--repeats", str(max(len(level.repeats) for level in system.levels))]
    phases = system.job.get("phases", {})
    for option, name in (("--duration", "measure_s"), ("--warmup", "warmup_s")):
        if name in phases:
            words += [option, f"{_text(float(phases[name]))}s"]
    if "seed" in system.job:
        words += ["--seed", str(system.job["seed"])]
    for name, value in system.params.items():
        words += ["--set", f"{name}={_text(value)}"]
    return shlex.join([*words, "--name", system.name])
