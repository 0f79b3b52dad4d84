"""Which part of a measurement counts, and which figure of it is the throughput: a choice of the study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from igen.analysis.steady import Steady, steady_state

Value = Literal["mean of the steady state", "median of the last fifth"]
STEADY_MEAN: Value = "mean of the steady state"
LAST_FIFTH: Value = "median of the last fifth"
"""As published of storage: what comes before the last fifth is warm-up, however steady it is."""


def part_of(series: Sequence[float], value: Value, *, planned: bool) -> Steady:
    """The intervals that count, by their throughputs, and whether these were steady."""
    if value == STEADY_MEAN:
        return steady_state(series, planned=planned)
    cut = len(series) - max(round(len(series) / 5), 1) if series else 0
    return replace(steady_state(series[cut:], planned=True), cut=cut, stop=len(series))
