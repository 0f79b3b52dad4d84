"""Recordings with a known truth, as values and as the events that the agent would have written."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hdrh.histogram import HdrHistogram
from numpy.typing import ArrayLike

from igen.aspects.aspects import ASPECTS
from igen.failure import told_failures
from igen.judge import analyse
from igen.judge.aspect import LevelRuns
from igen.judge.figure.noise import MachineNoise, Noise
from igen.judge.record.form import Arrivals
from igen.judge.record.histogram import Histogram, lower_edge_ns
from igen.judge.record.recording import Reading, Recording
from igen.judge.record.snapshot import Snapshot, Statistics
from igen.judge.result import System
from igen.judge.run.measured import measure
from igen.loads import MEAN, P99, THROUGHPUT, Load
from igen.protocol import PROTOCOL
from igen.store.job_file import RUN_FORMAT

HIGHEST_NS = 2**42 - 1
MEASURE_BEGIN_S = 3.0
QUANTITIES = (THROUGHPUT, MEAN, P99)


def machine_noise(between_sessions: float, workload: str = "oltp") -> MachineNoise:
    """What `igen noise measure` may have seen of a machine, in all quantities."""
    noise = Noise(
        between_runs=0.003,
        between_pairs=0.004,
        between_sessions=between_sessions,
        of_session_means=between_sessions,
        autocorrelation=0.0,
        false_claims=0,
        sessions=6,
        pairs=30,
    )
    return MachineNoise(workload=workload, of=dict.fromkeys(QUANTITIES, noise), decides_by=THROUGHPUT)


def histogram(values_ns: ArrayLike) -> Histogram:
    """Exactly what the agent would have counted."""
    values = np.asarray(values_ns, np.int64)
    shift = np.maximum(np.frexp(np.maximum(values, 1).astype(float))[1] - 8, 0)
    buckets, counts = np.unique((shift << 7) + (values >> shift), return_counts=True)
    return Histogram.counted(buckets, counts, int(values.sum()))


def encoded(times: Histogram) -> dict[str, Any]:
    """Times as they stand in an event, written by the reference implementation."""
    reference = HdrHistogram(1, HIGHEST_NS, 2)
    for value, count in zip(lower_edge_ns(times.buckets).tolist(), times.counts.tolist(), strict=True):
        reference.record_value(value, count)
    return {"sum_ns": times.sum_ns, "hdr": reference.encode().decode() if times.count else ""}


def statistics(
    count: int, service_ms: float, response_ms: float | None = None, failed: int = 0
) -> Statistics:
    """`count` transactions that all took the same time."""
    service = histogram(np.full(count, round(service_ms * 1e6)))
    response = service if response_ms is None else histogram(np.full(count, round(response_ms * 1e6)))
    failures = histogram(np.full(failed, round(service_ms * 1e6)))
    return Statistics(
        count=count, failed=failed, service_time=service, response_time=response, failed_time=failures
    )


def snapshot(index: int, transactions: Statistics, *, phase: str = "measure", **rest: Any) -> Snapshot:
    """The interval of 1 s that begins `index` seconds after MEASURE; its recording says how many
    users it has, unless `rest` does."""
    start_s = MEASURE_BEGIN_S + index
    values: dict[str, Any] = {
        "users": 0,
        "operations": {},
        "counters": {},
        "failures": Counter(),
        "arrivals": None,
    }
    return Snapshot(
        phase=phase, start_s=start_s, end_s=start_s + 1, transactions=transactions, **(values | rest)
    )


def recording(
    counts: Sequence[int] | None = None,
    *,
    users: int = 1,
    level: int = 0,
    repeat: int = 0,
    snapshots: list[Snapshot] | None = None,
    load: dict[str, Any] | None = None,
    job: dict[str, Any] | None = None,
    **rest: Any,
) -> Recording:
    """A closed run in which `counts` transactions ended in each second and Little's law holds."""
    counts = [1000] * 10 if counts is None else counts
    if snapshots is None:
        snapshots = [
            snapshot(i, statistics(c, 1e3 * users / max(c, 1)), users=users) for i, c in enumerate(counts)
        ]
    load = load or {"closed": {"users": users, "think_time_s": 0.0}}
    there = Load.of(load).users or users
    snapshots = [each if each.users else replace(each, users=there) for each in snapshots]
    whole_job = {
        "workload": "oltp",
        "targets": ["sqlite:///shop.db"],
        "params": {},
        "load": load,
        **(job or {}),
    }
    values: dict[str, Any] = {
        "system": "A",
        "run": "20261121-000000-a-0000",
        "job_file": f"{level:02}{repeat:02}.jsonl",
        "host": "here",
        "outcome": "complete",
        "exit_code": 0,
        "truncated": False,
        "started_unix_s": 1.0 + level + 100 * repeat,
    }
    return Recording(level=level, repeat=repeat, snapshots=snapshots, job=whole_job, **(values | rest))


def with_noise(random: np.random.Generator, mean: float, runs: int, **rest: Any) -> list[Recording]:
    """Repeats of one level: 2 % from run to run, 2 % from second to second."""
    means = mean * (1 + 0.02 * random.standard_normal(runs))
    series = means[:, None] * (1 + 0.02 * random.standard_normal((runs, 12)))
    return [recording(row.round().astype(int).tolist(), repeat=i, **rest) for i, row in enumerate(series)]


def readings(
    monitor: str, per_s: dict[str, float], subject: str = "", seconds: int = 11
) -> dict[tuple[str, str], list[Reading]]:
    """Counters that grow evenly from the begin of MEASURE."""
    return {
        (monitor, subject): [
            Reading(MEASURE_BEGIN_S + i, {name: 7 + rate * i for name, rate in per_s.items()}, {})
            for i in range(seconds)
        ]
    }


def events(source: Recording) -> list[dict[str, Any]]:
    """The lines of the jobs file of this recording."""
    start_names = ("run", "system", "title", "level", "repeat", "purpose", "started_unix_s", "job")
    head = {"host": source.host, "job": source.job, "started_unix_s": source.started_unix_s, "clock": "tsc"}
    lines: list[dict[str, Any]] = [
        {"job_start": {"format": RUN_FORMAT, **{name: getattr(source, name) for name in start_names}}},
        {"hello": {"protocol": PROTOCOL, "version": "0.1.0", "pid": 7, **head}},
        *({"fact": {"name": name, "value": value}} for name, value in source.facts.items()),
        *(
            {"canary": {"after": after, "at_s": 1.0, "spins_per_s": speed}}
            for after, speed in source.canaries
        ),
        *({"snapshot": _snapshot_event(each)} for each in source.snapshots),
        *(
            {
                "reading": {"monitor": monitor, "subject": subject, "at_s": each.at_s}
                | {"counters": dict(each.counters), "gauges": dict(each.gauges)}
            }
            for (monitor, subject), series in source.readings.items()
            for each in series
        ),
        *(
            {
                "reading": {"host": host, "monitor": monitor, "subject": subject, "at_s": each.at_s}
                | {"counters": dict(each.counters), "gauges": dict(each.gauges)}
            }
            for host, places in source.of_tier_hosts.items()
            for (monitor, subject), series in places.items()
            for each in series
        ),
        {"end": {"outcome": source.outcome, "at_s": 20.0, "unfinished_users": source.unfinished_users}},
        {"job_end": {"exit_code": source.exit_code, "signal": source.signal, "stderr": source.stderr}},
    ]
    parsed: list[dict[str, Any]] = json.loads(json.dumps(lines))
    return parsed


def _snapshot_event(each: Snapshot) -> dict[str, Any]:
    return {
        "phase": each.phase,
        "start_s": each.start_s,
        "end_s": each.end_s,
        "users": each.users,
        "transactions": _statistics_event(each.transactions),
        "operations": {name: _statistics_event(part) for name, part in each.operations.items()},
        **({"targets": [_statistics_event(part) for part in each.targets]} if each.targets else {}),
        "counters": each.counters,
        "failures": told_failures(each.failures),
        "arrivals": None if each.arrivals is None else _arrivals_event(each.arrivals),
        "think_time_ns": round(each.think_time_s * 1e9),
        "personas": {name: _load_event(part) for name, part in each.loads.items()},
    }


def _load_event(each: Snapshot) -> dict[str, Any]:
    shared = ("phase", "start_s", "end_s", "personas")
    return {name: value for name, value in _snapshot_event(each).items() if name not in shared}


def _arrivals_event(each: Arrivals) -> dict[str, int]:
    return {"due": each.due, "started": each.started, "unsent": each.unsent, "backlog": each.backlog}


def _statistics_event(each: Statistics) -> dict[str, Any]:
    event = {"count": each.count, "failed": each.failed, "service_time": encoded(each.service_time)}
    if each.response_time is not each.service_time:
        event["response_time"] = encoded(each.response_time)
    if each.failed:
        event["failed_time"] = encoded(each.failed_time)
    return event


def one_system(recordings: Iterable[Recording], floor: Recording | None = None) -> System:
    """What the judge says of recordings that differ in load alone."""
    (system,) = analyse(recordings, floor, aspects=ASPECTS)
    return system


def level_runs(*recordings: Recording) -> LevelRuns:
    """The runs of one level, all of which count."""
    runs = [measure(each) for each in recordings]
    return LevelRuns(all=runs, used=runs)
