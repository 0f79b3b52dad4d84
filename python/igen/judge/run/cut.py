"""What was cut from the measurements of a level, in front and at the end, and what that changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.judge.figure.figure import Figure
from igen.judge.run.measured import MeasuredRun, warm_up_is_given
from igen.judge.trust.disturbance import Periods, WarmUp
from igen.judge.trust.finding import Finding, Part, finding


def warm_up_of(runs: Sequence[MeasuredRun]) -> WarmUp | None:
    """The rest of the warm-up, by one decision for all runs; None where nothing was measured."""
    measured = [run for run in runs if run.intervals]
    if not measured:
        return None
    return WarmUp(
        given=warm_up_is_given(measured[0].recording),
        cut_s=max(run.cut_s for run in measured),
        uncut_throughput_per_s=sum(run.uncut_throughput_per_s for run in measured) / len(measured),
    )


def periods_of(runs: Sequence[MeasuredRun]) -> Periods | None:
    """The period of the throughput, by one decision for all runs; None without one."""
    found = [(run, run.period_s) for run in runs if run.period_s is not None and run.intervals]
    if not found:
        return None
    first, period_s = found[0]
    return Periods(
        period_s=period_s,
        rest_s=max(sum(interval.length_s for interval in run.rest) for run, _ in found),
        rest_counts=warm_up_is_given(first.recording),
        other_throughput_per_s=sum(run.other_throughput_per_s for run, _ in found) / len(found),
    )


def cut(warm_up: WarmUp | None, periods: Periods | None, throughput: Figure) -> Iterator[Finding]:
    """Yield what was cut, and by how much the throughput would be another one without the cut."""
    if throughput.value <= 0:
        return
    if warm_up is not None and warm_up.cut_s > 0:
        change_percent = 100 * (warm_up.uncut_throughput_per_s / throughput.value - 1)
        yield finding("warm-up-cut", scope="level", cut_s=warm_up.cut_s, change_percent=change_percent)
    if periods is not None and periods.rest_s > 0:
        change_percent = 100 * (periods.other_throughput_per_s / throughput.value - 1)
        rest = [] if periods.rest_counts else [Part(name="left_out_s", figure=periods.rest_s)]
        yield finding(
            "whole-periods",
            *rest,
            scope="level",
            period_s=periods.period_s,
            change_percent=change_percent,
        )
