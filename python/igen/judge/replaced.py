"""Which runs fresh ones have taken the place of: those that others disturbed, on all sides of their block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from igen.judge import limits
from igen.judge.aspect import Aspect
from igen.judge.baseline import Baseline
from igen.judge.measured import MeasuredRun
from igen.judge.price import disturbance_of
from igen.judge.validity import findings_of, passing_percent

PURPOSES = ("sweep", "scale")
"""Purposes of executions whose number of repeats the study says; a search repeats what is INVALID alone."""


def replaced_runs(
    levels: Iterable[Sequence[MeasuredRun]],
    planned: int | None,
    baseline: Baseline,
    aspects: Sequence[Aspect] = (),
) -> set[MeasuredRun]:
    """Those of all levels of a study, with `planned` repeats of each load; None where looking decides.

    The executions of one load of all systems stand side by side, repeat by repeat. So many repeats as there
    are beyond the planned ones were executed in the place of disturbed ones: the most disturbed do not count,
    on all sides, so that pairs stay pairs.
    """
    if planned is None:
        return set()
    blocks: dict[tuple[object, ...], list[list[MeasuredRun]]] = defaultdict(list)
    for level in levels:
        runs = [run for run in level if run.recording.purpose in PURPOSES]
        if runs:
            first = runs[0].recording
            blocks[first.test, first.purpose, first.curve_place].append(runs)
    return {
        run
        for block in blocks.values()
        if any(len(runs) > planned for runs in block)
        for run in _replaced(block, planned, baseline, aspects)
    }


def _replaced(
    block: Sequence[Sequence[MeasuredRun]], planned: int, baseline: Baseline, aspects: Sequence[Aspect]
) -> Iterator[MeasuredRun]:
    disturbed: dict[int, float] = {}
    for runs in block:
        # No fresh run was executed for a level that none can save.
        if any(finding.spoils_level for run in runs for finding in findings_of(run, baseline, aspects)):
            continue
        for run in runs:
            percent = passing_percent(disturbance_of(run, baseline))
            if percent > limits.REPEAT_AGAIN_PERCENT:
                repeat = run.recording.repeat
                disturbed[repeat] = max(percent, disturbed.get(repeat, 0.0))
    worst = sorted(disturbed, key=lambda repeat: -disturbed[repeat])
    for runs in block:
        by_repeat = {run.recording.repeat: run for run in runs}
        found = [by_repeat[repeat] for repeat in worst if repeat in by_repeat]
        yield from found[: max(len(runs) - planned, 0)]
