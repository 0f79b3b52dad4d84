"""One run folder: `run.json`, `floor.jsonl` and a jobs file for each execution."""

from __future__ import annotations

import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self
from zlib import crc32

import msgspec

from igen.damage import Damage
from igen.file_format import check_format
from igen.first_use import ready
from igen.foreign_text import cleaned
from igen.store.access import not_written
from igen.store.files import read_bytes, write_whole
from igen.store.integrity import Integrity, check, checksums, unlike
from igen.store.job_file import JOBS_FOLDER, RUN_FORMAT, JobWriter, read_job_file
from igen.store.own_process import boot

RUN_FILE = "run.json"
FLOOR_FILE = "floor.jsonl"


RunOutcome = Literal["", "begun", "complete", "interrupted", "failed"]


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The content of `run.json`: plan, author and time of a run."""

    run: str
    name: str
    """Name of the study."""
    system: str
    """Name of the system under test."""
    title: str
    study: dict[str, Any]
    created_unix_s: float
    igen_version: str
    host: str = ""
    """Host that started or resumed it; empty if `run.json` was rebuilt: then only the jobs have it."""
    outcome: RunOutcome = ""
    """How it ended: `begun` until then; empty if `run.json` was rebuilt: then only the jobs have it."""
    boot: str = ""
    """The start of its kernel, which all containers on it share; empty if unknown."""
    folder: str = ""
    """Folder of relative paths of its targets; empty if unknown."""
    noise: float | None = None
    """Noise of a run's throughput for a search for the peak, if it was known at the start."""
    resumed_unix_s: list[float] = []
    """Times at which it was resumed."""
    files: dict[str, str] = {}
    """SHA-256 of the files of its jobs and of its floor, by name; empty until it has ended."""
    crc32: str = ""
    """Checksum of all other fields; empty until it is written."""
    format: int = RUN_FORMAT

    @property
    def plan(self) -> dict[str, Any]:
        """Return the study's plan; a sweep if the plan is lost."""
        plan = self.study.get("plan")
        return plan if isinstance(plan, dict) and "mode" in plan else {"mode": "sweep"}

    @property
    def mode(self) -> str:
        """Return the mode of the study's plan."""
        return str(self.plan["mode"])

    def sealed(self) -> Self:
        """Return the record with its checksum."""
        return msgspec.structs.replace(self, crc32=_checksum(msgspec.to_builtins(self)))


def folder_here() -> str:
    """Return the current folder of relative paths; empty if it was deleted."""
    try:
        return str(Path.cwd())
    except OSError:
        return ""


def boot_here() -> str:
    """Return the start of this machine's kernel; empty if unknown."""
    try:
        return boot()
    except OSError:
        return ""


def _checksum(fields: dict[str, Any]) -> str:
    """Checksum of a record's compact JSON without its checksum."""
    return f"{crc32(msgspec.json.encode(fields | {'crc32': ''})):08x}"


class Run:
    """A run folder, for writing while it is measured and for reading at any time after."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.warnings: list[Damage] = []
        """Faults found while reading; grows while files are read."""

    @property
    def id(self) -> str:
        """Name of the folder."""
        return self.folder.name

    def size_bytes(self) -> int:
        """Size of all files of the folder."""
        return sum(path.lstat().st_size for path in self.folder.rglob("*") if not path.is_dir())

    def write_record(self, record: RunRecord) -> None:
        """Write `run.json` atomically."""
        content = msgspec.json.format(msgspec.json.encode(record.sealed())) + b"\n"
        write_whole(self.folder / RUN_FILE, content)

    def write_outcome(self, outcome: RunOutcome) -> None:
        """Record how the run ended, and its files. Raises `IgenError`."""
        self._rewrite(outcome=outcome, files=self._checksums() if outcome != "begun" else {})

    def integrity(self) -> Integrity:
        """Compare its files with its record. Raises `IgenError`."""
        record = self._record()
        found = check(self.job_paths(), record.run, record.study)
        changed = list(unlike(record.files, self._checksums())) if record.files else []
        return replace(found, damage=[*changed, *found.damage])

    def _checksums(self) -> dict[str, str]:
        floor = self.folder / FLOOR_FILE
        return checksums([*self.job_paths(), *([floor] if floor.exists() else [])])

    def write_resumed(self) -> None:
        """Record that the run is resumed now, on this host. Raises `IgenError`."""
        resumed_unix_s = [*self._record().resumed_unix_s, time.time()]
        self._rewrite(
            outcome="begun",
            host=socket.gethostname(),
            boot=boot_here(),
            resumed_unix_s=resumed_unix_s,
            files={},
        )

    def take_back_resumed(self) -> None:
        """Remove the last resume, which measured nothing. Raises `IgenError`."""
        self._rewrite(resumed_unix_s=self._record().resumed_unix_s[:-1])

    def _rewrite(self, **changed: Any) -> None:
        try:
            self.write_record(msgspec.structs.replace(self._record(), **changed))
        except OSError as error:
            raise not_written(self.folder / RUN_FILE, error) from error

    def read_record(self) -> RunRecord:
        """Reads `run.json`; a missing or damaged one is rebuilt from the first
        `job_start`. Raises `UnknownFormat` if another release has written it.
        """
        record = self._record()
        names = {name: cleaned(getattr(record, name)) for name in ("name", "system", "title")}
        return msgspec.structs.replace(record, **names)

    def _record(self) -> RunRecord:
        record = self._written_record()
        if record is not None:
            return record
        warning = Damage(kind="record-rebuilt", file=RUN_FILE)
        if warning not in self.warnings:
            self.warnings.append(warning)
        return self._rebuilt_record()

    def _written_record(self) -> RunRecord | None:
        """Return the record; None if it is missing or damaged."""
        path = self.folder / RUN_FILE
        try:
            fields = msgspec.json.decode(read_bytes(path), type=dict[str, Any])
            if fields.get("crc32", "") not in ("", _checksum(fields)):
                return None
            check_format(fields, RUN_FORMAT, path)
            return msgspec.convert(fields, ready(RunRecord))
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def _rebuilt_record(self) -> RunRecord:
        for path in self.job_paths():
            start = read_job_file(path).start
            if start is None:
                continue
            record = {
                **{name: start.get(name) for name in ("run", "name", "system", "title", "study")},
                "created_unix_s": start.get("started_unix_s"),
                "igen_version": "",
            }
            try:
                return msgspec.convert(record, ready(RunRecord))
            except msgspec.ValidationError:
                continue
        return RunRecord(
            run=self.id,
            name=self.id,
            system=self.id,
            title=self.id,
            study={},
            created_unix_s=self.folder.stat().st_mtime,
            igen_version="",
        )

    def job_paths(self) -> list[Path]:
        """Return the jobs files in the order of execution."""
        return sorted((self.folder / JOBS_FOLDER).glob("*.jsonl"))

    def new_job(self, start: dict[str, Any]) -> JobWriter:
        """Open the next jobs file. Its number is new, also compared with files that were set aside."""
        names = (path.name.partition(".")[0] for path in (self.folder / JOBS_FOLDER).glob("*.jsonl*"))
        number = max((int(name) for name in names if name.isdecimal()), default=0) + 1
        return JobWriter(self.folder / JOBS_FOLDER / f"{number:04d}.jsonl", start)

    def set_aside(self, path: Path) -> None:
        """Takes the file of an execution out of the run: it stays there as `0003.jsonl.cut-off`, unread.

        Raises `IgenError`.
        """
        number, place = 1, path.with_name(f"{path.name}.cut-off")
        while place.exists():
            number += 1
            place = path.with_name(f"{path.name}.cut-off-{number}")
        try:
            path.rename(place)
        except OSError as error:
            raise not_written(path, error) from error

    def new_floor(self, start: dict[str, Any]) -> JobWriter:
        """Open the file of the engine's own floor."""
        return JobWriter(self.folder / FLOOR_FILE, start)

    @property
    def floor_path(self) -> Path | None:
        """Return the file of the engine's own floor, if it was measured."""
        path = self.folder / FLOOR_FILE
        return path if path.exists() else None
