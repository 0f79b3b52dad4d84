"""Studies that were started, until their runs begin; the output of a failed start is kept."""

from __future__ import annotations

import re
import shutil
import time
import tomllib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from igen.errors import IgenError, InputError
from igen.foreign_text import cleaned
from igen.queue.study_process import FOLDERS, RUN_FILE, goes_on, last_lines, run_of
from igen.store.files import move_file, read_bytes
from igen.store.store import Store
from igen.workbench.own_command import error_of

BEGUN_FOLDER = ".begun"
STUDY_FILE, LOG_FILE = "study.toml", "igen.log"
KEPT_S = 7 * 86_400.0
"""Time for which the output of a failed start is kept, unless a user dismisses it."""
_STARTS_WITHIN_S = 60.0


class NotBegun(NamedTuple):
    """A study without a run."""

    id: str
    """Name of its folder."""
    name: str
    """Name of the study; empty without a name."""
    since_unix_s: float
    reason: str
    """Why it will never have a run; empty while it prepares servers and data."""


def not_begun(store: Store, now_unix_s: float) -> list[NotBegun]:
    """Return the started studies of a store, the latest first."""
    found = []
    for folder in (store.path / BEGUN_FOLDER).glob("*"):
        with suppress(OSError):  # its run has begun in the meantime, or it is not ours to read
            if folder.is_dir() and not run_of(folder):
                since_unix_s = folder.stat().st_mtime
                prepares = goes_on(folder) or (
                    not (folder / RUN_FILE).exists() and 0 <= now_unix_s - since_unix_s < _STARTS_WITHIN_S
                )
                reason = "" if prepares else cleaned(said_at_end(folder).text)
                found.append(NotBegun(folder.name, _name(folder), since_unix_s, reason))
    return sorted(found, key=lambda each: -each.since_unix_s)


def said_at_end(folder: Path) -> IgenError:
    """Return the error that a study printed, without the path of its file."""
    place = re.compile(rf"{re.escape(str(folder / STUDY_FILE))}(:\d+)?: ")
    return error_of([place.sub("", line) for line in last_lines(folder / LOG_FILE)], InputError.exit_code)


def forget(store: Store, folder: str) -> None:
    """Remove the files of a study that did not start. Raises `InputError` for any other study."""
    if folder not in [each.id for each in not_begun(store, time.time()) if each.reason]:
        raise InputError("there is no such study", where=folder[:40], hint="its run may have started")
    shutil.rmtree(store.path / BEGUN_FOLDER / folder, ignore_errors=True)


def forget_old(store: Store) -> None:
    """Remove studies that failed long ago."""
    now_unix_s = time.time()
    for each in not_begun(store, now_unix_s):
        if each.reason and now_unix_s - each.since_unix_s > KEPT_S:
            shutil.rmtree(store.path / BEGUN_FOLDER / each.id, ignore_errors=True)


def keep(folder: Path, run: Path) -> None:
    """Moves the study and what is printed to the run that it became; the process goes on printing there.

    Two may do so at once: who comes second finds nothing to move.
    """
    with suppress(FileNotFoundError):
        for name in (STUDY_FILE, LOG_FILE):
            move_file(folder / name, run / name, folders=FOLDERS)
        (folder / RUN_FILE).unlink()
        folder.rmdir()


def keep_earlier(store: Store) -> None:
    """Keeps runs that began after the program had ended which started them."""
    for path in (store.path / BEGUN_FOLDER).glob(f"*/{RUN_FILE}"):
        if run := run_of(path.parent):
            keep(path.parent, store.path / run)


def _name(folder: Path) -> str:
    try:
        table = tomllib.loads(read_bytes(folder / STUDY_FILE, folders=FOLDERS).decode())
    except (OSError, ValueError, RecursionError):
        return ""
    return cleaned(str(table.get("title") or table.get("name") or ""))
