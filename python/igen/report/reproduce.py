"""The command that repeats a run, put together from the result document."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

from igen.analysis.result import System
from igen.analysis.settings import settings_of

BEYOND_FLAGS = ("placement.task.", "monitors")
"""Settings that only a study's `[job]` can hold."""


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    return value if isinstance(value, str) else json.dumps(value)


def _load_options(system: System) -> list[str]:
    kind, load = next(iter(system.levels[0].load.items()), ("", {}))
    users = [_text(level.users) for level in system.levels if level.users is not None]
    if any(repeat.purpose == "search" for level in system.levels for repeat in level.repeats):
        options = ["--find-peak", "--users", ",".join(dict.fromkeys((users[0], users[-1])))]
    elif kind == "open":
        rates = ",".join(_text(level.offered_per_s) for level in system.levels)
        options = ["--rate", rates, "--arrivals", str(load.get("arrivals", "constant"))]
        options += ["--users", users[0]] if users else []
    else:
        options = ["--users", ",".join(users)]
    if load.get("think_time_s"):
        options += ["--think-time", f"{_text(float(load['think_time_s']))}s"]
    if kind == "paced":
        options += ["--pace", f"{_text(float(load.get('rate_per_user_per_s', 0)))}/s"]
    return options


def _repeats(system: System) -> list[str]:
    """How often a level of a sweep was executed; a search decides for itself."""
    runs = [sum(repeat.purpose == "sweep" for repeat in level.repeats) for level in system.levels]
    return ["--repeats", str(max(runs))] if any(runs) else []


def _beyond_flags(system: System) -> Iterator[str]:
    for path, value in settings_of(system.job).items():
        if path.startswith(BEYOND_FLAGS) or (path == "phases.ramp_s" and value):
            yield f"{path} = {json.dumps(value)}"


def command(system: System) -> str:
    """`igen run …` with the same workload, targets, load, phases, repeats, seed and parameters.

    Settings that have no flag stand in comments below it.
    """
    words = ["igen", "run", system.workload]
    for target in system.targets:
        words += ["--target", target]
    if system.levels:
        words += _load_options(system) + _repeats(system)
    phases = system.job.get("phases", {})
    if "measure_s" in phases:
        words += ["--duration", f"{_text(float(phases['measure_s']))}s"]
    if "warmup_s" in phases and not phases.get("extendable"):
        words += ["--warmup", f"{_text(float(phases['warmup_s']))}s"]
    if "seed" in system.job:
        words += ["--seed", str(system.job["seed"])]
    if ((system.job.get("placement") or {}).get("thread") or {}).get("pin"):
        words.append("--pin")
    for name, value in system.params.items():
        words += ["--set", f"{name}={_text(value)}"]
    lines = [shlex.join([*words, "--name", system.name])]
    lines += [f"# only in a study's [job]: {setting}" for setting in _beyond_flags(system)]
    return "\n".join(lines)
