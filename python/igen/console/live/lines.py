"""The complete lines of growing jobs files, in order, each with the position after it."""

from __future__ import annotations

from pathlib import Path

from igen.console.live.position import BEGIN, Position
from igen.store.job_file import JOBS_FOLDER, read_file_of_run

SLICE_BYTES = 1 << 20
"""Most bytes of a read: a file of hundreds of megabytes is read in many steps."""


class GrowingLines:
    """Reader that continues at its position. A partial line waits for its end; then the next file follows."""

    def __init__(self, run_folder: Path, slice_bytes: int = SLICE_BYTES) -> None:
        self._folder = run_folder / JOBS_FOLDER
        self._slice_bytes = slice_bytes
        self._place = BEGIN
        """Position after the last complete line."""
        self._half = b""
        self.has_more = True
        """True if the last read left data."""

    @property
    def place(self) -> Position:
        """Position after the last read line."""
        return self._place

    def read(self) -> list[tuple[Position, bytes]]:
        """The next lines, without their line feeds; none where nothing new is there yet.

        Raises `FileNotFoundError` where the run was deleted.
        """
        while True:
            # Looked for first: what is written to a file before the next one is made belongs to it.
            has_next = self._path(self._place.job + 1).exists()
            if data := self._more():
                self._half += data
                self.has_more = has_next or len(data) == self._slice_bytes
                if b"\n" in data:
                    return self._whole_lines()
            elif has_next:
                self._place, self._half = Position(self._place.job + 1, 0), b""
            else:
                self.has_more = False
                return []

    def _whole_lines(self) -> list[tuple[Position, bytes]]:
        *lines, self._half = self._half.split(b"\n")
        job, offset = self._place
        found = []
        for line in lines:
            offset += len(line) + 1
            found.append((Position(job, offset), line))
        self._place = Position(job, offset)
        return found

    def _more(self) -> bytes:
        if self._place.job == 0:
            if not self._folder.is_dir():
                raise FileNotFoundError(self._folder)
            return b""
        with read_file_of_run(self._path(self._place.job)) as file:
            file.seek(self._place.offset + len(self._half))
            return file.read(self._slice_bytes)

    def _path(self, job: int) -> Path:
        return self._folder / f"{job:04d}.jsonl"
