"""What a table scan took, in the quantities of the published table."""

from __future__ import annotations

from collections.abc import Callable

from igen.aspects.scan.parts import Scan
from igen.judge.aspect import LevelRuns
from igen.judge.figure.interval import log_interval
from igen.judge.result import Figure
from igen.judge.run.measured import MeasuredRun

WORKLOAD = "scan"
OPERATION = "scan"


def scan_of(runs: LevelRuns) -> Scan | None:
    """Means over runs; None for other workloads, and where no scan ended."""
    scanned = [run for run in runs.used if _is_scan(run)]
    if not scanned:
        return None
    timed_cpu = [run for run in scanned if run.counters["cpu_ns"]]

    # On logarithms, as those of all times: the figures are above 0, and one is another one's inverse.
    def estimate(of: Callable[[MeasuredRun], float]) -> Figure:
        return log_interval([of(run) for run in scanned])

    def of_cpu(of: Callable[[MeasuredRun], float]) -> Figure | None:
        return log_interval([of(run) for run in timed_cpu]) if timed_cpu else None

    return Scan(
        time_s=estimate(lambda run: _busy_s(run) / run.operations[OPERATION].service_time.count),
        records_per_s=estimate(lambda run: _users(run) * run.counters["records"] / _busy_s(run)),
        bytes_per_s=estimate(lambda run: _users(run) * run.counters["bytes"] / _busy_s(run)),
        cpu_s=of_cpu(lambda run: run.counters["cpu_ns"] / 1e9 / run.transactions.count),
        cpu_percent=of_cpu(lambda run: 100 * _users(run) * run.counters["cpu_ns"] / 1e9 / _busy_s(run)),
        cpu_us_per_record=of_cpu(lambda run: run.counters["cpu_ns"] / 1e3 / run.counters["records"]),
    )


def _is_scan(run: MeasuredRun) -> bool:
    # Counters belong to transactions: a scan whose transaction had not ended yet at the last interval's
    # end counts as an operation only.
    ended = run.transactions.count > 0 and run.counters["records"] > 0
    return run.recording.job.get("workload") == WORKLOAD and _busy_s(run) > 0 and ended


def _busy_s(run: MeasuredRun) -> float:
    """All users' time in scans, together."""
    operation = run.operations.get(OPERATION)
    return operation.service_time.sum_ns / 1e9 if operation else 0.0


def _users(run: MeasuredRun) -> int:
    """The users' times overlap, so that their sum divided by this is the time that passed."""
    return run.recording.users or 1
