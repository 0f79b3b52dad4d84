"""The settings of a job by path, without the load that a curve runs along."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

CURVE_PATHS = {"load.closed.users", "load.paced.users", "load.open.rate_per_s"}
"""What the levels of one curve differ in; in all else they are the same."""
PERSONAS = "personas"
"""Several loads at once: where a job has them, and what its load model is called then. Each of them has
such a path, below its name."""
OF_ONE_EXECUTION = {
    *("repeat", "steps", "pids", "tiers", "force", "credentials", "protocol", "attended", "lease_s"),
}
"""What may differ between executions of the same level."""


def is_along_a_curve(path: str) -> bool:
    """Whether levels of one curve may differ in the setting at that path."""
    root, _, rest = path.partition(".")
    return path in CURVE_PATHS or (root == PERSONAS and rest.partition(".")[2] in CURVE_PATHS)


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested names as dotted ones: `{"cpu": {"model": …}}` and `{"cpu.model": …}` read the same."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def params_of_loads(job: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a job asks of its workload, or of the workload of each persona."""
    return [load.get("params") or {} for load in (job.get(PERSONAS) or {"": job}).values()]


def settings_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """Everything in a job that is the same in all executions of a curve."""
    return {
        path: value
        for path, value in flat(job)
        if not is_along_a_curve(path) and path not in OF_ONE_EXECUTION
    }


def value_text(value: Any) -> str:
    """A setting or a fact as it is written in a job, `unknown` for None."""
    if value is None:
        return "unknown"
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
