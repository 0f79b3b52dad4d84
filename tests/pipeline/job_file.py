"""A job file of the store from transactions, line by line as agent and store write it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from igen import __version__
from igen.protocol import PROTOCOL
from igen.store.job_file import RUN_FORMAT
from tests.pipeline import histograms, machine
from tests.pipeline.machine import QUIET, Machine
from tests.pipeline.transactions import Floats, Phases, Transactions

AGENT_STARTS_S = 0.1
"""Between the agent's start, from which its clock counts, and the begin of WARMUP."""
SPINS_PER_S = 37_000.0
FAILURE = "deadlock"
FACTS = {
    "host.name": "lab",
    "cpu.model": "Z80",
    "cpu.processors": machine.PROCESSORS,
    "workload.version": 1,
    "workload.transactions": "transactions",
    "workload.rates": [],
}
LAST_FACTS = {"engine.clock_drift_ppm": 5.0, "engine.aside_s": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution of a level, as it was planned and as it went."""

    level: int
    repeat: int
    system: str
    load: dict[str, Any]
    transactions: Transactions
    phases: Phases
    seed: int
    started_unix_s: float
    purpose: str = "sweep"
    order: int | None = None
    machine: Machine = QUIET
    canaries: tuple[float, float] = (1.0, 1.0)
    """Speed of the spin canary before and after, against `SPINS_PER_S`."""
    killed: bool = False
    """The agent was killed in the middle of MEASURE."""
    params: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    """Facts of its machine, besides `FACTS` or instead of them."""
    operations: dict[str, float] = field(default_factory=dict)
    """Steps of the transaction by name, with their shares of its service time."""

    @property
    def job(self) -> dict[str, Any]:
        """As the agent understood it."""
        phases = self.phases
        return {
            "workload": "model",
            "params": {"servers": 4, "service_time": "4ms", **self.params},
            "targets": [],
            "load": self.load,
            "phases": {
                "ramp_s": 0.0,
                "warmup_s": phases.warmup_s,
                "measure_s": planned_s(phases),
                "drain_s": 10.0,
                "interval_s": phases.interval_s,
                "extendable": phases.warmup_is_auto,
            },
            "placement": {"task": {}},
            "seed": self.seed,
            "repeat": self.repeat,
            "steps": ["prepare", "verify", "measure"],
            "pids": [],
            "canary_s": 0.2,
            "force": False,
            "i_own_this_data": False,
        }


def write(path: Path, run: str, study: dict[str, Any], execution: Execution) -> None:
    """Writes the file of one execution."""
    path.write_bytes(b"".join(lines(run, study, execution)))


def lines(run: str, study: dict[str, Any], execution: Execution) -> Iterator[bytes]:
    """Every line with its line feed: the store's own are the first and the last."""
    yield _line(
        "job_start",
        format=RUN_FORMAT,
        run=run,
        name="model",
        system=execution.system,
        title="a synthetic study",
        study=study,
        level=execution.level,
        repeat=execution.repeat,
        order=execution.order,
        purpose=execution.purpose,
        job=execution.job,
        started_unix_s=execution.started_unix_s,
    )
    yield from agent_lines(execution, execution.job)
    end = {"exit_code": None, "signal": 9} if execution.killed else {"exit_code": 0, "signal": None}
    ended_unix_s = execution.started_unix_s + 15.0
    yield _line("job_end", **end, interrupted=False, ended_unix_s=ended_unix_s, stderr="")


def agent_lines(execution: Execution, job: dict[str, Any]) -> Iterator[bytes]:
    """What the agent says, with line feeds; where it was killed up to the middle of MEASURE."""
    hello = {"protocol": PROTOCOL, "version": __version__, "pid": 7, "host": "lab", "clock": "tsc"}
    yield _line("hello", **hello, started_unix_s=execution.started_unix_s, job=job)
    for name, value in (
        FACTS | execution.facts | {"workload.operations": list(execution.operations)}
    ).items():
        yield _line("fact", name=name, value=value)
    before, after = (SPINS_PER_S * execution.machine.spins * each for each in execution.canaries)
    yield _line("canary", after=False, at_s=AGENT_STARTS_S / 2, spins_per_s=before)
    yield from _phases(execution)
    if execution.killed:
        return
    for name, value in LAST_FACTS.items():
        yield _line("fact", name=name, value=value)
    at_s = _measure_begins_s(execution.phases) + execution.phases.measure_s + 0.3
    yield _line("canary", after=True, at_s=at_s, spins_per_s=after)
    yield _line("end", outcome="complete", at_s=at_s, unfinished_users=0)


def _line(kind: str, **values: Any) -> bytes:
    return msgspec.json.encode({kind: values}) + b"\n"


def planned_s(phases: Phases) -> float:
    """How long MEASURE was to be at first."""
    return phases.measure_s if phases.planned_s is None else phases.planned_s


def _measure_begins_s(phases: Phases) -> float:
    return AGENT_STARTS_S + phases.warmup_s


def _phases(execution: Execution) -> Iterator[bytes]:
    """Snapshots and readings of WARMUP, MEASURE and DRAIN."""
    phases = execution.phases
    begins_s = phases.begins_s
    number = len(begins_s)
    shift_s = _measure_begins_s(phases)
    edges_s = [round(each + shift_s, 6) for each in (*begins_s.tolist(), phases.measure_s)]
    last_s = max(float(execution.transactions.end_s.max(initial=0.0)), phases.measure_s) + shift_s + 1e-4
    said = machine.readings(execution.machine, tuple(each + 1e-4 for each in edges_s))
    snapshots = _snapshots(execution, begins_s)
    for index in range(phases.warmup_intervals + phases.intervals // 2 if execution.killed else number):
        if index == phases.warmup_intervals:
            yield _line("phase", phase="measure", at_s=edges_s[index], planned_s=planned_s(phases))
            yield said[index]
        phase = "warmup" if index < phases.warmup_intervals else "measure"
        yield b'{"snapshot":{"phase":"%s","start_s":%r,"end_s":%r,%s' % (
            phase.encode(), edges_s[index], edges_s[index + 1], snapshots[index],
        )  # fmt: skip
        if phase == "measure":
            yield said[index + 1]
    if not execution.killed:
        yield _line("phase", phase="drain", at_s=edges_s[-1])
        yield b'{"snapshot":{"phase":"drain","start_s":%r,"end_s":%r,%s' % (
            edges_s[-1], last_s, snapshots[-1],
        )  # fmt: skip


def _snapshots(execution: Execution, begins_s: Floats) -> list[bytes]:
    """The rest of each snapshot's line; the last one is of DRAIN. What ended before WARMUP is not there."""
    done, number = execution.transactions, len(begins_s) + 1
    edges_s = np.append(begins_s, execution.phases.measure_s)
    interval = np.searchsorted(edges_s, done.end_s, side="right") - 1
    failed = np.zeros(len(interval), bool) if done.failed is None else done.failed
    good, bad = (interval >= 0) & ~failed, (interval >= 0) & failed
    service_ns = ((done.end_s - done.start_s) * 1e9).astype(np.int64)
    times = [_times(service_ns, interval, good, number)]
    response_ns = service_ns
    if done.intended_s is not None:
        response_ns = ((done.end_s - done.intended_s) * 1e9).astype(np.int64)
        times.append(_times(response_ns, interval, good, number))
    failures = _times(response_ns, interval, bad, number) if failed.any() else None
    counts, fails = (np.bincount(interval[each], minlength=number).tolist() for each in (good, bad))
    arrivals = _arrivals(done, edges_s, number) if len(done.due_s) else None
    operations = {
        name: _times((share * service_ns).astype(np.int64), interval, good, number)
        for name, share in execution.operations.items()
    }
    users = int(execution.load.get("closed", {}).get("users", 20))
    think_s = float(execution.load.get("closed", {}).get("think_time_s", 0.0))
    texts = []
    for index in range(number):
        think_ns = round((counts[index] + fails[index]) * think_s * 1e9)
        text = f'"users":{users},"think_time_ns":{think_ns},'
        text += f'"transactions":{{"count":{counts[index]},"failed":{fails[index]}'
        for name, each in zip(("service_time", "response_time"), times, strict=False):
            text += f',"{name}":{each[index]}'
        if failures and fails[index]:
            text += f',"failed_time":{failures[index]}'
        reason = {"kind": "conflict", "text": FAILURE, "count": fails[index]}
        reasons = json.dumps(reason) if fails[index] else ""
        steps = ",".join(
            f'"{name}":{{"count":{counts[index]},"failed":0,"service_time":{each[index]}}}'
            for name, each in operations.items()
        )
        text += f'}},"operations":{{{steps}}},"counters":{{}},"failures":[{reasons}]'
        text += f',"arrivals":{arrivals[index]}}}}}\n' if arrivals else "}}\n"
        texts.append(text.encode())
    return texts


def _times(values_ns: Any, interval: Any, which: Any, number: int) -> list[str]:
    values_ns, interval = values_ns[which], interval[which]
    counts, first = histograms.counted(values_ns, interval, number)
    sums_ns = np.bincount(interval, values_ns, number).tolist()
    return [
        f'{{"sum_ns":{sum_ns:.0f},"hdr":"{text}"}}'
        for sum_ns, text in zip(sums_ns, histograms.encoded(counts, first), strict=True)
    ]


def _arrivals(done: Transactions, edges_s: Floats, number: int) -> list[str]:
    """Arrivals after MEASURE are not due."""
    upper = np.append(edges_s[1:], np.inf)
    due, started = (
        np.diff(np.searchsorted(np.sort(each), np.concatenate((edges_s[:1], upper))))
        for each in (done.due_s, done.start_s)
    )
    backlog = np.cumsum(due) - np.cumsum(started)
    return [
        f'{{"due":{due[n]},"started":{started[n]},"unsent":0,"backlog":{max(backlog[n], 0)}}}'
        for n in range(number)
    ]
