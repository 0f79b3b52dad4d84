"""Recorded runs as a result document: reads the store, asks the judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from igen.analysis.analyse import analyse, renamed, result_of
from igen.analysis.intent import Intent
from igen.analysis.recording import Recording, recording_from_events
from igen.analysis.result import Result, System
from igen.analysis.torture import Segment, next_segment, torture_of
from igen.analysis.torture_result import Torture
from igen.reference.load import reference_of
from igen.store.job_file import JobFile
from igen.store.run import Run, RunRecord

LEVEL_SEGMENTS = 20
"""As many of a run of many hours make up its levels: together, all of them would not fit into memory."""


def recording_of(job_file: JobFile) -> Recording:
    """A jobs file as the judge reads it."""
    return recording_from_events(job_file.events, job_file=job_file.path.name)


def read_systems(run: Run) -> list[System]:
    """Everything about one run: a system for each of the study's and each point of its axes other than load.

    What was wrong with the run's files is among the warnings of the first.
    """
    record = run.read_record()
    if record.study.get("torture_s"):
        jobs, torture = _torture(run)
    else:
        jobs = [recording_of(job_file) for job_file in run.read_jobs() if job_file.start is not None]
        torture = None
    floor = run.read_floor()
    intent = Intent.of(record.study, reference_of(str(record.study.get("reference") or "")))
    systems = analyse(jobs, recording_of(floor) if floor else None, _planned(record), intent)
    first = replace(systems[0], warnings=[*run.warnings, *systems[0].warnings])
    return [replace(first, torture=torture), *systems[1:]]


def _torture(run: Run) -> tuple[list[Recording], Torture]:
    """A run of many hours: all segments, and those recordings on which the levels' figures are to rest."""
    kept = evenly_spread(len(run.job_paths()), LEVEL_SEGMENTS)
    segments: list[Segment] = []
    recordings: list[Recording] = []
    for index, job_file in enumerate(run.each_job()):
        if job_file.start is None:
            continue
        recording = recording_of(job_file)
        segments.append(next_segment(recording, segments))
        if index in kept:
            recordings.append(recording)
    return recordings, torture_of(segments)


def evenly_spread(count: int, most: int) -> set[int]:
    """At most so many of the numbers from 0 to `count` - 1: the first, the last, and some between."""
    if count <= most:
        return set(range(count))
    return {round(index * (count - 1) / (most - 1)) for index in range(most)}


def _planned(record: RunRecord) -> Recording:
    """What is known of a run before its first job."""
    return Recording(
        run=record.run,
        system=record.system,
        job=dict(record.study.get("job") or {}),
        started_unix_s=record.created_unix_s,
    )


def read_result(runs: list[Run], title: str = "") -> Result:
    """The result document of one run, or of several side by side: the first is then the base of all ratios.

    Systems of the same name are numbered in the order given.
    """
    titles = [run.read_record().title for run in runs]
    systems = [system for run in runs for system in read_systems(run)]
    if len(runs) > 1:
        systems = [replace(system, against="") for system in systems]
    names = Counter(system.name for system in systems)
    systems = [
        renamed(system, f"{system.name} ({number})") if names[system.name] > 1 else system
        for number, system in enumerate(systems, start=1)
    ]
    return result_of(systems, title or (titles[0] if len(titles) == 1 else ""))
