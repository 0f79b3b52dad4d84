"""From values to pixels, and the values at which an axis has ticks whose labels do not touch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from igen.document import Scale
from igen.report.draw.chart import Axis
from igen.report.draw.style import LABEL_PX, LINE_PX, MUTED, width_px, wrapped

GAP_PX = 7.0
"""Between two labels of an axis."""
MOST_STEPS = 6
STEPS = ((10.0, (1, 1.5, 2, 3, 5, 7)), (1e3, (1, 2, 5)), (math.inf, (1,)))
"""Ticks of a logarithmic axis in each decade, by how often its lower end goes into the upper one."""


def plain(value: float) -> str:
    """`1,000`, `0.25`: every digit that the value has."""
    return f"{value:,.10f}".rstrip("0").rstrip(".")


def short(value: float) -> str:
    """`12M`, `3.5k` for large values; otherwise every digit."""
    for unit, letter in ((1e9, "G"), (1e6, "M")):
        if abs(value) >= unit:
            return f"{value / unit:.3g}{letter}"
    return plain(value)


def percentile(nines: float) -> str:
    """`99.9` at three nines."""
    return f"p{100 * (1 - 10**-nines):.6g}"


@dataclass(frozen=True, slots=True)
class Measure:
    """One direction of a plot: from a value to a pixel, and the ticks."""

    low: float
    high: float
    length_px: float
    scale: Scale = "linear"
    downward: bool = False
    """Small values stand at the bottom, as pixels count from the top."""

    def px(self, value: float) -> float:
        """Pixels from the left, or from the top."""
        if self.high <= self.low:
            share = 0.5
        elif self.scale == "log":
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.length_px * (1 - share if self.downward else share)

    def steps(self) -> list[float]:
        """Round values between the ends."""
        if self.scale == "log":
            return round_steps(self.low, self.high)
        return even_steps(self.low, self.high)

    def thinned(self, ticks: Sequence[float], label: Callable[[float], str]) -> list[float]:
        """The ticks whose labels have room beside each other; the last one and every power are kept first."""
        kept: list[float] = []
        for tick in sorted(ticks, key=lambda each: (not _is_power_of_ten(each), -each)):
            if all(abs(self.px(tick) - self.px(other)) >= self._room(tick, other, label) for other in kept):
                kept.append(tick)
        return sorted(kept)

    def _room(self, one: float, other: float, label: Callable[[float], str]) -> float:
        if self.downward:
            return LINE_PX
        return (width_px(label(one)) + width_px(label(other))) / 2 + GAP_PX

    def axis(
        self,
        title: str = "",
        ticks: Sequence[float] = (),
        label: Callable[[float], str] = plain,
        *,
        grid: bool = False,
    ) -> Axis:
        """Return an axis with these ticks, or with round ones, as many as have room."""
        shown = self.thinned(ticks or self.steps(), label)
        return Axis([(self.px(tick), [label(tick)]) for tick in shown], title, grid)


@dataclass(frozen=True, slots=True)
class Band:
    """Stretches of the same length, one for each of several names."""

    count: int
    length_px: float
    padding: float = 0.0
    """Between two stretches and at the ends, as a share of the distance from one to the next."""

    def middle(self, place: int) -> float:
        """Return the middle of a stretch in pixels."""
        return self._step_px * (place + 0.5 + self.padding / 2)

    def ends(self, place: int) -> tuple[float, float]:
        """Return the pixels at which a stretch starts and ends."""
        half = self._step_px * (1 - self.padding) / 2
        return self.middle(place) - half, self.middle(place) + half

    def axis(
        self, names: Sequence[str], most_px: float, title: str = "", *, lines: int = 1, colour: str = MUTED
    ) -> Axis:
        """Return an axis with the names, each on so many lines of `most_px` at most."""
        ticks = [
            (self.middle(place), wrapped(name, most_px, lines, LABEL_PX)) for place, name in enumerate(names)
        ]
        return Axis(ticks, title, colour=colour)

    @property
    def _step_px(self) -> float:
        return self.length_px / (self.count + self.padding)


def _is_power_of_ten(value: float) -> bool:
    return value > 0 and math.isclose(math.log10(value) % 1, 0, abs_tol=1e-9)


def round_steps(bottom: float, top: float) -> list[float]:
    """1, 2, 5, 10, … between the ends of a logarithmic axis, even ones where that leaves less than three.

    Two ticks do not tell a logarithmic axis from a linear one.
    """
    factors = next(factors for most, factors in STEPS if top / bottom < most)
    decades = range(math.floor(math.log10(bottom)), math.ceil(math.log10(top)) + 1)
    steps = [float(f"{factor}e{decade}") for decade in decades for factor in factors]
    found = [step for step in steps if bottom <= step <= top]
    return found if len(found) > 2 else even_steps(bottom, top)


def even_steps(bottom: float, top: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten between the ends, at most six."""
    span = top - bottom
    if span <= 0:
        return [bottom]
    power = 10.0 ** math.floor(math.log10(span / MOST_STEPS))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= MOST_STEPS)
    first, last = math.ceil(bottom / step - 1e-9), math.floor(top / step + 1e-9)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]
