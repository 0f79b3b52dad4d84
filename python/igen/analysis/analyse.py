"""From the recordings of one run to a system, and from systems to the result document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import igen
from igen.analysis.compare import compare
from igen.analysis.level import level_of
from igen.analysis.measured import MeasuredRun, measure
from igen.analysis.observations import observations_of
from igen.analysis.points import knee_of, peak_of, sweet_spot_of
from igen.analysis.recording import Recording
from igen.analysis.result import Level, Result, System
from igen.analysis.slamd import slamd_rows
from igen.analysis.validity import study_of
from igen.analysis.wording import load
from igen.errors import IgenError

SCHEMA_VERSION = 1

TRANSACTIONS = {"cpu": "fractals"}
"""What sentences call the transactions of a workload, where it has a better word."""


def analyse(recordings: Iterable[Recording], floor: Recording | None = None) -> System:
    """Everything about one recorded run.

    `floor` is a recording of `noop`: the engine's own cost per transaction. Recordings that do not even say
    what the job was are left out with a warning; an `IgenError` if none is left.
    """
    told: list[Recording] = []
    silent: list[Recording] = []
    for recording in recordings:
        (told if recording.job else silent).append(recording)
    if not told:
        raise IgenError("nothing was recorded", hint="the run was ended before its first job began")
    floor_ns = _floor_ns(floor) if floor else None
    study = study_of(told, floor_ns)
    by_level: dict[int, list[MeasuredRun]] = defaultdict(list)
    for recording in told:
        by_level[recording.level].append(measure(recording))
    runs = sorted(by_level.values(), key=lambda each: _load_order(each[0].recording))
    levels = [level_of(each, study) for each in runs]
    first = told[0]
    facts: dict[str, Any] = {}
    for recording in told:
        facts = recording.facts | facts
    workload = str(first.job.get("workload", ""))
    transaction = TRANSACTIONS.get(workload, "transactions")
    peak = peak_of(levels)
    system = System(
        name=first.system or first.host,
        run=first.run,
        workload=workload,
        load_model=first.load_model,
        transaction=transaction,
        started_unix_s=first.started_unix_s,
        targets=list(first.job.get("targets") or []),
        params=dict(first.job.get("params") or {}),
        levels=levels,
        peak=peak,
        sweet_spot=sweet_spot_of(levels, peak),
        knee=knee_of(levels),
        floor_ns=floor_ns,
        slamd_table=[
            row
            for level, each in zip(levels, runs, strict=True)
            for row in slamd_rows(_used(level, each), transaction)
        ],
        facts=facts,
        warnings=_warnings(told, silent, levels),
        observations=[],
        job=first.job,
    )
    return replace(system, observations=observations_of(system))


def result_of(systems: Sequence[System], title: str = "") -> Result:
    """The result document; the first system is the base of all ratios."""
    comparison = compare(systems)
    observations = [*(one for system in systems for one in system.observations), *comparison.observations]
    return Result(
        schema_version=SCHEMA_VERSION,
        igen_version=igen.__version__,
        title=title or " against ".join(dict.fromkeys(system.name for system in systems)),
        systems=list(systems),
        ratios=comparison.ratios,
        differences=comparison.differences,
        warnings=comparison.warnings,
        observations=observations,
    )


def _used(level: Level, runs: Sequence[MeasuredRun]) -> list[MeasuredRun]:
    return [run for run, repeat in zip(runs, level.repeats, strict=True) if repeat.used]


def _load_order(recording: Recording) -> tuple[float, int]:
    return float(recording.offered_per_s or recording.users or 0), recording.level


def _floor_ns(floor: Recording) -> float | None:
    """Time per transaction and user of a workload that does nothing."""
    run = measure(floor)
    if run.throughput_per_s == 0:
        return None
    return 1e9 * (floor.users or 1) / run.throughput_per_s


def _warnings(told: list[Recording], silent: list[Recording], levels: list[Level]) -> list[str]:
    """Of the agents, each once with the number of jobs that gave it, and of files that say nothing."""
    given = Counter(text for recording in told for text in dict.fromkeys(recording.warnings))
    warnings = [f"{text} (in {count} jobs)" if count > 1 else text for text, count in given.items()]
    warnings += [f"{recording.job_file or 'a recording'} says nothing" for recording in silent]
    invalid = [load(level) for level in levels if level.verdict == "INVALID"]
    if invalid:
        warnings.append(f"INVALID and left out of all conclusions: {', '.join(invalid)}")
    return warnings
