"""The settings of a job by path, without the load that a curve runs along."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from igen.loads import is_amount

OF_ONE_EXECUTION = {
    *("repeat", "steps", "pids", "tiers", "force", "credentials", "protocol", "attended", "lease_s"),
}
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
    return {path: value for path, value in flat(job) if not is_amount(path) and path not in OF_ONE_EXECUTION}


def value_text(value: Any) -> str:
    """A setting or a fact as it is written in a job, `unknown` for None."""
    if value is None:
        return "unknown"
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
