"""A system: what the levels of one curve tell together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from igen.errors import IgenError
from igen.facts import WORKLOAD_TRANSACTIONS
from igen.judge.aspect import Aspect, SystemRuns, speaking
from igen.judge.curve.amounts import amounts_of
from igen.judge.curve.bracket import with_bracket
from igen.judge.curve.judged_runs import judged_runs
from igen.judge.curve.level import level_of
from igen.judge.curve.load import load_name
from igen.judge.curve.looked import always_valid
from igen.judge.curve.observations import observations_of
from igen.judge.curve.points import limit_point, named_points
from igen.judge.curve.scaling import scaling_of
from igen.judge.curve.spreads import level_spreads
from igen.judge.intent import Intent
from igen.judge.record.curves import Curve
from igen.judge.record.recording import Recording
from igen.judge.result import Finding, Level, Part, System
from igen.judge.run.load_processes import load_processes_of
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import finding
from igen.judge.trust.usable import usable


def system_of(
    curve: Curve,
    ending: str,
    runs: Sequence[Sequence[MeasuredRun]],
    replaced: Collection[MeasuredRun],
    floor_ns: float | None,
    intent: Intent,
    aspects: Sequence[Aspect],
) -> System:
    """The system that recordings of one curve tell of; `ending` is what tells its name from the others'."""
    recordings = curve.recordings
    facts: dict[str, Any] = {}
    for recording in recordings:
        facts = recording.facts | facts
    judged = [judged_runs(each, floor_ns, aspects, replaced) for each in runs]
    spreads = level_spreads([each.used for each in judged])
    levels = [level_of(each, spread, aspects) for each, spread in zip(judged, spreads, strict=True)]
    if intent.looked:
        levels = [always_valid(level) for level in levels]
    found = _notes(recordings, levels)
    system = _finished(recordings[0], runs, levels, floor_ns, facts, found, intent, aspects)
    base = intent.against.get(system.name)
    # It is compared with the one that ends alike.
    system = replace(system, against=f"{base}{ending}" if base else "")
    return renamed(system, f"{system.name}{ending}", aspects)


def unmeasured(
    planned: Recording | None, floor_ns: float | None, intent: Intent, aspects: Sequence[Aspect]
) -> System:
    """The system of which nothing was recorded: what is known of its job; an `IgenError` if nothing is."""
    if planned is None:
        raise IgenError("nothing was recorded", hint="the run was ended before its first job began")
    nothing = [finding("nothing-recorded", scope="system")]
    return _finished(planned, [], [], floor_ns, {}, nothing, intent, aspects)


def with_silent(system: System, silent: Iterable[Recording]) -> System:
    """With a note of each recording that does not even say what its job was."""
    empty = [
        finding("recording-empty", scope="system", file=recording.job_file or "a recording")
        for recording in silent
    ]
    return replace(system, findings=[*system.findings, *empty])


def renamed(system: System, name: str, aspects: Sequence[Aspect] = ()) -> System:
    """The same system under another name, in its sentences too."""
    system = replace(system, name=name)
    return replace(system, observations=observations_of(system, aspects))


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
        amounts=amounts_of(behind),
    )


def _behind_usable(system: SystemRuns) -> list[Recording]:
    """The recordings of levels of which something may be said, as far as their figures rest on them."""
    spoken = {level.level for level in usable(system.levels)}
    levels = zip(system.levels, system.runs, strict=True)
    return [run.recording for level, runs in levels if level.level in spoken for run in runs]


def _all_targets(runs: Sequence[Sequence[MeasuredRun]], first: Recording) -> list[str]:
    """The targets of the level with the most of them."""
    return max((each[0].recording.targets for each in runs), key=len, default=first.targets)


def _used(level: Level, runs: Sequence[MeasuredRun]) -> list[MeasuredRun]:
    return [run for run, repeat in zip(runs, level.repeats, strict=True) if repeat.used]


def _notes(recordings: Sequence[Recording], levels: Sequence[Level]) -> list[Finding]:
    """Return the warnings of the agents, with the number of jobs, and the levels that do not count."""
    given = Counter(text for recording in recordings for text in dict.fromkeys(recording.warnings))
    found = [finding("agent-warning", scope="system", text=text, jobs=jobs) for text, jobs in given.items()]
    by_rate = recordings[0].load_model == "open"
    invalid = [
        Part(name="load", text=load_name(level, by_rate=by_rate))
        for level in levels
        if level.trust.verdict == "INVALID"
    ]
    return [*found, *([finding("levels-left-out", *invalid, scope="system")] if invalid else [])]
