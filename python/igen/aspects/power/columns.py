"""Watts as columns next to the resources of a level."""

from __future__ import annotations

from collections.abc import Sequence

from igen.aspects.power.parts import power_w
from igen.document import Column
from igen.judge.result import Level
from igen.layout.number import column


def power_columns(levels: Sequence[Level]) -> list[Column]:
    """Return the mean draw of each level, a column for each meter."""
    meters = dict.fromkeys(meter for level in levels for meter in power_w(level))
    return [
        Column(meter, column([power_w(level).get(meter) for level in levels]), group="W") for meter in meters
    ]
