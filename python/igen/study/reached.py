"""The result of an execution for the order of executions."""

from __future__ import annotations

from igen.aspects.aspects import ASPECTS
from igen.judge.record.recording import Recording
from igen.judge.result import Finding, Level, Repeat
from igen.judge.run.measured import measure
from igen.judge.trust.usable import has_throughput, has_times
from igen.judge.trust.validity import findings_of, is_disturbed
from igen.study.order import Reached


def reached_by(recording: Recording, result: Level | None) -> Reached:
    """Return the usable figures of an execution; `result` covers this execution only."""
    if result is None:
        return Reached(recording=recording)
    times = result.response_time_ms
    (repeat,) = result.repeats
    return Reached(
        throughput_per_s=result.throughput_per_s.value if has_throughput(result) else None,
        response_ms=times.mean if times and has_times(result) else None,
        unusable=unusable(repeat),
        disturbance=result.trust.disturbance,
        spoils_level=result.trust.verdict != "VALID" and spoils_level(recording),
        recording=recording,
    )


def unusable(repeat: Repeat) -> Finding | None:
    """Return why an execution was not measured, or the dearest thing that others did to it if that is reason
    enough for another execution; else None.
    """
    if not repeat.measured:
        return repeat.findings[0]
    return repeat.trust.disturbance.by_others.causes[0].finding if is_disturbed(repeat) else None


def spoils_level(recording: Recording) -> bool:
    """Whether the level of this execution is INVALID by it, whatever others of the same level come to: one
    with a lost load process, for example."""
    found = findings_of(measure(recording), None, ASPECTS)
    return any(each.row.spoils_level for each in found)
