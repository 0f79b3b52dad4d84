"""What people have said of runs, as a report shows it, and what the judge said, as the list of runs does."""

from __future__ import annotations

from collections.abc import Iterable

from igen.judge.result import Result
from igen.store.catalog import keep_judged
from igen.store.notes import read_notes
from igen.store.run import Run


def remarks(runs: Iterable[Run]) -> list[str]:
    """A line for each note; of several runs, each begins with its run's id."""
    found = list(runs)
    return [
        f"{run.id}, {note.line()}" if len(found) > 1 else note.line()
        for run in found
        for note in read_notes(run).texts
    ]


def keep_in_catalog(run: Run, result: Result) -> None:
    """Lets `igen list runs --search 'peak>5000'` find the run; `result` is of this run alone."""
    peaks = [system.peak for system in result.systems if system.peak is not None]
    best = max(peaks, key=lambda peak: peak.throughput_per_s.value, default=None)
    verdict = ""
    for system in result.systems:
        for level in system.levels:
            if best is not None and system.peak is best and level.level == best.level:
                verdict = level.verdict
    worst = [level.verdict for system in result.systems for level in system.levels]
    if best is None:
        verdict = next((each for each in ("INVALID", "SUSPECT", "VALID") if each in worst), "")
    keep_judged(run.folder.parent, run, best.throughput_per_s.value if best else None, verdict)
