"""Points of the charts: what was measured in an interval, or in several of them together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from igen.console.live.position import Position


class Point(NamedTuple):
    """One interval of a run, or several that follow each other."""

    place: Position
    """Behind its last line."""
    phase: str
    start_s: float
    """Since the run's first job began."""
    end_s: float
    succeeded: int
    """Transactions that succeeded."""
    failed: int
    users: int
    """At its end."""
    length_s: float
    """Length of the intervals together: between them may be a pause."""
    least_per_s: float
    """The lowest throughput of an interval."""
    most_per_s: float
    p50_ms: float | None
    """Percentiles are those of the worst interval, each from its own merged histogram; None where none ended
    successfully."""
    p95_ms: float | None
    p99_ms: float | None
    cpu_percent: float | None
    """Mean, of the host's processors."""
    intervals: int = 1

    @property
    def per_s(self) -> float:
        """Mean throughput."""
        return self.succeeded / self.length_s if self.length_s > 0 else 0.0


COLUMNS = (
    "job", "phase", "start_s", "end_s", "users", "count", "failed", "per_s", "least_per_s", "most_per_s",
    "p50_ms", "p95_ms", "p99_ms", "cpu_percent", "intervals",
)  # fmt: skip
"""What a browser gets of a point."""


def cells(point: Point) -> dict[str, Any]:
    """A point by the names of its columns, rounded to what can be seen."""
    return {
        "job": point.place.job,
        "phase": point.phase,
        "start_s": round(point.start_s, 3),
        "end_s": round(point.end_s, 3),
        "users": point.users,
        "count": point.succeeded,
        "failed": point.failed,
        "per_s": rounded(point.per_s),
        "least_per_s": rounded(point.least_per_s),
        "most_per_s": rounded(point.most_per_s),
        "p50_ms": rounded(point.p50_ms),
        "p95_ms": rounded(point.p95_ms),
        "p99_ms": rounded(point.p99_ms),
        "cpu_percent": rounded(point.cpu_percent),
        "intervals": point.intervals,
    }


def rounded(value: float | None) -> float | None:
    """To four significant figures; JSON knows no infinity."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.4g}")


def together(points: Sequence[Point]) -> Point:
    """Several points that follow each other as one."""
    first, last = points[0], points[-1]
    if first is last:
        return first
    read = [(each.cpu_percent, each.length_s) for each in points if each.cpu_percent is not None]
    read_s = sum(length_s for _, length_s in read)
    return Point(
        place=last.place,
        phase=last.phase,
        start_s=first.start_s,
        end_s=last.end_s,
        succeeded=sum(each.succeeded for each in points),
        failed=sum(each.failed for each in points),
        users=last.users,
        length_s=sum(each.length_s for each in points),
        least_per_s=min(each.least_per_s for each in points),
        most_per_s=max(each.most_per_s for each in points),
        p50_ms=_worst(each.p50_ms for each in points),
        p95_ms=_worst(each.p95_ms for each in points),
        p99_ms=_worst(each.p99_ms for each in points),
        cpu_percent=sum(percent * length_s for percent, length_s in read) / read_s if read_s else None,
        intervals=sum(each.intervals for each in points),
    )


def thinned(points: Sequence[Point], most: int) -> list[Point]:
    """At most `most` points that tell of the same time and count the same transactions.

    Points of different jobs and phases stay apart, unless there are too many of those.
    """
    if len(points) <= most:
        return list(points)
    size = -(-len(points) // most)
    parts = [list(part) for _, part in groupby(points, lambda each: (each.place.job, each.phase))]
    if len(parts) > most:
        parts = [list(points)]
    while sum(-(-len(part) // size) for part in parts) > most:
        size += -(-size // 4)
    return [together(group) for part in parts for group in _groups(part, size)]


def _groups(points: Sequence[Point], size: int) -> Iterator[Sequence[Point]]:
    for begin in range(0, len(points), size):
        yield points[begin : begin + size]


def _worst(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
