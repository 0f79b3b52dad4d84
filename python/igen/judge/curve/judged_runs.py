"""The runs of one level: what each of them broke, and which of them the level's figures rest on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from igen.judge.aspect import Aspect
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.disturbance import Disturbance
from igen.judge.trust.finding import Finding
from igen.judge.trust.price import disturbance_of
from igen.judge.trust.validity import findings_of, stands_in, was_measured


@dataclass(frozen=True, slots=True)
class JudgedRuns:
    """All runs of a level, judged one by one."""

    all: Sequence[MeasuredRun]
    used: Sequence[MeasuredRun]
    """Those that the figures rest on."""
    found: Mapping[MeasuredRun, list[Finding]]
    """What each run broke, but for the bounds of what disturbed it."""
    prices: Mapping[MeasuredRun, Disturbance]
    replaced: Collection[MeasuredRun]

    @property
    def asked(self) -> list[MeasuredRun]:
        """Runs that tell whether the load was served: a run that is left out and did not get its rate
        counts here as it does for the verdict."""
        spoils = {run for run, each in self.found.items() if any(one.row.spoils_level for one in each)}
        return [run for run in self.all if run in self.used or run in spoils]


def judged_runs(
    runs: Sequence[MeasuredRun],
    floor_ns: float | None,
    aspects: Sequence[Aspect],
    replaced: Collection[MeasuredRun],
) -> JudgedRuns:
    """Judge each run of a level.

    A run counts unless it was not measured, or a fresh one has `replaced` it. If there are confirmation runs
    only they count: a level was chosen for confirmation because its search run was high, so that run
    flatters it.
    """
    found = {run: findings_of(run, floor_ns, aspects) for run in runs}
    prices = {run: disturbance_of(run) for run in runs}
    return JudgedRuns(runs, _used(found, replaced), found, prices, replaced)


def _used(found: Mapping[MeasuredRun, list[Finding]], replaced: Collection[MeasuredRun]) -> list[MeasuredRun]:
    candidates = [run for run in found if run.recording.purpose == "confirm"] or list(found)
    candidates = [run for run in candidates if run not in replaced]
    # A run that was not measured is no observation, whatever the others broke.
    candidates = [run for run in candidates if was_measured(found[run])] or candidates
    return [run for run in candidates if stands_in(found[run])] or candidates
