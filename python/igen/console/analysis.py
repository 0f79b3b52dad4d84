"""What the analyst does: results of runs as parts of a page, as a report, as CSV. Runs in its process.

What goes back to the console is plain text: markup of the printer's own type would have the console load
all that draws and judges, only to unpack it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from igen.document import RUN_FILE
from igen.errors import InputError
from igen.store.active import active_runs
from igen.store.run import Run

if TYPE_CHECKING:
    from igen.document import Document
    from igen.judge.result import Result


MOST_POINTS = 100
"""Most runs of a history."""


class PrintedSection(NamedTuple):
    """A section of the result as escaped markup."""

    name: str
    title: str
    content: str


class Printed(NamedTuple):
    """A document as parts of a console page."""

    title: str
    lines: list[str]
    """Markup about the system and the time of a run."""
    sections: list[PrintedSection]


def printed_result(store: Path, ids: Sequence[str], with_files: bool) -> Printed:
    """The result of a run, or of several side by side; files of the runs are linked to if asked for.

    Raises `InputError` for a run that goes on, as the report and the levels do.
    """
    from igen.report.outline import page

    return printed(page(_result([Run(store / run) for run in ids])), with_files=with_files)


def printed(document: Document, *, with_files: bool = False) -> Printed:
    """Any document."""
    from igen.report.printers.html.blocks import Page

    page = Page(_address if with_files else _nowhere)
    sections = [
        PrintedSection(each.name, each.title, "".join(map(page.block, each.blocks)))
        for each in document.sections
    ]
    return Printed(document.title, [str(page.words(line)) for line in document.lines], sections)


def printed_report(store: Path, ids: Sequence[str]) -> str:
    """Return the whole report as self-contained HTML."""
    from igen.report.outline import page
    from igen.report.printers.html import print_html
    from igen.workbench.remarks import remarks

    runs = [Run(store / run) for run in ids]
    return str(print_html(page(_result(runs), remarks(runs)), _nowhere))


def printed_levels(store: Path, ids: Sequence[str]) -> str:
    """Return the levels as CSV."""
    from igen.report.printers.spreadsheet import levels_csv

    return levels_csv(_result([Run(store / run) for run in ids]))


def judge_for_catalog(store: Path, run: str) -> None:
    """Store the peak of a run for searches."""
    _result([Run(store / run)])


def goes_on(run: str) -> InputError:
    """Return the error for a run that has not ended: a partial result would be misleading."""
    return InputError("this run has not ended", where=run, hint="its result appears here when it has ended")


def _result(runs: list[Run]) -> Result:
    from igen.study.results import read_result
    from igen.workbench.comparable import check_comparable
    from igen.workbench.remarks import keep_in_catalog

    for run in runs:
        if run.id in active_runs(run.folder.parent):
            raise goes_on(run.id)
    if len(runs) > 1:
        check_comparable(runs, [run.id for run in runs])
    result = read_result(runs)
    if len(runs) == 1:
        keep_in_catalog(runs[0], result)
    return result


def _address(link: str) -> str:
    if not link.startswith(RUN_FILE):
        return link
    run, _, path = link.removeprefix(RUN_FILE).partition("/")
    return f"/runs/{quote(run)}/files/{quote(path)}" if path else f"/runs/{quote(run)}/files"


def _nowhere(link: str) -> str:
    return "" if link.startswith(RUN_FILE) else link


def printed_history(store: Path, workload: str, host: str) -> Printed:
    """Return the last runs of a workload over time. Raises `InputError` if this host has no run."""
    from igen.report.history import history_document
    from igen.store.store import Store
    from igen.study.history import read_history, rows_of

    place = Store(store)
    rows = rows_of(place, workload, MOST_POINTS)
    return printed(history_document(read_history(place, workload, rows, host=host or None)))
