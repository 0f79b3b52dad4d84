"""Which runs of a store are going on at this moment: a locked file each, which names the process.

The lock dies with its process, so a run that was killed leaves a file but is not taken for active.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from pathlib import Path
from typing import Self

import msgspec

from igen.errors import InputError
from igen.first_use import ready
from igen.store.access import not_written
from igen.store.files import make_folder, open_file, reading
from igen.store.own_process import OwnProcess, this_process

ACTIVE_FOLDER = ".active"
_LOOKS, _LOOK_S = 10, 0.02
"""Number of attempts to take a lock that another process holds, and the time between."""


class ActiveRun:
    """Marks a run as going on until the end of the `with` block. Raises `IgenError` where it cannot.

    Of a run that was `begun` earlier it raises `InputError` where another process goes on with it.
    """

    def __init__(self, store: Path, run: str, *, begun: bool = False) -> None:
        self._path = store / ACTIVE_FOLDER / run
        self._patience = _LOOKS if begun else None
        try:
            make_folder(self._path.parent, folders=0, exist_ok=True)
            while (descriptor := self._locked()) is None:
                pass
        except BlockingIOError as error:
            raise going_on(run) from error
        except OSError as error:
            raise not_written(self._path, error) from error
        self._descriptor = descriptor
        # Where there is no space for it, the run goes on and only `igen stop` cannot find it.
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, msgspec.json.encode(this_process()), 0)

    def _locked(self) -> int | None:
        """Return None if another process removed the file as stale between `open` and `flock`."""
        descriptor = open_file(self._path, os.O_RDWR | os.O_CREAT)
        try:
            self._lock(descriptor)
            if os.path.samestat(os.fstat(descriptor), self._path.lstat()):
                return descriptor
        except FileNotFoundError:
            pass
        except OSError:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    def _lock(self, descriptor: int) -> None:
        """Take the lock, which a check of the run holds for a moment too. Raises `BlockingIOError`."""
        if self._patience is None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return
        for left in reversed(range(self._patience)):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if not left:
                    raise
                time.sleep(_LOOK_S)

    def others(self) -> int:
        """Return the number of other active runs in this store."""
        return len(active_runs(self._path.parent.parent) - {self._path.name})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # A mark that cannot be removed is not locked any more: that says enough.
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._descriptor)


def going_on(run: str) -> InputError:
    """Return the error for a run that another process is running."""
    return InputError(f"{run} is still running", where="resume", hint="`igen stop` stops it")


def active_runs(store: Path) -> set[str]:
    """Return the ids of active runs, and remove the marks of killed runs."""
    folder = store / ACTIVE_FOLDER
    active = set()
    for path in folder.iterdir() if folder.is_dir() else ():
        try:
            descriptor = open_file(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            # Shared, so that two who look at the same time do not take each other for the run.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        except BlockingIOError:
            active.add(path.name)
        except OSError:
            # A store on read-only media has no active runs and keeps its marks.
            continue
        finally:
            os.close(descriptor)
    return active


def process_of(store: Path, run: str) -> OwnProcess | None:
    """The process that carries out a run which is going on; None where it does not say which that is.

    That says nothing of whether the process is still there: `OwnProcess.opened` does. A mark of another user
    counts for processes of that user only, so that root does not stop the process that a stranger names.
    """
    try:
        with reading(store / ACTIVE_FOLDER / run) as file:
            owner = os.fstat(file.fileno()).st_uid
            process = msgspec.json.decode(file.read(), type=ready(OwnProcess))
        own = owner in (0, os.geteuid(), Path(f"/proc/{process.pid}").stat().st_uid)
    except (OSError, ValueError):
        return None
    return process if own else None
