"""Plan of a study, checked as by `igen study check`, before it is started or queued."""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from igen.console.forms import table_of
from igen.console.guard import Visitor
from igen.console.state import Console
from igen.dangers.find import dangers
from igen.errors import InputError
from igen.store.access import not_written
from igen.store.store import DEFAULT_STORE
from igen.workbench.asker import Asker, in_console

ELSEWHERE = "use the command line, or start the console with --allow-dangerous"
"""Hint for actions that a console refuses."""


@dataclass(frozen=True, slots=True)
class Planned:
    """Checked plan of a study."""

    text: str
    """The study as TOML."""
    lines: list[str]
    """Levels, jobs and time."""
    command: str
    """Equivalent command."""
    dangers: list[str]


def planned(console: Console, text: str, command: str = "") -> Planned:
    """Checks a study. Raises `InputError` with the place of the fault.

    Files that a study names are not read: it has no folder.
    """
    table = table_of(text)
    try:
        found = dangers(table)
    except RecursionError:
        raise InputError("its tables are nested too deeply", where="study", hint="use fewer levels") from None
    if found and not console.dangerous:
        raise InputError(f"not allowed in this console: {', '.join(map(str, found))}", hint=ELSEWHERE)
    said = command or "igen study run study.toml"
    return Planned(text, preview_lines(table), said + _into(console.folder), [each.word for each in found])


def _into(store: Path) -> str:
    """Return the option that selects the store of this console."""
    return "" if str(store) == DEFAULT_STORE else shlex.join(["", "--store", str(store)]).removeprefix("''")


def preview_lines(table: Mapping[str, Any]) -> list[str]:
    """Return the output of `igen study check`. Raises `InputError`."""
    from igen.study.study import study_of
    from igen.workbench.preview import planned_lines

    return planned_lines(study_of(table, "study"))


def confirmed(plan: Planned, typed: str) -> None:
    """Raise `InputError` unless the user confirmed a danger by typing it."""
    typed_again(plan.dangers, typed, hint="this study may be dangerous")


def typed_again(found: Sequence[str], typed: str, hint: str) -> None:
    """Raise `InputError` with the hint unless there is no danger or the user typed one of them."""
    if found and typed.strip() not in found:
        raise InputError(f"type `{found[0]}` to confirm it", where="confirm", hint=hint)


def study_file(folder: str, text: str) -> Path:
    """Write the study into a file with its name in a folder, for functions that take files."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", str(table_of(text).get("name", ""))).strip("-")[:40]
    path = Path(folder) / f"{name or 'study'}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def asker_of(console: Console, visitor: Visitor) -> Asker:
    """Return the visitor for the record of a run, without the secret."""
    return in_console(visitor.role, visitor.name, guarded=not console.dangerous)


def enqueued(console: Console, text: str, at: str, after: str, asker: Asker) -> int:
    """Add the study to the queue and return its number there. Raises `InputError`, `IgenError`."""
    from datetime import datetime

    from igen.queue.times import parse_at
    from igen.workbench.enqueue import When, enqueue

    when = When(
        at_unix_s=parse_at(at.strip(), datetime.now().astimezone()) if at.strip() else None,
        after=_job_number(after.strip()),
    )
    try:
        with tempfile.TemporaryDirectory(prefix="igen-console-") as folder:
            file = study_file(folder, text)
            (entry,) = enqueue([file], console.store, now_unix_s=console.now(), when=when, asker=asker)
    except OSError as error:
        raise not_written(Path(error.filename or tempfile.gettempdir()), error) from error
    return entry.job


def _job_number(text: str) -> int | None:
    """Return a number, or None for an empty field. Raises `InputError` for other text."""
    if text and not (text.isascii() and text.isdecimal() and len(text) < 9):
        raise InputError("is not the number of a job", where="after", hint="the page Queue lists the jobs")
    return int(text) if text else None
