"""The executions of runs as the judge reads them: each jobs file is read and decoded once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from igen.damage import Damage
from igen.judge.record.recording import Recording, add_events
from igen.store.job_file import NumberedEvents, take_job_file


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What became of a jobs file."""

    recording: Recording | None
    """None where the file does not even say which execution it is of."""
    warnings: list[Damage]


class Recordings:
    """Keeps what was read of files that do not change any more: of executions that have ended."""

    def __init__(self) -> None:
        self._read: dict[Path, ReadFile] = {}

    def read(self, path: Path) -> ReadFile:
        """A jobs file, from memory where it was read before."""
        found = self._read.get(path)
        if found is None:
            found = self._read[path] = read_recording(path)
        return found

    def of(self, path: Path) -> Recording:
        """The execution in a jobs file, which has said nothing where the file does not even say of which."""
        return self.read(path).recording or Recording(job_file=path.name)

    def forget(self, path: Path) -> None:
        """Frees the memory: a run of many hours does not fit into it."""
        self._read.pop(path, None)


def read_recording(path: Path) -> ReadFile:
    """Read a jobs file as the judge needs it."""

    def take(events: NumberedEvents) -> Recording:
        recording = Recording(job_file=path.name)
        add_events(recording, events)
        return recording

    job_file, recording = take_job_file(path, take)
    if recording is not None:
        recording.damage[:0] = job_file.damage
    return ReadFile(recording, job_file.warnings)
