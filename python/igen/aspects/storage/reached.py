"""Loads of storage that did not reach it: unwritten data, files in memory, reads from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from igen.aspects.storage.measure import MONITOR, READ_BYTES, counter_per_s, devices_of
from igen.facts import IO_DIRECT, IO_IN_MEMORY, IO_WRITTEN_BEFORE
from igen.judge.result import Finding
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import finding
from igen.judge.trust.rules.load import LEAST_PHYSICAL, UNWRITTEN_SHARE

PERCENT = "percent"


def beside_storage(run: MeasuredRun) -> Iterator[Finding]:
    """Yield why the load, or a part of it, was not served by storage."""
    facts, read_per_s = run.recording.facts, counter_per_s(run, READ_BYTES)
    if facts.get(IO_IN_MEMORY) is True:
        yield finding("storage-in-memory")
    written = facts.get(IO_WRITTEN_BEFORE)
    if read_per_s and isinstance(written, int | float) and 1 - written > UNWRITTEN_SHARE.value:
        yield finding(
            "data-unwritten",
            limit=100 * UNWRITTEN_SHARE.value,
            unit=PERCENT,
            unwritten_percent=100 * (1 - written),
        )
    physical_per_s = run.host.sum_per_s(MONITOR, [READ_BYTES], devices_of(run.host))
    # Without direct I/O the page cache may serve reads.
    if facts.get(IO_DIRECT) is not True or physical_per_s is None:
        return
    if physical_per_s < LEAST_PHYSICAL.value * read_per_s:
        yield finding(
            "reads-elsewhere",
            limit=100 * LEAST_PHYSICAL.value,
            unit=PERCENT,
            physical_percent=100 * physical_per_s / read_per_s,
        )
