"""A study as a process of its own, which outlives the runner: its lock tells whether it still goes on."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from igen.fleet.interrupts import Interrupts
from igen.queue.entry import Entry
from igen.queue.folder import QueueFolder
from igen.store.files import new_file, open_file, read_bytes, reading

CarryOut = Callable[[Entry, QueueFolder, Interrupts], int]
"""Runs the study of an entry to its end and returns the exit code. Raises `OSError` where it cannot start."""

RUN_FILE = "run"
LOG_FILE = "log"
FOLDERS = 2
"""Depth of these files in the store: in the job's folder, in the folder of the queue."""
_LAST_BYTES = 4096


def carry_out(entry: Entry, queue: QueueFolder, interrupts: Interrupts) -> int:
    """Runs the study of an entry, hands it each interrupt, and returns its exit code.

    Nothing is done while it measures. Raises `OSError` where it cannot be started.
    """
    process = _launched(entry, queue)
    handed_on = 0
    descriptor = os.pidfd_open(process.pid)
    try:
        while process.poll() is None:
            select.select([descriptor, interrupts.descriptor], [], [])
            interrupts.clear()
            while handed_on < interrupts.count:
                handed_on += 1
                process.send_signal(signal.SIGINT)
    finally:
        os.close(descriptor)
    return process.wait()


def _launched(entry: Entry, queue: QueueFolder) -> subprocess.Popen[bytes]:
    """Starts `igen study run` in a session of its own: the terminal's Ctrl-C reaches the runner alone.

    The file into which it announces its run stays locked for as long as it lives. Raises `OSError`.
    """
    folder = queue.job_folder(entry.job)
    announced = open_file(folder / RUN_FILE, os.O_RDWR | os.O_CREAT | os.O_TRUNC, folders=FOLDERS)
    try:
        fcntl.flock(announced, fcntl.LOCK_EX)
        with new_file(folder / LOG_FILE, folders=FOLDERS) as log:
            return subprocess.Popen(
                _command(entry, queue, announced),
                cwd=entry.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[announced],
                start_new_session=True,
            )
    finally:
        os.close(announced)


def _command(entry: Entry, queue: QueueFolder, announced: int) -> list[str]:
    # Without -P a folder `igen` where the study runs would take the place of this package.
    igen = [sys.executable, "-P", "-m", "igen.cli"]
    settings = [part for setting in settings_of_command(entry.params) for part in ("--set", setting)]
    study = str(queue.study_folder(entry.job) / entry.study)
    store = str(queue.path.parent)
    options = ["--store", store, "--announce", str(announced), *console_option(entry.console)]
    return [*igen, "study", "run", study, *options, *settings]


def console_option(console: Mapping[str, str]) -> list[str]:
    """How a study is told who started it in a console."""
    return [f"--console={json.dumps(console)}"] if console else []


def settings_of_command(params: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Parameters as `igen study run --set` takes them."""
    for name, value in params.items():
        if isinstance(value, dict):
            yield from settings_of_command(value, f"{prefix}{name}.")
        else:
            # Text is quoted, so that `5` and `true` stay text.
            yield f"{prefix}{name}={json.dumps(value)}"


def goes_on(folder: Path) -> bool:
    """Whether the study that was started for this job's folder still goes on. Raises `OSError`."""
    try:
        descriptor = open_file(folder / RUN_FILE, os.O_RDONLY, folders=FOLDERS)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def run_of(folder: Path) -> str:
    """Id of the run that the study has announced; empty where none was begun."""
    try:
        run = read_bytes(folder / RUN_FILE, folders=FOLDERS).decode().strip()
    except (OSError, UnicodeDecodeError):
        return ""
    return run if Path(run).name == run and not run.startswith(".") else ""


def last_error(folder: Path) -> str:
    """The last error that the study has printed, without its mark; empty where there is none."""
    marked = [line for line in last_lines(folder / LOG_FILE) if line.startswith("igen: ")]
    return marked[-1].removeprefix("igen: ").removeprefix("error: ") if marked else ""


def last_lines(log: Path) -> list[str]:
    """The lines at the end of what a study has printed; none where it cannot be read."""
    try:
        with reading(log, folders=FOLDERS) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _LAST_BYTES))
            return file.read(_LAST_BYTES).decode("utf-8", errors="replace").splitlines()
    except OSError:
        return []
