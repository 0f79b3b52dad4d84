"""Metrics as values, between what counts them and the formats that print them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

UPPER_BOUNDS_S = tuple(round(step * 10**decade, 10) for decade in range(-5, 2) for step in (1.0, 2.0, 5.0))
"""Upper bounds of the buckets of times, in seconds: from 10 µs to 50 s. A last bucket has none."""

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Times:
    """Times by bucket, and their sum."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(UPPER_BOUNDS_S) + 1))
    """Values of each bucket alone, the last one beyond all bounds."""
    sum_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Point:
    """A value of a metric with its labels."""

    labels: Labels
    value: float | Times


@dataclass(frozen=True, slots=True)
class Family:
    """A metric: its name without suffixes, what it counts, and its values."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    points: list[Point]
    unit: str = ""
    """`seconds`, or empty; the name ends in it."""
