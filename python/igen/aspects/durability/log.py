"""What a database wrote to its log, from its own counters: the server's monitor, or the workload's where the
database is in the load process (SQLite).

All of MEASURE counts, not its steady part alone: servers tell late (PostgreSQL's sessions add to
`pg_stat_wal` up to 0.7 s after the commit), and the longer the time, the smaller the part of it that this is.
"""

from __future__ import annotations

from collections.abc import Sequence

from igen.aspects.durability.parts import Log
from igen.aspects.server.commits import commits_per_s, per_s
from igen.aspects.server.parts import SERVER_MONITORS
from igen.judge.measured import MeasuredRun
from igen.judge.resources import Host, mean_of


def log_of(runs: Sequence[MeasuredRun]) -> Log | None:
    """Means over runs; None where nobody counted, and where nothing was written."""
    found = [log for run in runs if (log := _log(run)) is not None]
    return mean_of(Log, found) if found else None


def _log(run: MeasuredRun) -> Log | None:
    measure = run.recording.measure
    if not measure:
        return None
    host = Host(run.recording, measure[0].start_s, measure[-1].end_s)
    writes, flushes = _per_s(host, "log_writes"), _per_s(host, "log_flushes")
    written, images = _per_s(host, "log_bytes"), _per_s(host, "log_full_page_images")
    if not (writes or flushes or written):
        return None
    # Transactions and flushes are from one server, so that late counts are missing in both.
    transactions = commits_per_s(run, host) or sum(each.transactions.count for each in measure) / (
        host.end_s - host.start_s
    )
    return Log(
        writes_per_s=writes,
        flushes_per_s=flushes,
        transactions_per_flush=transactions / flushes if flushes else None,
        bytes_per_transaction=written / transactions if written is not None and transactions else None,
        full_page_images_per_transaction=images / transactions
        if images is not None and transactions
        else None,
    )


def _per_s(host: Host, counter: str) -> float | None:
    """Growth a second of all servers together, or of the workload's own counter: `log_writes`,
    `log_flushes`, `log_bytes`, `log_full_page_images`."""
    of_servers = [per_s(host, monitor, [counter]) for monitor in SERVER_MONITORS]
    known = [rate for rate in of_servers if rate is not None]
    if known:
        return sum(known)
    counted = sum(each.counters.get(counter, 0) for each in host.recording.measure)
    return counted / (host.end_s - host.start_s) if counted else None
