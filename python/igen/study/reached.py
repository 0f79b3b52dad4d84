"""What an execution came to, as the order of executions needs it."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.aspect import Aspect
from igen.judge.baseline import baseline_of
from igen.judge.measured import measure
from igen.judge.recording import Recording
from igen.judge.result import Level
from igen.judge.usable import has_throughput, has_times
from igen.judge.validity import findings_of, is_disturbed
from igen.study.order import Reached


def reached_by(result: Level | None) -> Reached:
    """Figures of the one execution behind `result`, as far as they may be used."""
    if result is None:
        return Reached()
    disturbed_by = disturbance_of(result)
    times = result.response_time_ms
    (repeat,) = result.repeats
    return Reached(
        throughput_per_s=result.throughput_per_s.value if has_throughput(result) else None,
        response_ms=times.mean if times and has_times(result) else None,
        disturbed_by=disturbed_by,
        disturbance=result.disturbance,
        not_measured="" if repeat.measured else repeat.reasons[0],
    )


def disturbance_of(result: Level) -> str:
    """The dearest thing that others did to an execution, where it is worth another one; else empty."""
    (repeat,) = result.repeats
    if not is_disturbed(repeat):
        return ""
    return repeat.disturbance.by_others.causes[0].text


def spoils_level(recording: Recording, aspects: Sequence[Aspect]) -> bool:
    """Whether the level of this execution is INVALID by it, whatever others of the same level come to: one
    with a lost load process, for example."""
    found = findings_of(measure(recording), baseline_of([recording], None), aspects)
    return any(finding.spoils_level for finding in found)
