"""The intervals of a run as the report draws them, warm-up included."""

from __future__ import annotations

from igen.analysis.histogram import coarse
from igen.analysis.measured import MeasuredRun
from igen.analysis.recording import Snapshot
from igen.analysis.result import Interval

_PHASES = ("ramp", "warmup", "measure")


def timeline_of(run: MeasuredRun) -> list[Interval]:
    """Every interval from the first user's start to the end of MEASURE."""
    snapshots = [snapshot for snapshot in run.recording.snapshots if snapshot.phase in _PHASES]
    begin_s = next((snapshot.start_s for snapshot in snapshots if snapshot.phase == "measure"), 0.0)
    measured = {id(interval) for interval in run.intervals}
    return [_interval(snapshot, begin_s, id(snapshot) in measured) for snapshot in snapshots]


def _interval(snapshot: Snapshot, begin_s: float, measured: bool) -> Interval:
    response_time = snapshot.transactions.response_time
    p50, p99 = response_time.quantiles_ns([0.5, 0.99]) / 1e6
    some = response_time.count > 0
    return Interval(
        start_s=snapshot.start_s - begin_s,
        throughput_per_s=snapshot.transactions.count / snapshot.length_s if snapshot.length_s > 0 else 0.0,
        response_p50_ms=float(p50) if some else None,
        response_p99_ms=float(p99) if some else None,
        measured=measured,
        heat=[[float(f"{edge / 1e6:.4g}"), count] for edge, count in coarse(response_time)],
    )
