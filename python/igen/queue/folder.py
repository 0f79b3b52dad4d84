"""The files of the queue, below the store: each entry is there whole or not at all, whenever the power fails.

```
<store>/.queue/
  lock          held while the queue is changed
  runner/       locked by the runner
  0007.json     one entry
  0007/         its number is taken, also when the job was removed
    study/      the study's file, and those that it names, as they were when it was added
    run         locked while its study goes on; holds the id of its run
    log         what its study printed
```
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from igen.errors import IgenError, InputError
from igen.file_format import check_format
from igen.first_use import ready
from igen.queue.entry import QUEUE_FORMAT, Damaged, Entry
from igen.queue.steps import successor, without_successor
from igen.store.access import not_read, not_written
from igen.store.files import (
    make_folder,
    new_file,
    open_file,
    others_may_change,
    others_may_exchange,
    read_bytes,
    write_whole,
)

QUEUE_FOLDER = ".queue"
STUDY_FOLDER = "study"


@dataclass(frozen=True, slots=True)
class Content:
    """What is in the queue."""

    entries: list[Entry]
    damaged: dict[int, Damaged]
    """By number."""


class QueueFolder:
    """The queue of a store."""

    def __init__(self, store: Path) -> None:
        self.path = store.absolute() / QUEUE_FOLDER

    @contextmanager
    def locked(self) -> Iterator[Content]:
        """Keeps others from changing the queue, and gives what is in it. Raises `IgenError`."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            make_folder(self.path, folders=0, exist_ok=True)
            descriptor = open_file(self.path / "lock", os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise not_written(self.path, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield self.read()
        except OSError as error:
            raise not_written(self.path, error) from error
        finally:
            os.close(descriptor)

    def read(self) -> Content:
        """What is in the queue now; empty where there is none. Raises `IgenError`."""
        content = Content([], {})
        try:
            paths = sorted(self.path.glob("*.json")) if self.path.is_dir() else []
        except OSError as error:
            raise not_read(self.path, error) from error
        for path in paths:
            if not path.stem.isdecimal():
                continue
            try:
                content.entries.append(_read_entry(path))
            except FileNotFoundError:
                continue
            except (OSError, ValueError, ZeroDivisionError, IgenError) as error:
                reason = error.text if isinstance(error, IgenError) else str(error)
                content.damaged[int(path.stem)] = Damaged(file=str(path), reason=reason)
        return content

    def check_unshared(self, job: int) -> None:
        """Raise `InputError` if other users may have written a job, or may change it before it runs."""
        store, study = self.path.parent.resolve(), self.study_folder(job)
        shared = others_may_exchange(self.path)
        for path in (store, self.path, self._file(job), self.job_folder(job), study, *study.rglob("*")):
            with suppress(FileNotFoundError):
                shared = shared or (path if others_may_change(path.lstat()) else None)
        if shared is not None:
            raise InputError(
                "other users may write here: what they write would run as you",
                where=str(shared),
                hint="`chown` and `chmod go-w`, or choose another store with --store",
            )

    def write(self, entry: Entry) -> None:
        """Writes an entry, so that it is on the disk when this returns. Raises `OSError`."""
        write_whole(self._file(entry.job), msgspec.json.format(msgspec.json.encode(entry)) + b"\n")
        self._flush_folder()

    def remove(self, entry: Entry) -> None:
        """Deletes an entry and its files; its number stays taken. Raises `OSError`."""
        self._file(entry.job).unlink(missing_ok=True)
        self._flush_folder()
        folder = self.job_folder(entry.job)
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def new_number(self) -> int:
        """A number that no job of this queue has had. Raises `OSError`."""
        taken = (int(path.stem) for path in self.path.iterdir() if path.stem.isdecimal())
        number = max(taken, default=0) + 1
        make_folder(self.job_folder(number))
        return number

    def keep_files(self, job: int, files: Mapping[str, bytes]) -> None:
        """Keeps the files of a study, by their paths below its folder. Raises `OSError`."""
        for name, content in files.items():
            below = (STUDY_FOLDER, *Path(name).parts)
            for depth in range(1, len(below)):
                make_folder(self.job_folder(job).joinpath(*below[:depth]), folders=depth + 1, exist_ok=True)
            path = self.job_folder(job).joinpath(*below)
            with new_file(path, folders=len(below) + 1) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())

    def repeat_ended(self, content: Content, now_unix_s: float) -> Content:
        """Adds the repetitions that are missing, and gives what is in the queue then. Raises `OSError`.

        The repetition is written before its number is noted where it comes from: whenever the power fails,
        none is missing and none is there twice.
        """
        entries = {entry.job: entry for entry in content.entries}
        following = {entry.follows: entry for entry in content.entries}
        for entry in without_successor(content.entries):
            next_one = following.get(entry.job)
            if next_one is None:
                number = self.new_number()
                try:
                    self.keep_files(number, self._files_of(entry.job))
                except OSError:
                    reason = f"{entry.reason}; it cannot be repeated: its files are gone".lstrip("; ")
                    entries[entry.job] = replace(entry, every_s=None, reason=reason)
                    self.write(entries[entry.job])
                    continue
                next_one = successor(entry, number, list(entries.values()), now_unix_s)
                self.write(next_one)
            entries[next_one.job] = next_one
            entries[entry.job] = replace(entry, successor=next_one.job)
            self.write(entries[entry.job])
        return Content(list(entries.values()), content.damaged)

    def _files_of(self, job: int) -> dict[str, bytes]:
        """The files of a study, by their paths below its folder. Raises `OSError`."""
        folder = self.study_folder(job)
        paths = [path for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()]
        if not paths:
            raise FileNotFoundError(folder)
        names = [path.relative_to(folder) for path in paths]
        return {str(name): read_bytes(folder / name, folders=len(name.parts) + 2) for name in names}

    def job_folder(self, job: int) -> Path:
        """Where all but the entry itself is."""
        return self.path / f"{job:04d}"

    def study_folder(self, job: int) -> Path:
        """Where the study's files are."""
        return self.job_folder(job) / STUDY_FOLDER

    def _file(self, job: int) -> Path:
        return self.path / f"{job:04d}.json"

    def _flush_folder(self) -> None:
        """Without it a file's new content may be lost although it was flushed: its name is in the folder."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _read_entry(path: Path) -> Entry:
    """Raises `OSError`, `ValueError`, `ZeroDivisionError` and `UnknownFormat`."""
    data = read_bytes(path)
    fields: dict[str, Any] = msgspec.json.decode(data, type=dict[str, Any])
    check_format(fields, QUEUE_FORMAT, path)
    entry = msgspec.convert(fields, ready(Entry))
    if entry.job != int(path.stem):
        raise ValueError(f"it says that it is job {entry.job}")
    _ = entry.place
    return entry
