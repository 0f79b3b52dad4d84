"""Results with and without something to find: from the lines of jobs files to the result document."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from igen.aspects.aspects import ASPECTS
from igen.judge import analyse, result_of
from igen.judge.compare.terms import Terms
from igen.judge.record.recording import Recording, recording_from_events
from igen.judge.result import Result, System
from tests.judge.synthetic import events, recording

QUIET = {
    "host.name": "here",
    "cpu.governor": "performance",
    "cpu.turbo": False,
    "cpu.smt": "off",
    "memory.total_bytes": 1 << 30,
    "workload.version": 1,
    "storage.working_directory.file_system": "ext4",
    "storage.working_directory.mount_point": "/",
}
"""Facts of a machine that nothing is to be said of."""
SQLITE = {
    "target.sqlite.version": "3.54",
    "target.sqlite.synchronous": "full",
    "target.sqlite.journal_mode": "wal",
    "target.sqlite.cache_bytes": 2_048_000,
    "target.sqlite.database_bytes": 8 << 30,
}
POSTGRESQL = {
    "target.postgresql.version": "17",
    "target.postgresql.fsync": "on",
    "target.postgresql.synchronous_commit": "on",
    "target.postgresql.full_page_writes": "on",
    "target.postgresql.shared_buffers": "128MB",
    "target.postgresql.database_bytes": 8 << 30,
    "target.postgresql.checkpoint_timeout": "30s",
}
MYSQL = {
    "target.mysql.version": "10.11",
    "target.mysql.innodb_flush_log_at_trx_commit": 1,
    "target.mysql.innodb_doublewrite": "ON",
    "target.mysql.innodb_buffer_pool_bytes": 1 << 27,
    "target.mysql.database_bytes": 8 << 30,
}
FAR = {"targets": ["postgresql://igen@db.far/shop"]}
JOB: dict[str, Any] = {"workload": "oltp", "targets": ["sqlite:///shop.db"], "params": {"customers": 100_000}}


def recordings(
    facts: dict[str, Any] | None = None,
    job: dict[str, Any] | None = None,
    *,
    seconds: int = 90,
    repeats: int = 3,
    users: tuple[int, ...] = (1, 2, 4),
    rows: int = 1000,
    **rest: Any,
) -> list[Recording]:
    """A curve with its peak in the middle; nothing is to be said of it but what is asked for here."""
    each_s = {1: 500, 2: 1000, 4: 900}
    found = []
    for place, number in enumerate(users):
        for repeat in range(repeats):
            made = recording(
                [each_s.get(number, 1000) + repeat] * seconds,
                users=number,
                level=place,
                repeat=repeat,
                job={**JOB, **(job or {})},
                facts={**QUIET, **SQLITE, **(facts or {})},
                **rest,
            )
            counted = [
                replace(each, counters={"rows_read": rows, "entries": rows}) for each in made.snapshots
            ]
            made.snapshots = counted
            found.append(made)
    return found


def result(*of: list[Recording], terms: Terms | None = None) -> Result:
    """What the judge makes of the lines of these runs' files."""
    systems: list[System] = []
    for made in of:
        read = [recording_from_events(events(each), each.job_file) for each in made]
        systems += analyse(read, aspects=ASPECTS)
    return result_of(systems, "", ASPECTS, terms)


def result_with(
    facts: dict[str, Any] | None = None, job: dict[str, Any] | None = None, **rest: Any
) -> Result:
    """The same of one run."""
    return result(recordings(facts, job, **rest))
