"""The axes of a chart over the load: linear or logarithmic, ticks at the loads, room for labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from igen.report.charts.theme import GRID, spread

WIDTH = 560
HEIGHT = 340
MARGIN_TOP = 34
MARGIN_BOTTOM = 44
LABEL_PX = 15
LOG_X_ROOM = 1.3
"""Left of the lowest load on a logarithmic axis, so that its point stands clear of the axis."""
LOG_X_FROM = 16.0
"""Loads that span more than this are drawn on a logarithmic axis."""
_BYTES = (
    "datum.value >= 1073741824 ? format(datum.value / 1073741824, '.3~r') + ' GiB' : "
    "datum.value >= 1048576 ? format(datum.value / 1048576, '.3~r') + ' MiB' : "
    "format(datum.value / 1024, '.3~r') + ' KiB'"
)
"""A size in words, as Vega computes it."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Axes of a chart over the load."""

    title: str
    x_title: str
    loads: list[float]
    top: float
    bottom: float = 0.0
    """0 unless the axis is logarithmic."""
    right_margin: int = 70
    bytes_x: bool = False
    """The horizontal axis has sizes in bytes, not loads."""

    @property
    def log_x(self) -> bool:
        """Whether the loads span too much for a linear axis."""
        return self.loads[0] > 0 and self.loads[-1] / self.loads[0] > LOG_X_FROM

    @property
    def log_y(self) -> bool:
        """Whether the vertical axis is logarithmic."""
        return self.bottom > 0

    def x(self) -> alt.X:
        """The horizontal channel; ticks stand at the loads."""
        scale = (
            alt.Scale(type="log", base=2, domain=[self.loads[0] / LOG_X_ROOM, self.loads[-1]], nice=False)
            if self.log_x
            else alt.Scale(domain=[0, self.loads[-1]], nice=False)
        )
        title = f"{self.x_title} (log scale)" if self.log_x else self.x_title
        axis = alt.Axis(
            title=title,
            values=self.loads,
            format=",~f",
            labelExpr=_BYTES if self.bytes_x else alt.Undefined,
            labelOverlap="greedy",
            labelFlush=False,
            labelSeparation=6,
            titlePadding=8,
        )
        return alt.X("x:Q", scale=scale, axis=axis)

    def y(self, field: str = "y") -> alt.Y:
        """The vertical channel."""
        scale = (
            alt.Scale(type="log", domain=[self.bottom, self.top], nice=False)
            if self.log_y
            else alt.Scale(domain=[0, self.top], nice=False)
        )
        axis = alt.Axis(
            title=None,
            values=round_steps(self.bottom, self.top) if self.log_y else alt.Undefined,
            tickCount=alt.Undefined if self.log_y else 6,
            labelOverlap=False,
            format="~s" if self.top >= 1e6 else ",~f",
            gridColor=GRID,
        )
        return alt.Y(f"{field}:Q", scale=scale, axis=axis)

    def share(self, x: float) -> float:
        """How far to the right `x` stands, from 0 to 1."""
        if self.log_x:
            low = math.log(self.loads[0] / LOG_X_ROOM)
            return (math.log(x) - low) / (math.log(self.loads[-1]) - low)
        return x / self.loads[-1] if self.loads[-1] else 0.0

    def spread_labels(self, values: Sequence[float]) -> list[float]:
        """Values moved apart until labels at them do not overlap."""
        height = HEIGHT - MARGIN_TOP - MARGIN_BOTTOM
        if self.log_y:
            span = math.log(self.top / self.bottom)
            logarithms = [math.log(value) for value in values]
            moved = spread(logarithms, LABEL_PX / height * span, math.log(self.top))
            return [math.exp(value) for value in moved]
        return spread(list(values), LABEL_PX / height * self.top, self.top)


def round_steps(bottom: float, top: float) -> list[float]:
    """1, 2, 5, 10, … between the ends of a logarithmic axis; only powers of ten beyond three decades."""
    factors = (1, 2, 5) if top / bottom < 1e3 else (1,)
    decades = range(math.floor(math.log10(bottom)), math.ceil(math.log10(top)) + 1)
    steps = [float(f"{factor}e{decade}") for decade in decades for factor in factors]
    return [step for step in steps if bottom <= step <= top]
