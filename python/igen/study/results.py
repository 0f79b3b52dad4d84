"""Recorded runs as a result document: reads the store, asks the judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from igen.aspects.aspects import ASPECTS
from igen.aspects.torture.parts import Torture
from igen.aspects.torture.segments import Segment, next_segment, torture_of
from igen.errors import IgenError
from igen.foreign_text import cleaned
from igen.judge import analyse, result_of
from igen.judge.compare.terms import Terms
from igen.judge.compare.threshold_answers import threshold_answers
from igen.judge.curve.system import renamed
from igen.judge.intent import Intent
from igen.judge.record.recording import Recording
from igen.judge.record.reference import Reference
from igen.judge.result import Finding, Part, Result, System, ThresholdAnswer
from igen.judge.trust.damage import damage_of
from igen.judge.trust.finding import finding
from igen.reference.load import reference_of
from igen.store.integrity import Integrity
from igen.store.run import Run, RunRecord
from igen.study.canaries import shared_canaries
from igen.study.noise import host_name, noise_by_machine
from igen.study.plans import plan_type
from igen.study.recordings import Recordings, read_recording

MOST_NAMED = 3
"""Most times of a resume in a result, the latest ones."""
_NO_TIME_UNIX_S = 253_402_300_800
"""Start of the year 10000: a later time comes from a damaged record."""
LEVEL_SEGMENTS = 20
"""Most recordings of a long run in its levels: all together would not fit into memory."""


def read_systems(
    run: Run, recordings: Recordings | None = None, canary_spins_per_s: float | None = None
) -> list[System]:
    """Everything about one run: a system for each of the study's and each point of its axes other than load.

    What was wrong with the run's files is among the warnings of the first. Files that are among the
    `recordings` are not read again. `canary_spins_per_s` is what the canary usually does in the runs that are
    compared, where these are of one machine; else what it does in this run counts.
    """
    record = run.read_record()
    if plan_type(record.mode).in_segments:
        jobs, torture = _torture(run)
    else:
        jobs, torture = _jobs(run, recordings or Recordings()), None
    floor = read_recording(run.floor_path) if run.floor_path else None
    run.warnings += floor.warnings if floor else []
    reference = reference_of(str(record.study.get("reference") or ""))
    intent, damaged = _intent(record, reference)
    systems = analyse(
        jobs, floor.recording if floor else None, _planned(record), intent, ASPECTS, canary_spins_per_s
    )
    notes = [damage_of(each, "system") for each in run.warnings]
    notes += [*damaged, *(_resumed(record) if torture is None else ())]
    first = replace(systems[0], findings=[*notes, *systems[0].findings])
    if torture is not None:
        first = replace(first, aspects=[*first.aspects, torture])
    return [first, *systems[1:]]


def _intent(record: RunRecord, reference: Reference) -> tuple[Intent, list[Finding]]:
    """Return the study's questions to the judge; none, and a note, if the record is damaged there."""
    try:
        return Intent.of(record.study, reference), []
    except (IgenError, AttributeError, LookupError, TypeError, ValueError):
        return Intent(reference=reference), [finding("study-damaged", scope="system")]


def _jobs(run: Run, recordings: Recordings) -> list[Recording]:
    """The executions whose files say what they are of; what is wrong with files is added to the run's.

    If the files are not those that the run ended with, no figure of it is known to be what was measured: each
    execution is damaged.
    """
    integrity = run.integrity()
    found = [recordings.read(path) for path in run.job_paths() if path not in integrity.left_out]
    run.warnings.extend([*integrity.damage, *(warning for each in found for warning in each.warnings)])
    return [_damaged(each.recording, integrity) for each in found if each.recording is not None]


def _damaged(recording: Recording, integrity: Integrity) -> Recording:
    damage = integrity.damage
    return replace(recording, damage=[*damage, *recording.damage]) if damage else recording


def _resumed(record: RunRecord) -> list[Finding]:
    """Return a note if the run was measured in several sessions."""
    times = [each for each in record.resumed_unix_s if 0 <= each < _NO_TIME_UNIX_S]
    parts = [Part(name="resumed_unix_s", figure=each) for each in times]
    return [finding("run-resumed", *parts, scope="system")] if times else []


def _torture(run: Run) -> tuple[list[Recording], Torture]:
    """Return a run of many hours: all segments, and the recordings for the figures of the levels."""
    kept = evenly_spread(len(run.job_paths()), LEVEL_SEGMENTS)
    segments: list[Segment] = []
    recordings: list[Recording] = []
    integrity = run.integrity()
    run.warnings += integrity.damage
    for index, path in enumerate(run.job_paths()):
        found = read_recording(path)
        run.warnings += found.warnings
        if found.recording is None or path in integrity.left_out:
            continue
        recording = _damaged(found.recording, integrity)
        segments.append(next_segment(recording, segments))
        if index in kept:
            recordings.append(recording)
    return recordings, torture_of(segments)


def evenly_spread(count: int, most: int) -> set[int]:
    """Return at most `most` of the numbers below `count`: the first, the last, and some between."""
    if count <= most:
        return set(range(count))
    return {round(index * (count - 1) / (most - 1)) for index in range(most)}


def _planned(record: RunRecord) -> Recording:
    """Return the facts of a run before its first job."""
    job = record.study.get("job")
    return Recording(
        run=record.run,
        system=record.system,
        job=dict(job) if isinstance(job, dict) else {},
        started_unix_s=record.created_unix_s,
    )


def read_result(
    runs: list[Run],
    title: str = "",
    margin: float | None = None,
    slower_margin: float | None = None,
    recordings: Recordings | None = None,
    host: str | None = None,
) -> Result:
    """The result document of one run, or of several side by side: the first is then the base of all ratios.

    Systems of the same name are numbered in the order given. `margin` is the share below which a difference
    does not matter; that of the first run's study where it is None. `slower_margin` is the share by which
    none may be slower than the base. The thresholds of a study are judged where its run stands alone. Files
    that are among the `recordings` are not read again. `host` is the machine of runs that name none, this one
    where it is None.
    """
    titles = [run.read_record().title for run in runs]
    kept = recordings or Recordings()
    canaries = shared_canaries(runs, kept) if len(runs) > 1 else {}
    systems = [system for run in runs for system in read_systems(run, kept, canaries.get(run.id))]
    if len(runs) > 1:
        systems = [replace(system, against="") for system in systems]
    names = Counter(system.name for system in systems)
    systems = [
        renamed(system, f"{system.name} ({number})", ASPECTS) if names[system.name] > 1 else system
        for number, system in enumerate(systems, start=1)
    ]
    terms = replace(_terms(runs, systems, margin, host or host_name()), slower_margin=slower_margin)
    result = result_of(systems, cleaned(title) or (titles[0] if len(titles) == 1 else ""), ASPECTS, terms)
    return result if len(runs) > 1 else replace(result, thresholds=_thresholds(runs[0], systems))


def _thresholds(run: Run, systems: list[System]) -> list[ThresholdAnswer]:
    intent, _ = _intent(run.read_record(), Reference())
    return threshold_answers(intent.fail_if, systems, looked=intent.looked)


def _terms(runs: list[Run], systems: list[System], margin: float | None, host: str) -> Terms:
    """On which systems are compared: what their studies say, and what the store knows of the noise of
    their machines."""
    record, store = runs[0].read_record(), runs[0].folder.parent
    intent, _ = _intent(record, Reference())
    return Terms(
        margin=margin or intent.margin,
        noise=noise_by_machine(store, systems, unnamed=host),
        until_decided=record.plan.get("repeats") == "decided",
    )
