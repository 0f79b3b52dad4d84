"""What an execution came to, as the order of executions needs it."""

from __future__ import annotations

from igen.judge.price import LATE
from igen.judge.result import Level
from igen.judge.validity import is_disturbed
from igen.study.order import Reached


def reached_by(result: Level | None) -> Reached:
    """Figures of the one execution behind `result`; nothing of an INVALID one."""
    if result is None:
        return Reached()
    disturbed_by = disturbance_of(result)
    if result.verdict == "INVALID":
        return Reached(disturbed_by=disturbed_by)
    times = result.response_time_ms
    return Reached(
        throughput_per_s=result.throughput_per_s.value,
        response_ms=times.mean if times else None,
        disturbed_by=disturbed_by,
    )


def disturbance_of(result: Level) -> str:
    """The dearest thing that others did to an execution, where it is worth another one; else empty."""
    (repeat,) = result.repeats
    if not is_disturbed(repeat):
        return ""
    return next(cause.text for cause in repeat.disturbance.causes if cause.name != LATE)
