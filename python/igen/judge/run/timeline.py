"""The intervals of a run as the report draws them, warm-up included."""

from __future__ import annotations

from functools import cache

from igen.judge.record.histogram import coarse, quantiles_of_each_ns
from igen.judge.record.snapshot import Snapshot
from igen.judge.result import Interval
from igen.judge.run.measured import MeasuredRun
from igen.quantiles import MEDIAN, P99
from igen.units import NS_PER_MS

_PHASES = ("ramp", "warmup", "measure")


def timeline_of(run: MeasuredRun) -> list[Interval]:
    """Every interval from the first user's start to the end of MEASURE."""
    snapshots = [snapshot for snapshot in run.recording.snapshots if snapshot.phase in _PHASES]
    begin_s = next((snapshot.start_s for snapshot in snapshots if snapshot.phase == "measure"), 0.0)
    measured = {id(interval) for interval in run.intervals}
    times = [snapshot.transactions.response_time for snapshot in snapshots]
    percentiles_ms = quantiles_of_each_ns(times, [MEDIAN, P99]) / NS_PER_MS
    return [
        _interval(snapshot, begin_s, id(snapshot) in measured, p50_ms, p99_ms, heat)
        for snapshot, (p50_ms, p99_ms), heat in zip(
            snapshots, percentiles_ms.tolist(), coarse(times), strict=True
        )
    ]


def _interval(
    snapshot: Snapshot,
    begin_s: float,
    measured: bool,
    p50_ms: float,
    p99_ms: float,
    heat: list[tuple[float, int]],
) -> Interval:
    return Interval(
        start_s=snapshot.start_s - begin_s,
        throughput_per_s=snapshot.transactions.count / snapshot.length_s if snapshot.length_s > 0 else 0.0,
        response_p50_ms=p50_ms if heat else None,
        response_p99_ms=p99_ms if heat else None,
        measured=measured,
        heat=[(_edge_ms(edge_ns), count) for edge_ns, count in heat],
    )


@cache
def _edge_ms(edge_ns: float) -> float:
    """Four digits: the grid has few hundred edges, and their text stands in every result."""
    return float(f"{edge_ns / NS_PER_MS:.4g}")
