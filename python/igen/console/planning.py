"""What would run: a study checked as `igen study check` checks it, before anything is started or queued."""

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

ELSEWHERE = "the command line does that, or a console that is started with --allow-dangerous"
"""Where to go with what a console refuses."""


@dataclass(frozen=True, slots=True)
class Planned:
    """What would run."""

    text: str
    """The study as TOML."""
    lines: list[str]
    """Levels, jobs and time."""
    command: str
    """The command that means the same."""
    dangers: list[str]


def planned(console: Console, text: str, command: str = "") -> Planned:
    """Checks a study. Raises `InputError` with the place of the fault.

    Files that a study names are not read: it has no folder.
    """
    table = table_of(text)
    try:
        found = dangers(table)
    except RecursionError:
        raise InputError(
            "its tables are nested too deeply", where="study", hint="a study needs few"
        ) from None
    if found and not console.dangerous:
        raise InputError(f"not from this console: {', '.join(map(str, found))}", hint=ELSEWHERE)
    said = command or "igen study run study.toml"
    return Planned(text, preview_lines(table), said + _into(console.folder), [each.word for each in found])


def _into(store: Path) -> str:
    """What has the command write where this console looks."""
    return "" if str(store) == DEFAULT_STORE else shlex.join(["", "--store", str(store)]).removeprefix("''")


def preview_lines(table: Mapping[str, Any]) -> list[str]:
    """What `igen study check` prints of the study. Raises `InputError`."""
    from igen.study.study import study_of
    from igen.workbench.preview import planned_lines

    return planned_lines(study_of(table, "study"))


def confirmed(plan: Planned, typed: str) -> None:
    """Raises `InputError` unless what is dangerous was typed once more."""
    typed_again(plan.dangers, typed, hint="it is not known to be harmless")


def typed_again(found: Sequence[str], typed: str, hint: str) -> None:
    """Raises `InputError` with the hint unless one of the dangers was typed; nothing where there is none."""
    if found and typed.strip() not in found:
        raise InputError(f"type `{found[0]}` to say that it is meant", where="confirm", hint=hint)


def study_file(folder: str, text: str) -> Path:
    """The study as a file of its own name in a folder, for functions that take files."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", str(table_of(text).get("name", ""))).strip("-")[:40]
    path = Path(folder) / f"{name or 'study'}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def asker_of(console: Console, visitor: Visitor) -> Asker:
    """Who asks, as a run keeps it: never the secret by which they came in."""
    return in_console(visitor.role, visitor.name, guarded=not console.dangerous)


def enqueued(console: Console, text: str, at: str, after: str, asker: Asker) -> int:
    """Adds the study to the queue, and returns its number there. Raises `InputError`, `IgenError`."""
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
    """None for an empty field; whatever else is no number must not let the job run at once."""
    if text and not (text.isascii() and text.isdecimal() and len(text) < 9):
        raise InputError("is no number of a job", where="after", hint="the queue lists them")
    return int(text) if text else None
