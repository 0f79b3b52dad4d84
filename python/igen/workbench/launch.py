"""Start of a study as a separate process, which outlives its caller."""

from __future__ import annotations

import fcntl
import os
import secrets
import select
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from igen.queue.study_process import FOLDERS, RUN_FILE, console_option, run_of
from igen.store.access import not_written
from igen.store.files import make_folder, new_file, open_file
from igen.store.store import Store
from igen.workbench.asker import Asker
from igen.workbench.begun import (
    BEGUN_FOLDER,
    LOG_FILE,
    STUDY_FILE,
    forget_old,
    keep,
    keep_earlier,
    said_at_end,
)

PATIENCE_S = 20.0
"""Longest wait for the start of a run; its servers and data are created before."""
_LOOK_EVERY_S = 0.1


def launch(text: str, store: Store, asker: Asker | None = None, *, patience_s: float = PATIENCE_S) -> str:
    """Runs a study, as `igen study run` does, and returns the run's id; empty where it still prepares.

    The study and what was printed stand in the run's folder afterwards, and in one of `BEGUN_FOLDER` until it
    begins. The run keeps who asked for it. Raises `InputError` where it could not begin, and `IgenError`.
    """
    folder = store.path / BEGUN_FOLDER / secrets.token_hex(8)
    process = None
    try:
        keep_earlier(store)
        forget_old(store)
        store.path.mkdir(parents=True, exist_ok=True)
        make_folder(folder.parent, folders=0, exist_ok=True)
        make_folder(folder)
        with new_file(folder / STUDY_FILE, folders=FOLDERS) as study:
            study.write(text.encode())
        process = _launched(folder, store, asker or Asker())
        run = _announced(folder, process, patience_s)
        if run:
            keep(folder, store.path / run)
    except OSError as error:
        if process is None:
            shutil.rmtree(folder, ignore_errors=True)
        raise not_written(folder, error) from error
    if not run:
        if process.poll() is not None:
            refused = said_at_end(folder)
            shutil.rmtree(folder)
            raise refused
        threading.Thread(target=_keep_later, args=(folder, store, process), daemon=True).start()
    return run


def work_off_queue(store: Store, *, guarded: bool) -> None:
    """Starts `igen queue run --once`: it ends when no job of the queue is due any more.

    With `guarded` it skips jobs that are not known to be harmless.
    """
    options = ["--once", "--quiet", *(["--guarded"] if guarded else [])]
    _started(["queue", "run", *options, "--store", str(store.path)], subprocess.DEVNULL, None)


def _launched(folder: Path, store: Store, asker: Asker) -> subprocess.Popen[bytes]:
    """Starts the study. It announces its run into a file, which takes a line however late it comes.

    The file stays locked for as long as the study lives.
    """
    announced = open_file(folder / RUN_FILE, os.O_RDWR | os.O_CREAT | os.O_EXCL, folders=FOLDERS)
    try:
        fcntl.flock(announced, fcntl.LOCK_EX)
        options = ["--announce", str(announced), "--quiet", "--store", str(store.path)]
        options += console_option(asker.console)
        with new_file(folder / LOG_FILE, folders=FOLDERS) as log:
            return _started(["study", "run", str(folder / STUDY_FILE), *options], log.fileno(), announced)
    finally:
        os.close(announced)


def _started(arguments: list[str], output: int, announced: int | None) -> subprocess.Popen[bytes]:
    # Without -P a folder `igen` where the console runs would take the place of this package.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "igen.cli", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        pass_fds=[] if announced is None else [announced],
        start_new_session=True,
    )


def _announced(folder: Path, process: subprocess.Popen[bytes], patience_s: float) -> str:
    """Return the run that the study reports; empty if it ends without a run or takes longer."""
    until_s = time.monotonic() + patience_s
    descriptor = os.pidfd_open(process.pid)
    try:
        while True:
            # Looked at before the file: what has ended writes nothing more.
            has_ended = process.poll() is not None
            run = run_of(folder)
            left_s = until_s - time.monotonic()
            if run or has_ended or left_s <= 0:
                return run
            select.select([descriptor], [], [], min(left_s, _LOOK_EVERY_S))
    finally:
        os.close(descriptor)


def _keep_later(folder: Path, store: Store, process: subprocess.Popen[bytes]) -> None:
    """Keeps what still prepares, when it has begun; what never does stays until it is forgotten."""
    with suppress(OSError):
        if run := _announced(folder, process, float("inf")):
            keep(folder, store.path / run)
    process.wait()
