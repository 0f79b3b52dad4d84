"""What a database wrote to its log, from its own counters: the server's monitor, or the workload's where the
database is in the load process (SQLite)."""

from __future__ import annotations

from collections.abc import Sequence

from igen.analysis.measured import MeasuredRun
from igen.analysis.resources import mean_of
from igen.analysis.result import Log

SERVERS = ("postgresql", "mysql")
"""Monitors whose counters are these: `log_writes`, `log_flushes`, `log_bytes`, `log_full_page_images`."""


def log_of(runs: Sequence[MeasuredRun]) -> Log | None:
    """Means over runs; None where nobody counted, and where nothing was written."""
    found = [log for run in runs if (log := _log(run)) is not None]
    return mean_of(Log, found) if found else None


def _log(run: MeasuredRun) -> Log | None:
    writes, flushes = _per_s(run, "log_writes"), _per_s(run, "log_flushes")
    written, images = _per_s(run, "log_bytes"), _per_s(run, "log_full_page_images")
    if not (writes or flushes or written):
        return None
    throughput = run.throughput_per_s
    return Log(
        writes_per_s=writes,
        flushes_per_s=flushes,
        transactions_per_flush=throughput / flushes if flushes else None,
        bytes_per_transaction=written / throughput if written is not None and throughput else None,
        full_page_images_per_transaction=images / throughput if images is not None and throughput else None,
    )


def _per_s(run: MeasuredRun, counter: str) -> float | None:
    """Of all servers together, or of the workload's own counter."""
    host = run.host
    of_servers = [host.sum_per_s(monitor, [counter], host.subjects(monitor)) for monitor in SERVERS]
    known = [rate for rate in of_servers if rate is not None]
    if known:
        return sum(known)
    return run.counters[counter] / run.measured_s if run.counters[counter] else None
