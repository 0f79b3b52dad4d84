"""Runs that fresh ones have replaced, on all sides of their block: not measured, or disturbed by others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import inf

from igen.judge.aspect import Aspect
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.price import disturbance_of
from igen.judge.trust.rules.machine import REPEAT_AGAIN_PERCENT
from igen.judge.trust.validity import findings_of, passing_percent, was_measured

PURPOSES = ("sweep", "scale")
"""Purposes of executions whose number of repeats the study says; a search repeats what is INVALID alone."""


def replaced_runs(
    levels: Iterable[Sequence[MeasuredRun]],
    planned: int | None,
    floor_ns: float | None,
    aspects: Sequence[Aspect] = (),
) -> set[MeasuredRun]:
    """Those of all levels of a study, with `planned` repeats of each load; None where looking decides.

    The executions of one load of all systems stand side by side, repeat by repeat. Repeats beyond the planned
    ones were executed in the place of others: as many do not count, first those that were not measured, then
    the most disturbed, on all sides, so that pairs stay pairs.
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
        for run in _replaced(block, planned, floor_ns, aspects)
    }


def _replaced(
    block: Sequence[Sequence[MeasuredRun]], planned: int, floor_ns: float | None, aspects: Sequence[Aspect]
) -> Iterator[MeasuredRun]:
    disturbed: dict[int, float] = {}
    for runs in block:
        found = {run: findings_of(run, floor_ns, aspects) for run in runs}
        # No fresh run was executed for a level that none can save.
        if any(finding.row.spoils_level for each in found.values() for finding in each):
            continue
        for run, each in found.items():
            percent = passing_percent(disturbance_of(run)) if was_measured(each) else inf
            if percent > REPEAT_AGAIN_PERCENT.value:
                repeat = run.recording.repeat
                disturbed[repeat] = max(percent, disturbed.get(repeat, 0.0))
    worst = sorted(disturbed, key=lambda repeat: -disturbed[repeat])
    for runs in block:
        by_repeat = {run.recording.repeat: run for run in runs}
        places = [by_repeat[repeat] for repeat in worst if repeat in by_repeat]
        yield from places[: max(len(runs) - planned, 0)]
