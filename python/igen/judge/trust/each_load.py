"""Checks of one load, made of each load of a job, which the finding then names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import Finding


def of_each_load(run: MeasuredRun, check: Callable[[MeasuredRun], Iterable[Finding]]) -> Iterator[Finding]:
    """What a check says of each load of a run."""
    for name, part in run.each.items():
        # One of several loads may have no user on this agent, if several agents share a job.
        if part.recording.own_users != 0:
            yield from (replace(found, load=name) for found in check(part))


def of_loads(
    runs: Sequence[MeasuredRun], check: Callable[[Sequence[MeasuredRun]], Iterable[Finding]]
) -> Iterator[Finding]:
    """What a check says of each load in the runs of one level."""
    for name in runs[0].each:
        yield from (replace(found, load=name) for found in check([run.each[name] for run in runs]))
