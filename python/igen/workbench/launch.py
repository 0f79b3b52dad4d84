"""Starts a study as a process of its own, which knows nothing of who started it and outlives them."""

from __future__ import annotations

import os
import re
import secrets
import select
import subprocess
import sys
from pathlib import Path

from igen.errors import IgenError, InputError
from igen.store.access import not_written
from igen.store.store import Store
from igen.workbench.own_command import error_of

BEGUN_FOLDER = ".begun"
STUDY_FILE, LOG_FILE = "study.toml", "igen.log"
PATIENCE_S = 20.0
"""How long a run may take to begin; servers and data that it needs are made before."""


def launch(text: str, store: Store, *, patience_s: float = PATIENCE_S) -> str:
    """Runs a study, as `igen study run` does, and returns the run's id; empty where it still prepares.

    The study and what was printed stand in the run's folder afterwards. Raises `InputError` where it could
    not begin, and `IgenError`.
    """
    folder = store.path / BEGUN_FOLDER / secrets.token_hex(8)
    try:
        folder.mkdir(parents=True)
        (folder / STUDY_FILE).write_text(text, encoding="utf-8")
        told, announced = os.pipe()
        try:
            with (folder / LOG_FILE).open("wb") as log:
                options = ["--announce", str(announced), "--quiet", "--store", str(store.path)]
                arguments = ["study", "run", str(folder / STUDY_FILE), *options]
                process = _started(
                    [*arguments, "--quiet", "--store", str(store.path)], log.fileno(), announced
                )
            os.close(announced)
            run = _announced(told, patience_s)
        finally:
            os.close(told)
    except OSError as error:
        raise not_written(folder, error) from error
    if run:
        _keep(folder, store.path / run)
    elif process.poll() is not None or _ended(process):
        raise _refused(folder)
    return run


def work_off_queue(store: Store) -> None:
    """Starts `igen queue run --once`: it ends when no job of the queue is due any more."""
    _started(["queue", "run", "--once", "--quiet", "--store", str(store.path)], subprocess.DEVNULL, None)


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


def _announced(told: int, patience_s: float) -> str:
    """The line that the study writes; empty where it ends without one, or takes longer."""
    ready, _, _ = select.select([told], [], [], patience_s)
    return os.read(told, 4096).decode().strip() if ready else ""


def _ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether it ends now: its end of the pipe is closed a moment before."""
    try:
        process.wait(timeout=1.0)
    except subprocess.TimeoutExpired:
        return False
    return True


def _keep(folder: Path, run: Path) -> None:
    """Moves the study and what is printed to the run that it became; the process goes on printing there."""
    for name in (STUDY_FILE, LOG_FILE):
        (folder / name).rename(run / name)
    folder.rmdir()


def _refused(folder: Path) -> IgenError:
    """What it printed, as an error; nothing of it is kept."""
    lines = (folder / LOG_FILE).read_text(encoding="utf-8", errors="replace").splitlines()
    for name in (STUDY_FILE, LOG_FILE):
        (folder / name).unlink(missing_ok=True)
    folder.rmdir()
    place = re.compile(rf"{re.escape(str(folder / STUDY_FILE))}(:\d+)?: ")
    return error_of([place.sub("", line) for line in lines], InputError.exit_code)
