"""Which part of a measurement counts, and which figure of it is the throughput: a choice of the study."""

from __future__ import annotations

from typing import Literal

Value = Literal["mean of the steady state", "median of the last fifth"]
STEADY_MEAN: Value = "mean of the steady state"
LAST_FIFTH: Value = "median of the last fifth"
"""As published of storage: what comes before the last fifth is warm-up, however steady it is."""
