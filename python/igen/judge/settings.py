"""The settings of a job by path, without the load that a curve runs along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

CURVE_PATHS = {"load.closed.users", "load.paced.users", "load.open.rate_per_s"}
"""What the levels of one curve differ in; in all else they are the same."""
OF_ONE_EXECUTION = {"repeat", "steps", "pids", "tiers", "force", "protocol", "attended", "lease_s"}
"""What may differ between executions of the same level."""


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested names as dotted ones: `{"cpu": {"model": …}}` and `{"cpu.model": …}` read the same."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def settings_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """Everything in a job that is the same in all executions of a curve."""
    return {
        path: value for path, value in flat(job) if path not in CURVE_PATHS and path not in OF_ONE_EXECUTION
    }
