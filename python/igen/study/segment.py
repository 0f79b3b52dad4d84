"""The job of a segment of a run of many hours."""

from __future__ import annotations

from typing import Any

from igen.units import parse_time_s

SEGMENT_S = 600.0
"""Longest segment: everything before it was verified."""
SEGMENTS = 20
"""Least number of segments, in a run that is long enough."""
LEAST_SEGMENT_S = 1.0
_INTERVALS = 30
_WARMUP_SHARE, _WARMUP_MOST_S = 0.05, 5.0
_READ_PERCENT = 50


def segment_s(total_s: float) -> float:
    """Return the length of a segment of a run of this length."""
    return min(SEGMENT_S, max(total_s / SEGMENTS, LEAST_SEGMENT_S), total_s)


def segment_job(job: dict[str, Any], total_s: float) -> dict[str, Any]:
    """The job of a segment: as long as the job itself says, verified, and half of it writes unless it says
    otherwise."""
    phases = job.get("phases", {})
    asked = phases.get("measure_s")
    length_s = segment_s(total_s) if asked is None else parse_time_s(str(asked))
    defaults = {
        "warmup_s": min(_WARMUP_SHARE * length_s, _WARMUP_MOST_S),
        "interval_s": max(length_s / _INTERVALS, 0.1),
    }
    return job | {
        "params": {"read": _READ_PERCENT, **job.get("params", {}), "verify": True},
        "phases": defaults | phases | {"measure_s": length_s},
    }
