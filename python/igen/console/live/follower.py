"""Points and state of a run from its lines: a pure function of the lines, however they are cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from igen.console.live.job_now import JobNow
from igen.console.live.point import Point
from igen.console.live.position import Position
from igen.failure import failures_of
from igen.judge.record.histogram import Histogram, decode_all, quantiles_of_each_ns
from igen.store.checked_line import read_line

SHARES = (0.5, 0.95, 0.99)
_MOST_ENDED = 1_000
"""Most executions with rows, the last ones."""


class Follower:
    """Reads every line of a run once, in order."""

    def __init__(self) -> None:
        self.now: JobNow | None = None
        """Current or last execution."""
        self.ended: list[JobNow] = []
        """Last executions that ended or were cut off."""
        self.place = Position(0, 0)
        """Position after the last line."""
        self.last_s = 0.0
        """End of the last interval, or start of the next event."""
        self.changes = 0
        """Grows with each change but that of a figure: a phase, an execution, a warning."""
        self._begun_unix_s: float | None = None

    def take(self, lines: Iterable[tuple[Position, bytes]]) -> list[Point]:
        """Return the points in the next lines."""
        snapshots: list[tuple[Position, JobNow, dict[str, Any], float | None]] = []
        for place, line in lines:
            self.place = place
            kind = line[2 : line.find(b'"', 2)]
            if kind == b"reading":
                if self.now:
                    self.now.machine.take(line)
            elif kind in _FOLLOWED and (found := read_line(line)) is not None:
                body = found.event.get(kind.decode())
                if not isinstance(body, dict):
                    continue
                if kind == b"snapshot" and self.now:
                    snapshots.append((place, self.now, body, self.now.machine.look_at_cpu()))
                    self._reach(self.now, body.get("end_s"))
                else:
                    self._follow(place.job, kind, body)
        return self._points(snapshots)

    def _follow(self, number: int, kind: bytes, body: dict[str, Any]) -> None:
        try:
            match kind:
                case b"job_start":
                    self._begin(number, body)
                case b"hello" if self.now:
                    # A clock that was set back must not turn the time of the charts around.
                    started_s = float(body["started_unix_s"]) - (self._begun_unix_s or 0.0)
                    self.now.base_s = max(started_s, self.last_s)
                    self.now.host = str(body.get("host", ""))
                    self.now.machine.is_on(self.now.host)
                case b"phase" if self.now:
                    self.now.begin_phase(str(body["phase"]), float(body["at_s"]), body.get("planned_s"))
                case b"progress" if self.now:
                    self.now.progress = body
                case b"warning" | b"error" if self.now:
                    path = f"{body['path']}: " if body.get("path") else ""
                    self.now.say(f"{path}{body['text']}")
                case b"job_end" if self.now:
                    ended_unix_s = float(body.get("ended_unix_s", self.now.start["started_unix_s"]))
                    self.now.end = {**body, "ended_unix_s": ended_unix_s}
        except (KeyError, TypeError, ValueError, AttributeError):
            # What has not the form of an event is told by the judge, with its line.
            return
        self.changes += 1

    def _begin(self, number: int, body: dict[str, Any]) -> None:
        started_unix_s = float(body["started_unix_s"])
        base_s = max(started_unix_s - (self._begun_unix_s or started_unix_s), self.last_s)
        begun = JobNow(number=number, start=body, base_s=base_s, phase_start_s=base_s)
        # One that cannot be named is none.
        _ = begun.load, begun.place, begun.level_key
        if self._begun_unix_s is None:
            self._begun_unix_s = started_unix_s
        if self.now:
            self.ended = [*self.ended, self.now][-_MOST_ENDED:]
        self.now = begun

    def _points(self, found: Sequence[tuple[Position, JobNow, dict[str, Any], float | None]]) -> list[Point]:
        histograms = _histograms([snapshot for _, _, snapshot, _ in found])
        times = quantiles_of_each_ns(histograms, SHARES).tolist()
        points = []
        for (place, job, snapshot, cpu_percent), quantiles_ns in zip(found, times, strict=True):
            try:
                point = self._point(place, job, snapshot, cpu_percent, quantiles_ns)
            except (KeyError, TypeError, ValueError, AttributeError):
                continue
            points.append(point)
        return points

    def _reach(self, job: JobNow, end_s: Any) -> None:
        if isinstance(end_s, int | float):
            self.last_s = max(self.last_s, job.base_s + end_s)

    def _point(
        self,
        place: Position,
        job: JobNow,
        snapshot: dict[str, Any],
        cpu_percent: float | None,
        quantiles_ns: list[float],
    ) -> Point:
        transactions = snapshot["transactions"]
        start_s, end_s = job.base_s + snapshot["start_s"], job.base_s + snapshot["end_s"]
        count, failed = int(transactions["count"]), int(transactions["failed"])
        per_s = count / (end_s - start_s) if end_s > start_s else 0.0
        job.failures.update(failures_of(snapshot.get("failures") or ()))
        if operations := snapshot.get("operations"):
            since_s = snapshot.get("operations_since_s", snapshot["start_s"])
            job.operations.append({"length_s": snapshot["end_s"] - since_s, "operations": operations})
        p50, p95, p99 = (each / 1e6 if each == each else None for each in quantiles_ns)
        return Point(
            place, str(snapshot["phase"]), start_s, end_s, count, failed, int(snapshot["users"]),
            end_s - start_s, per_s, per_s, p50, p95, p99, cpu_percent,
        )  # fmt: skip


_FOLLOWED = frozenset(
    (b"job_start", b"hello", b"phase", b"progress", b"snapshot", b"warning", b"error", b"job_end")
)


def payload(part: dict[str, Any]) -> tuple[str, int]:
    """Response times of transactions or of an operation; service times where the agent sent no other."""
    times = part.get("response_time") or part["service_time"]
    return times["hdr"], times["sum_ns"]


def histograms_of(payloads: Sequence[tuple[str, int]]) -> list[Histogram]:
    """Decode all lines together, which is much faster; unreadable lines are empty."""
    try:
        return decode_all(payloads)
    except (TypeError, ValueError):
        return [_readable(each) for each in payloads]


def _readable(one: tuple[str, int]) -> Histogram:
    try:
        return decode_all([one])[0]
    except (TypeError, ValueError):
        return Histogram()


def _histograms(snapshots: Iterable[dict[str, Any]]) -> list[Histogram]:
    payloads = []
    for snapshot in snapshots:
        try:
            payloads.append(payload(snapshot["transactions"]))
        except (KeyError, TypeError, AttributeError):
            payloads.append(("", 0))
    return histograms_of(payloads)
