"""What a database wrote to its log, from its own counters: the server's monitor, or the workload's where the
database is in the load process (SQLite).

All of MEASURE counts, not its steady part alone. Servers count late (`LATE_S`): a reading soon after the
start of the load still tells of the time before it, such as of loading the data, so it does not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from igen.aspects.durability.parts import Log
from igen.aspects.server.commits import commits_per_s, engines_of, per_s
from igen.aspects.server.parts import LATE_S, SERVER_MONITORS
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.resources import Host, mean_of


def log_of(runs: Sequence[MeasuredRun]) -> Log | None:
    """Means over runs; None where nobody counted, and where nothing was written."""
    found = [log for run in runs if (log := _log(run)) is not None]
    return mean_of(Log, found) if found else None


def _log(run: MeasuredRun) -> Log | None:
    measure = run.recording.measure
    if not measure:
        return None
    whole = Host(run.recording, measure[0].start_s, measure[-1].end_s)
    late_s = max((LATE_S[engine] for engine in engines_of(whole)), default=0.0)
    load_s = next(each.start_s for each in run.recording.snapshots if each.phase != "ramp")
    host = replace(whole, start_s=max(whole.start_s, load_s + late_s))
    if host.start_s >= host.end_s:
        return None
    writes, flushes = _per_s(host, "log_writes"), _per_s(host, "log_flushes")
    written, images = _per_s(host, "log_bytes"), _per_s(host, "log_full_page_images")
    if not (writes or flushes or written):
        return None
    # Transactions and flushes are from one server, so that late counts are missing in both.
    transactions = commits_per_s(run, host) or sum(each.transactions.count for each in measure) / (
        whole.end_s - whole.start_s
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
    measure = host.recording.measure
    counted = sum(each.counters.get(counter, 0) for each in measure)
    return counted / (measure[-1].end_s - measure[0].start_s) if counted else None
