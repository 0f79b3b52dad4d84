"""From the recordings of one run to its systems, and from systems to the result document."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from igen.errors import IgenError
from igen.facts import WORKLOAD_TRANSACTIONS
from igen.judge.aspect import Aspect, SystemRuns, speaking
from igen.judge.baseline import Baseline, baseline_of
from igen.judge.bracket import with_bracket
from igen.judge.compare import compare
from igen.judge.curves import curve_endings, curves_of
from igen.judge.intent import Intent
from igen.judge.level import level_of
from igen.judge.load import load_name
from igen.judge.load_processes import load_processes_of
from igen.judge.measured import MeasuredRun, measure, measure_level
from igen.judge.observations import observations_of
from igen.judge.overall import overall_ratios
from igen.judge.points import limit_point, named_points
from igen.judge.recording import Recording
from igen.judge.replaced import replaced_runs
from igen.judge.result import Finding, Level, Part, Result, System
from igen.judge.scaling import scaling_of
from igen.judge.sequence import always_valid
from igen.judge.terms import Terms
from igen.judge.trust.finding import finding
from igen.judge.usable import usable
from igen.version import VERSION

SCHEMA_VERSION = 2


def analyse(
    recordings: Iterable[Recording],
    floor: Recording | None = None,
    planned: Recording | None = None,
    intent: Intent | None = None,
    aspects: Sequence[Aspect] = (),
    canary_spins_per_s: float | None = None,
) -> list[System]:
    """Everything about one recorded run: a system for each of the study's and each point of its axes other
    than load, and for the curve along the number of targets.

    `floor` is a recording of `noop`: the engine's own cost per transaction. Recordings that do not even say
    what the job was are left out with a warning. If none is left, the one system has no levels and what
    `planned` says of its job; an `IgenError` without it. `aspects` know workloads and targets.
    `canary_spins_per_s`: what the canary usually does in all runs that are laid side by side.
    """
    told: list[Recording] = []
    silent: list[Recording] = []
    for recording in recordings:
        (told if recording.job else silent).append(recording)
    floor_ns = _floor_ns(floor) if floor else None
    intent = intent or Intent()
    baseline = baseline_of(told, floor_ns, canary_spins_per_s)
    if told:
        curves = curves_of(told)
        measured = [_measured(curve.recordings, intent) for curve in curves]
        levels = [runs for of_curve in measured for runs in of_curve]
        replaced = replaced_runs(levels, intent.repeats, baseline, aspects)
        systems = [
            _named(
                _system(curve.recordings, runs, replaced, baseline, floor_ns, intent, aspects),
                ending,
                intent,
                aspects,
            )
            for curve, runs, ending in zip(curves, measured, curve_endings(curves), strict=True)
        ]
    elif planned:
        nothing = [finding("nothing-recorded", scope="system")]
        systems = [_finished(planned, [], [], floor_ns, {}, nothing, intent, aspects)]
    else:
        raise IgenError("nothing was recorded", hint="the run was ended before its first job began")
    empty = [
        finding("recording-empty", scope="system", file=recording.job_file or "a recording")
        for recording in silent
    ]
    return [replace(systems[0], findings=[*systems[0].findings, *empty]), *systems[1:]]


def renamed(system: System, name: str, aspects: Sequence[Aspect] = ()) -> System:
    """The same system under another name, in its sentences too."""
    system = replace(system, name=name)
    return replace(system, observations=observations_of(system, aspects))


def _named(system: System, ending: str, intent: Intent, aspects: Sequence[Aspect]) -> System:
    """With what tells it from the others; it is compared with the one that ends alike."""
    base = intent.against.get(system.name)
    system = replace(system, against=f"{base}{ending}" if base else "")
    return renamed(system, f"{system.name}{ending}", aspects)


def _measured(recordings: Sequence[Recording], intent: Intent) -> list[list[MeasuredRun]]:
    """The runs of one curve by level, in ascending order of load."""
    by_load: dict[tuple[float, ...], list[Recording]] = defaultdict(list)
    for recording in recordings:
        by_load[recording.curve_place].append(recording)
    return [measure_level(by_load[value], intent.value) for value in sorted(by_load)]


def _system(
    recordings: Sequence[Recording],
    runs: Sequence[Sequence[MeasuredRun]],
    replaced: Collection[MeasuredRun],
    baseline: Baseline,
    floor_ns: float | None,
    intent: Intent,
    aspects: Sequence[Aspect],
) -> System:
    """The system that recordings of one curve tell of."""
    facts: dict[str, Any] = {}
    for recording in recordings:
        facts = recording.facts | facts
    levels = [level_of(each, baseline, aspects, replaced) for each in runs]
    if intent.looked:
        levels = [always_valid(level) for level in levels]
    found = _notes(recordings, levels)
    return _finished(recordings[0], runs, levels, floor_ns, facts, found, intent, aspects)


def _finished(
    first: Recording,
    runs: Sequence[Sequence[MeasuredRun]],
    levels: list[Level],
    floor_ns: float | None,
    facts: Mapping[str, Any],
    found: list[Finding],
    intent: Intent,
    aspects: Sequence[Aspect],
) -> System:
    """The system with what follows from its levels; `first` is its first recording.

    Along the number of targets each of them has the same load, a test says its loads itself, and an aspect
    may stand for the throughput: there is nothing to search a peak for.
    """
    transaction = str(facts.get(WORKLOAD_TRANSACTIONS) or "transactions")
    along_load = not first.along_targets
    has_peak = along_load and not first.test and not speaking(aspects, levels)
    limit_ms = intent.response_time_limit_ms
    points = (
        named_points(levels, first.load_model, limit_ms, looked=intent.looked)
        if has_peak
        else limit_point(levels, limit_ms)
    )
    peak = with_bracket(points.peak, levels)
    behind = SystemRuns(
        first=first,
        levels=levels,
        runs=[_used(level, each) for level, each in zip(levels, runs, strict=True)],
        facts=facts,
        transaction=transaction,
        peak=peak,
        intent=intent,
    )
    load_processes = load_processes_of(_behind_usable(behind))
    name = first.system or first.host
    return System(
        name=name,
        run=first.run,
        igen_version=first.version,
        workload=behind.workload,
        load_model=first.load_model,
        transaction=transaction,
        started_unix_s=first.started_unix_s,
        targets=first.targets if along_load else _all_targets(runs, first),
        params=behind.params,
        levels=levels,
        peak=peak,
        sweet_spot=points.sweet_spot,
        knee=points.knee,
        unnamed=points.unnamed,
        floor_ns=floor_ns,
        facts=dict(facts) | load_processes,
        defaults=first.defaults,
        findings=[*found, *(note for each in aspects for note in each.check_system(behind))],
        observations=[],
        job=first.job,
        looked=intent.looked,
        response_time_limit_ms=intent.response_time_limit_ms,
        within_limit=points.within_limit,
        scaling=[] if along_load else scaling_of(levels),
        reference=intent.reference.words,
        aspects=[part for each in aspects if (part := each.sum_up(behind)) is not None],
        system=name,
        test=first.test,
        test_title=intent.tests.get(first.test, ""),
        value=intent.value,
        published_ratios={
            ratio.product: ratio.value for ratio in intent.reference.ratios if ratio.test == first.test
        },
    )


def _behind_usable(system: SystemRuns) -> list[Recording]:
    """The recordings of levels of which something may be said, as far as their figures rest on them."""
    spoken = {level.level for level in usable(system.levels)}
    levels = zip(system.levels, system.runs, strict=True)
    return [run.recording for level, runs in levels if level.level in spoken for run in runs]


def _all_targets(runs: Sequence[Sequence[MeasuredRun]], first: Recording) -> list[str]:
    """The targets of the level with the most of them."""
    return max((each[0].recording.targets for each in runs), key=len, default=first.targets)


def result_of(
    systems: Sequence[System],
    title: str = "",
    aspects: Sequence[Aspect] = (),
    terms: Terms | None = None,
) -> Result:
    """The result document; the first system is the base of all ratios unless a study says otherwise."""
    comparison = compare(systems, terms)
    observations = [
        *(replace(found, scope="study") for each in aspects for found in each.observe_together(systems)),
        *comparison.observations,
    ]
    return Result(
        schema_version=SCHEMA_VERSION,
        igen_version=VERSION,
        title=title or " against ".join(dict.fromkeys(system.name for system in systems)),
        systems=list(systems),
        ratios=comparison.ratios,
        differences=comparison.differences,
        findings=comparison.findings,
        observations=observations,
        peak_ratios=comparison.peak_ratios,
        overall=overall_ratios(systems, terms),
    )


def _used(level: Level, runs: Sequence[MeasuredRun]) -> list[MeasuredRun]:
    return [run for run, repeat in zip(runs, level.repeats, strict=True) if repeat.used]


def _floor_ns(floor: Recording) -> float | None:
    """Time per transaction and user of a workload that does nothing."""
    run = measure(floor)
    if run.throughput_per_s == 0:
        return None
    return 1e9 * (floor.users or 1) / run.throughput_per_s


def _notes(recordings: Sequence[Recording], levels: Sequence[Level]) -> list[Finding]:
    """Return the warnings of the agents, with the number of jobs, and the levels that do not count."""
    given = Counter(text for recording in recordings for text in dict.fromkeys(recording.warnings))
    found = [finding("agent-warning", scope="system", text=text, jobs=jobs) for text, jobs in given.items()]
    by_rate = recordings[0].load_model == "open"
    invalid = [
        Part(name="load", text=load_name(level, by_rate=by_rate))
        for level in levels
        if level.verdict == "INVALID"
    ]
    return [*found, *([finding("levels-left-out", *invalid, scope="system")] if invalid else [])]
