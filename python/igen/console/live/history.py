"""The points of a run so far, in bounded memory."""

from __future__ import annotations

from bisect import bisect_right
from itertools import takewhile
from typing import Any

from igen.console.live.point import COLUMNS, Point, cells, thinned
from igen.console.live.position import Position

DRAIN = "drain"
MOST_POINTS = 16_384
"""About 6 MB. Four and a half hours of intervals of 1 s."""
FRESH_POINTS = 4_096
"""Last points that are never merged."""


class History:
    """Points in the order of time. If there are too many, older points are merged."""

    def __init__(self, most: int = MOST_POINTS, fresh: int = FRESH_POINTS) -> None:
        self._points: list[Point] = []
        self._most, self._fresh = most, fresh

    def add(self, point: Point) -> None:
        """Add the next point."""
        self._points.append(point)
        if len(self._points) > self._most:
            old, fresh = self._points[: -self._fresh], self._points[-self._fresh :]
            self._points = [*thinned(old, len(old) // 2), *fresh]

    def after(self, place: Position, most: int) -> list[Point]:
        """Return the points after a position, merged to at most `most`."""
        begin = bisect_right(self._points, place, key=lambda point: point.place)
        return thinned(self._points[begin:], most)

    def series(self, most: int) -> dict[str, list[Any]]:
        """Return all points as columns."""
        rows = [cells(point) for point in thinned(self._points, most)]
        return {name: [row[name] for row in rows] for name in COLUMNS}

    @property
    def last_under_load(self) -> Point | None:
        """The last one in which users began transactions, not only ended their last ones; None before it."""
        return next((point for point in reversed(self._points) if point.phase != DRAIN), None)

    def failed_since(self, seconds: float) -> int | None:
        """Failed transactions of the last so many seconds; None before the first point."""
        if not self._points:
            return None
        begin_s = self._points[-1].end_s - seconds
        return sum(
            point.failed for point in takewhile(lambda each: each.start_s >= begin_s, reversed(self._points))
        )

    def __len__(self) -> int:
        return len(self._points)
