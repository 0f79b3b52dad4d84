"""Places for words in a plot: they cover neither each other nor points, and lines as little as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from igen.report.draw.marks import Box, Point, Words
from igen.report.draw.style import LABEL_PX, LINE_PX, width_px

NEAR_PX = 15.0
"""From a point to the middle of a label above or below it."""
POINT_PX = 7.0
"""Half of the square that a point with its ring needs."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Words and the points beside which they may stand, the best first."""

    text: str
    near: Sequence[Point]


def place(
    wanted: Sequence[Wanted], points: Sequence[Point], lines: Sequence[Sequence[Point]], plot: Box
) -> list[Box]:
    """A box for each of the words, in their order.

    Each takes the nearest place that covers nothing; where there is none, the one that covers least. Boxes
    cover each other only where no place would avoid it.
    """
    taken: list[Box] = []
    marks = [Box.around(x, y, 2 * POINT_PX, 2 * POINT_PX) for x, y in points]
    sampled = [point for line in lines for point in _sampled(line)]
    for each in wanted:
        size = (width_px(each.text) + 4, LINE_PX)

        def cost(box: Box) -> float:
            covered = sum(box.overlap(other) for other in taken)
            hidden = sum(box.overlap(other) for other in marks)
            crossed = sum(box.left <= x <= box.right and box.top <= y <= box.bottom for x, y in sampled)
            area = (box.right - box.left) * (box.bottom - box.top)
            outside = area - box.overlap(plot)
            return 1000 * covered + 1000 * outside + 50 * hidden + 10 * crossed

        candidates = [box for point in each.near for box in _around(point, size)]
        taken.append(min(candidates, key=cost))
    return taken


def _around(point: Point, size: tuple[float, float]) -> Iterator[Box]:
    """Above and below first, then to the sides, then farther off."""
    (x, y), (width, height) = point, size
    for far in (1.0, 1.6, 2.4, 3.4, 4.6):
        lift, side = far * NEAR_PX, width / 2 + far * 11
        for dx, dy in (
            (0, -lift), (0, lift), (side, 0), (-side, 0),
            (side, -lift / 2), (-side, -lift / 2), (side, lift / 2), (-side, lift / 2),
            (side - 8, -lift), (-side + 8, -lift), (side - 8, lift), (-side + 8, lift),
        ):  # fmt: skip
            yield Box.around(x + dx, y + dy, width, height)


def _sampled(line: Sequence[Point]) -> Iterator[Point]:
    """Points of a line, at most 4 pixels apart."""
    yield from line[:1]
    for (x, y), (to_x, to_y) in pairwise(line):
        steps = max(1, int(max(abs(to_x - x), abs(to_y - y)) / 4))
        for step in range(1, steps + 1):
            yield x + (to_x - x) * step / steps, y + (to_y - y) * step / steps


def spread(positions: Sequence[float], least: float, most: float) -> list[float]:
    """Return labels moved apart until neighbours are `least` apart, in their order, none above `most`."""
    order = sorted(range(len(positions)), key=positions.__getitem__)
    moved = list(positions)
    for lower, upper in pairwise(order):
        moved[upper] = max(moved[upper], moved[lower] + least)
    ceiling = most
    for place in reversed(order):
        moved[place] = min(moved[place], ceiling)
        ceiling = moved[place] - least
    return moved


def end_names(
    ends: Sequence[tuple[str, Point, str]], size: float = LABEL_PX, weight: int | None = None
) -> list[Words]:
    """Return names (text, place, colour) at the right ends of lines, none on another nor above the plot."""
    heights = spread([-y for _, (_, y), _ in ends], size + 3, 0.0)
    return [
        Words(text, (x, -height), colour, size=size, weight=weight)
        for (text, (x, _), colour), height in zip(ends, heights, strict=True)
    ]
