"""Rates that a workload defines over its own operations, such as tickets compared per ms of search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from igen.facts import WORKLOAD_RATES
from igen.judge.figure.interval import mean_interval
from igen.judge.result import Figure
from igen.judge.run.measured import MeasuredRun
from igen.units import NS_PER_MS


def rates_of(runs: Sequence[MeasuredRun]) -> dict[str, Figure]:
    """The rates that the agent's fact `workload.rates` defines: means over runs; empty for most workloads."""
    rates = {}
    for definition in runs[0].recording.facts.get(WORKLOAD_RATES) or []:
        values = [value for run in runs if (value := _rate(run, definition)) is not None]
        if values:
            rates[str(definition["name"])] = mean_interval(values)
    return rates


def _rate(run: MeasuredRun, definition: Mapping[str, Any]) -> float | None:
    """All users' count per millisecond in the operations that do the counted work.

    The operations' times are of all users together, so their sum divided by the users is the time that
    passed. None where the number of users is open or nothing was timed.
    """
    times = [run.operations[name].service_time for name in definition["operations"] if name in run.operations]
    busy_ms = sum(time.sum_ns for time in times) / NS_PER_MS
    if not run.recording.users or not busy_ms:
        return None
    return run.recording.users * run.counters[definition["counter"]] / busy_ms
