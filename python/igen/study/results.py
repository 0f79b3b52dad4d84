"""Recorded runs as a result document: reads the store, asks the judge."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from igen.analysis.analyse import analyse, renamed, result_of
from igen.analysis.intent import Intent
from igen.analysis.recording import Recording, recording_from_events
from igen.analysis.result import Result, System
from igen.analysis.torture import segments_of, torture_of
from igen.reference.load import reference_of
from igen.store.job_file import JobFile
from igen.store.run import Run, RunRecord


def recording_of(job_file: JobFile) -> Recording:
    """A jobs file as the judge reads it."""
    return recording_from_events(job_file.events, job_file=job_file.path.name)


def read_systems(run: Run) -> list[System]:
    """Everything about one run: a system for each of the study's and each point of its axes other than load.

    What was wrong with the run's files is among the warnings of the first.
    """
    jobs = [recording_of(job_file) for job_file in run.read_jobs() if job_file.start is not None]
    floor = run.read_floor()
    record = run.read_record()
    intent = Intent.of(record.study, reference_of(str(record.study.get("reference") or "")))
    systems = analyse(jobs, recording_of(floor) if floor else None, _planned(record), intent)
    first = replace(systems[0], warnings=[*run.warnings, *systems[0].warnings])
    if record.study.get("torture_s"):
        first = replace(first, torture=torture_of(segments_of(jobs)))
    return [first, *systems[1:]]


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
