"""Runs for the bench of the console: one that grows as an agent makes it grow, and many that have ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from igen.store.checked_line import sealed
from igen.store.job_file import RUN_FORMAT
from igen.store.run import Run
from igen.store.store import Store
from tests.judge.synthetic import encoded, histogram

READINGS = 18
"""Lines of monitors in each interval, beside one snapshot."""
STUDY: dict[str, Any] = {
    "name": "bench",
    "job": {"workload": "web", "load": {"closed": {"users": 8}}},
    "plan": {"mode": "sweep", "repeats": 1},
    "axes": {"load.closed.users": [8]},
    "value": "mean of the steady state",
}


class GrowingRun:
    """One job, whose intervals of 1 s are written when they are asked for."""

    def __init__(self, store: Path, measure_s: float) -> None:
        self.run = Store(store).create_run(name="bench", system="lab", title="a run that grows", study=STUDY)
        random = np.random.default_rng(7)
        self._times = [encoded(histogram(random.gamma(4.0, 500_000.0, 500))) for _ in range(50)]
        self._lines = self.written = 0
        path = self.run.folder / "jobs" / "0001.jsonl"
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        job = {**STUDY["job"], "phases": {"warmup_s": 0.0, "measure_s": measure_s, "interval_s": 1.0}}
        start = {"run": self.run.id, "name": "bench", "system": "lab", "study": STUDY, "job": job}
        place = {"level": 0, "repeat": 0, "purpose": "sweep", "started_unix_s": 1e9, "format": 2}
        self._write(
            [
                {"job_start": {"format": RUN_FORMAT, **start, **place}},
                {"hello": {"protocol": 4, "host": "lab", "started_unix_s": 1e9, "job": job}},
                {"phase": {"phase": "measure", "at_s": 0.0, "planned_s": measure_s}},
            ]
        )

    def grow(self, intervals: int) -> None:
        """Appends as many intervals with their readings."""
        for _ in range(intervals):
            self._write(self._interval())

    def close(self) -> None:
        """Writes the end of the job and of the run."""
        end = {"exit_code": 0, "signal": None, "interrupted": False, "ended_unix_s": 1e9 + self.written}
        self._write([{"job_end": {**end, "stderr": ""}}])
        os.close(self._descriptor)
        self.run.write_outcome("complete")

    def _interval(self) -> Iterator[dict[str, Any]]:
        second = self.written
        self.written += 1
        part = {"count": 500, "failed": 0, "service_time": self._times[second % len(self._times)]}
        snapshot = {"phase": "measure", "start_s": float(second), "end_s": second + 1.0, "users": 8}
        parts = {"operations": dict.fromkeys(("browse", "search", "order"), part), "transactions": part}
        yield {"snapshot": {**snapshot, **parts, "counters": {}}}
        for subject in range(READINGS):
            monitor = {"monitor": "cpu"} if subject == 0 else {"monitor": "process", "subject": str(subject)}
            counters = {"user_s": 0.6 * second, "system_s": 0.2 * second, "idle_s": 1.2 * second}
            body = {"host": "lab", **monitor, "at_s": second + 1.01, "counters": counters, "gauges": {}}
            yield {"reading": body}

    def _write(self, events: Any) -> None:
        lines = []
        for event in events:
            self._lines += 1
            lines.append(sealed(msgspec.json.encode(event), self._lines) + b"\n")
        os.write(self._descriptor, b"".join(lines))


def many_runs(store: Path, number: int) -> None:
    """Runs that have ended, with a short file each."""
    first = GrowingRun(store, 2.0)
    first.grow(2)
    first.close()
    content = (first.run.folder / "jobs" / "0001.jsonl").read_bytes()
    for _ in range(number - 1):
        run: Run = Store(store).create_run(name="bench", system="lab", title="one of many", study=STUDY)
        (run.folder / "jobs" / "0001.jsonl").write_bytes(content)
        run.write_outcome("complete")
