"""Checks of one load, made of each of several loads at once, which their words then name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import Finding


def of_each_load(run: MeasuredRun, check: Callable[[MeasuredRun], Iterable[Finding]]) -> Iterator[Finding]:
    """What a check says of a run: of each persona, where it has some."""
    if not run.personas:
        yield from check(run)
    for name, part in run.personas.items():
        # A persona may have no user on this agent, where several share a job.
        if part.recording.own_users != 0:
            yield from (replace(found, load=name) for found in check(part))


def of_loads(
    runs: Sequence[MeasuredRun], check: Callable[[Sequence[MeasuredRun]], Iterable[Finding]]
) -> Iterator[Finding]:
    """What a check says of the runs of one level."""
    if not runs[0].personas:
        yield from check(runs)
    for name in runs[0].personas:
        yield from (replace(found, load=name) for found in check([run.personas[name] for run in runs]))
