"""Notes on runs for a report, and verdicts for the list of runs."""

from __future__ import annotations

from collections.abc import Iterable

from igen.judge.result import Result
from igen.store.catalog import keep_judged
from igen.store.notes import read_notes
from igen.store.run import Run


def remarks(runs: Iterable[Run]) -> list[str]:
    """Return a line for each note; with several runs, each line begins with the id of its run."""
    found = list(runs)
    return [
        f"{run.id}, {note.line()}" if len(found) > 1 else note.line()
        for run in found
        for note in read_notes(run).texts
    ]


def keep_in_catalog(run: Run, result: Result) -> None:
    """Lets `igen list runs --search 'peak>5000'` find the run; `result` is of this run alone.

    Where no peak is named it is the highest throughput of the levels that may be used.
    """
    levels = [(system, level) for system in result.systems for level in system.levels]
    peaks = [each for each in levels if each[0].peak is not None and each[0].peak.level == each[1].level]
    usable = [each for each in levels if each[1].trust.throughput != "INVALID"]
    found = [level for _, level in peaks or usable]
    best = max(found, key=lambda level: level.throughput_per_s.value, default=None)
    verdict = best.trust.verdict if best is not None else "INVALID" if levels else ""
    keep_judged(run.folder.parent, run, best.throughput_per_s.value if best else None, verdict)
