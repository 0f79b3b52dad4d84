"""A run whose files grow as a test wants: what an agent would write of a load with known figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from igen.console.live.follower import Follower
from igen.console.live.lines import GrowingLines
from igen.console.live.point import Point
from igen.console.live.position import Position
from igen.store.checked_line import sealed
from igen.store.job_file import RUN_FORMAT
from igen.store.run import Run
from igen.store.store import Store
from tests.judge.synthetic import encoded, histogram

BEGUN_UNIX_S = 1_000_000.0
INTERVALS = 12
STUDY: dict[str, Any] = {
    "name": "web",
    "job": {"workload": "web"},
    "plan": {"mode": "sweep", "repeats": 1},
    "axes": {"load.closed.users": [1, 2, 3]},
    "value": "mean of the steady state",
}

FAILED = {"kind": "check", "step": "search", "text": "status 503", "count": 1}


def new_run(store: Path) -> Run:
    """A run that has begun, without any job."""
    return Store(store).create_run(name="web", system="lab", title="web on lab", study=STUDY)


def job_bytes(
    number: int, *, started_unix_s: float | None = None, intervals: int = INTERVALS, drains: bool = False
) -> bytes:
    """The whole file of a job that drives `number` users: 100 transactions a second of each.

    Where it `drains`, an interval follows in which they end their last ones.
    """
    events = _events(number, started_unix_s or BEGUN_UNIX_S + 30 * number, intervals)
    if drains:
        at_s = float(intervals)
        last = {**_snapshot(number, intervals)["snapshot"], "phase": "drain", "end_s": at_s + 0.1, "users": 0}
        events[-2:-2] = [{"phase": {"phase": "drain", "at_s": at_s}}, {"snapshot": last}]
    lines = [msgspec.json.encode(event) for event in events]
    return b"".join(sealed(line, place) + b"\n" for place, line in enumerate(lines, start=1))


def _events(number: int, started_unix_s: float, intervals: int) -> list[dict[str, Any]]:
    job = {
        "workload": "web",
        "load": {"closed": {"users": number}},
        "phases": {"warmup_s": 2.0, "measure_s": intervals - 2.0, "interval_s": 1.0},
    }
    start = {
        "level": number - 1,
        "repeat": 0,
        "purpose": "sweep",
        "system": "lab",
        "job": job,
        "study": STUDY,
    }
    events: list[dict[str, Any]] = [
        {"job_start": {"format": RUN_FORMAT, **start, "run": "r", "started_unix_s": started_unix_s}},
        {"hello": {"protocol": 4, "host": "lab", "started_unix_s": started_unix_s + 0.5, "job": job}},
        {"fact": {"name": "host.name", "value": "lab"}},
        {"phase": {"phase": "warmup", "at_s": 0.0, "planned_s": 2.0}},
    ]
    for second in range(intervals):
        if second == 2:
            events.append({"phase": {"phase": "measure", "at_s": 2.0, "planned_s": intervals - 2.0}})
        events += [_snapshot(number, second), *_readings(second + 1)]
    end = {"exit_code": 0, "signal": None, "interrupted": False, "ended_unix_s": started_unix_s + 20}
    return [*events, {"end": {"outcome": "complete", "at_s": 13.0}}, {"job_end": {**end, "stderr": ""}}]


def _snapshot(users: int, second: int) -> dict[str, Any]:
    count = 100 * users
    times = encoded(histogram(np.full(count, (second + 1) * 1_000_000)))
    part = {"count": count, "failed": second % 2, "service_time": times}
    return {
        "snapshot": {
            "phase": "warmup" if second < 2 else "measure",
            "start_s": float(second),
            "end_s": second + 1.0,
            "users": users,
            "transactions": part,
            "operations": {"search": part, "a page with a name that is far too long for a digest": part},
            "counters": {},
            "failures": [{"kind": "check", "step": "search", "text": "status 503", "count": 1}]
            * (second % 2),
        }
    }


def _readings(at_s: float) -> list[dict[str, Any]]:
    cpu = {"user_s": 1.5 * at_s, "idle_s": 0.5 * at_s}
    tier = {"user_s": 0.6 * at_s, "system_s": 0.2 * at_s}
    common = {"host": "lab", "at_s": at_s + 0.01}
    return [
        {"reading": _reading("cpu", cpu, {}, **common)},
        {"reading": _reading("tier", tier, {"capacity_processors": 1.0}, subject="web", **common)},
    ]


def _reading(
    monitor: str,
    counters: dict[str, float],
    gauges: dict[str, float],
    host: str,
    at_s: float,
    subject: str = "",
) -> dict[str, Any]:
    # In the order in which the agent writes them.
    about = {"subject": subject} if subject else {}
    return {"host": host, "monitor": monitor, **about, "at_s": at_s, "counters": counters, "gauges": gauges}


def grow(run: Run, number: int, data: bytes) -> None:
    """Writes the next bytes of a job's file."""
    with (run.folder / "jobs" / f"{number:04d}.jsonl").open("ab") as file:
        file.write(data)


class Reader:
    """What a tailer does, without waiting."""

    def __init__(self, run: Run, slice_bytes: int = 1 << 18) -> None:
        self.lines, self.follower = GrowingLines(run.folder, slice_bytes), Follower()
        self.points: list[Point] = []

    def read(self) -> list[Point]:
        """Everything that is there."""
        while lines := self.lines.read():
            self.points += self.follower.take(lines)
        return self.points


def decoded(data: bytes) -> dict[str, Any]:
    """A message as a browser reads it."""
    found: dict[str, Any] = json.loads(data)
    return found


def places(points: list[Point]) -> list[Position]:
    """Where they are."""
    return [point.place for point in points]
