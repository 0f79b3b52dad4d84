"""From the recordings of one run to its systems, and from systems to the result document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import igen
from igen.analysis.compare import compare
from igen.analysis.curves import curve_endings, curves_of
from igen.analysis.intent import Intent
from igen.analysis.level import level_of
from igen.analysis.load import load_name
from igen.analysis.measured import MeasuredRun, measure
from igen.analysis.memory import WORKLOAD as MEMORY_WORKLOAD
from igen.analysis.merit import merit_of, merit_warnings
from igen.analysis.observations import observations_of
from igen.analysis.overall import overall_ratios
from igen.analysis.plateau import plateau_observations
from igen.analysis.points import is_search, knee_of, peak_of, sweet_spot_of, within_limit_of
from igen.analysis.published import published_beside
from igen.analysis.recording import Recording
from igen.analysis.result import Level, Result, System
from igen.analysis.scaling import scaling_of
from igen.analysis.slamd import slamd_rows
from igen.analysis.validity import Study, study_of
from igen.errors import IgenError
from igen.units import format_time_ms

SCHEMA_VERSION = 1


def analyse(
    recordings: Iterable[Recording],
    floor: Recording | None = None,
    planned: Recording | None = None,
    intent: Intent | None = None,
) -> list[System]:
    """Everything about one recorded run: a system for each of the study's and each point of its axes other
    than load, and for the curve along the number of targets.

    `floor` is a recording of `noop`: the engine's own cost per transaction. Recordings that do not even say
    what the job was are left out with a warning. If none is left, the one system has no levels and what
    `planned` says of its job; an `IgenError` without it.
    """
    told: list[Recording] = []
    silent: list[Recording] = []
    for recording in recordings:
        (told if recording.job else silent).append(recording)
    floor_ns = _floor_ns(floor) if floor else None
    intent = intent or Intent()
    study = study_of(told, floor_ns)
    if told:
        curves = curves_of(told)
        systems = [
            _named(_system(curve.recordings, study, floor_ns, intent), ending, intent)
            for curve, ending in zip(curves, curve_endings(curves), strict=True)
        ]
    elif planned:
        systems = [_finished(planned, [], [], floor_ns, {}, ["nothing was recorded"], intent)]
    else:
        raise IgenError("nothing was recorded", hint="the run was ended before its first job began")
    said_nothing = [f"{recording.job_file or 'a recording'} says nothing" for recording in silent]
    return [replace(systems[0], warnings=[*systems[0].warnings, *said_nothing]), *systems[1:]]


def renamed(system: System, name: str) -> System:
    """The same system under another name, in its sentences too."""
    system = replace(system, name=name)
    return replace(system, observations=observations_of(system))


def _named(system: System, ending: str, intent: Intent) -> System:
    """With what tells it from the others; it is compared with the one that ends alike."""
    base = intent.against.get(system.name)
    system = replace(system, against=f"{base}{ending}" if base else "")
    return renamed(system, f"{system.name}{ending}")


def _system(recordings: Sequence[Recording], study: Study, floor_ns: float | None, intent: Intent) -> System:
    """The system that recordings of one curve tell of."""
    by_load: dict[float, list[MeasuredRun]] = defaultdict(list)
    facts: dict[str, Any] = {}
    for recording in recordings:
        by_load[recording.curve_value].append(measure(recording, intent.value))
        facts = recording.facts | facts
    runs = [by_load[value] for value in sorted(by_load)]
    levels = [level_of(each, study) for each in runs]
    warnings = _warnings(recordings, levels, intent)
    return _finished(recordings[0], runs, levels, floor_ns, facts, warnings, intent)


def _finished(
    first: Recording,
    runs: Sequence[Sequence[MeasuredRun]],
    levels: list[Level],
    floor_ns: float | None,
    facts: Mapping[str, Any],
    warnings: list[str],
    intent: Intent,
) -> System:
    """The system with what follows from its levels; `first` is its first recording.

    Along the number of targets each of them has the same load, a test says its loads itself, and passes of
    different kernels over memory are no throughput: there is nothing to search a peak for.
    """
    transaction = str(facts.get("workload.transactions") or "transactions")
    along_load = not first.along_targets
    workload, params = str(first.job.get("workload", "")), dict(first.job.get("params") or {})
    has_peak = along_load and not first.test and workload != MEMORY_WORKLOAD
    peak = peak_of(levels) if has_peak else None
    slamd_table = [
        row
        for level, each in zip(levels, runs, strict=True)
        for row in slamd_rows(_used(level, each), transaction)
    ]
    name = first.system or first.host
    described = intent.described.get(name, {})
    return System(
        name=name,
        run=first.run,
        igen_version=first.version,
        workload=workload,
        load_model=first.load_model,
        transaction=transaction,
        started_unix_s=first.started_unix_s,
        targets=first.targets if along_load else _all_targets(levels, first),
        params=params,
        levels=levels,
        peak=peak,
        sweet_spot=sweet_spot_of(levels, peak),
        knee=knee_of(levels) if has_peak else None,
        floor_ns=floor_ns,
        slamd_table=slamd_table,
        facts=dict(facts),
        warnings=[*warnings, *merit_warnings(described, levels)],
        observations=[],
        job=first.job,
        response_time_limit_ms=intent.response_time_limit_ms,
        within_limit=within_limit_of(levels, intent.response_time_limit_ms),
        scaling=[] if along_load else scaling_of(levels),
        reference=intent.reference.words,
        published=published_beside(intent.reference, workload, params, levels, peak, slamd_table),
        published_bandwidths=intent.reference.bandwidths if workload == MEMORY_WORKLOAD else [],
        published_io=[each for each in intent.reference.io if workload == "io" and each.is_like(params)],
        merit=merit_of(described, levels, peak),
        system=first.system or first.host,
        test=first.test,
        test_title=intent.tests.get(first.test, ""),
        value=intent.value,
        published_ratios={
            ratio.product: ratio.value for ratio in intent.reference.ratios if ratio.test == first.test
        },
    )


def _all_targets(levels: Sequence[Level], first: Recording) -> list[str]:
    """The targets of the level with the most of them."""
    most = max(levels, key=lambda level: level.instances)
    return [target.target for target in most.targets] or first.targets


def result_of(systems: Sequence[System], title: str = "") -> Result:
    """The result document; the first system is the base of all ratios unless a study says otherwise."""
    comparison = compare(systems)
    observations = [
        *plateau_observations(systems),
        *(one for system in systems for one in system.observations),
        *comparison.observations,
    ]
    return Result(
        schema_version=SCHEMA_VERSION,
        igen_version=igen.__version__,
        title=title or " against ".join(dict.fromkeys(system.name for system in systems)),
        systems=list(systems),
        ratios=comparison.ratios,
        differences=comparison.differences,
        warnings=comparison.warnings,
        observations=observations,
        overall=overall_ratios(systems),
    )


def _used(level: Level, runs: Sequence[MeasuredRun]) -> list[MeasuredRun]:
    return [run for run, repeat in zip(runs, level.repeats, strict=True) if repeat.used]


def _floor_ns(floor: Recording) -> float | None:
    """Time per transaction and user of a workload that does nothing."""
    run = measure(floor)
    if run.throughput_per_s == 0:
        return None
    return 1e9 * (floor.users or 1) / run.throughput_per_s


def _warnings(recordings: Sequence[Recording], levels: Sequence[Level], intent: Intent) -> list[str]:
    """Of the agents, each once with the number of jobs that gave it, and of levels that do not count."""
    given = Counter(text for recording in recordings for text in dict.fromkeys(recording.warnings))
    warnings = [f"{text} (in {count} jobs)" if count > 1 else text for text, count in given.items()]
    by_rate = recordings[0].load_model == "open"
    invalid = [load_name(level, by_rate=by_rate) for level in levels if level.verdict == "INVALID"]
    if invalid:
        warnings.append(f"INVALID and left out of all conclusions: {', '.join(invalid)}")
    if is_search(levels) and peak_of(levels) is None:
        warnings.append("the search has no confirmed peak: what it found by single runs is not published")
    limit_ms = intent.response_time_limit_ms
    if limit_ms is not None and within_limit_of(levels, limit_ms) is None:
        warnings.append(f"no valid load has a mean response time below {format_time_ms(limit_ms)}")
    return warnings
