"""The quantiles that figures are given at."""

from __future__ import annotations

MEDIAN, P90, P95, P99, P999 = 0.5, 0.9, 0.95, 0.99, 0.999
QUANTILES = {"p50": MEDIAN, "p90": P90, "p95": P95, "p99": P99, "p999": P999}
"""By the names that they have in a result."""
