"""Notes and tags of a run: appended to `notes.jsonl`, a line each."""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections.abc import Sequence

import msgspec

from igen.errors import InputError
from igen.first_use import ready
from igen.foreign_text import cleaned
from igen.store.access import not_read, not_written
from igen.store.files import open_file, read_bytes
from igen.store.run import Run

NOTES_FILE = "notes.jsonl"
MOST_NOTE_CHARACTERS = 4000
HIDDEN = "hidden"
"""Tag of runs that are listed only on request."""
_TAG = re.compile(r"[a-z0-9][a-z0-9_.-]{0,39}")


class Note(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line: a text, or added and removed tags."""

    at_unix_s: float
    by: str = ""
    text: str = ""
    on: list[str] = []
    off: list[str] = []

    def line(self) -> str:
        """Return the line for a report: time, name, text."""
        who = f", {self.by}" if self.by else ""
        clock = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.at_unix_s))
        return f"{clock}{who}: {self.text}"


class Notes(msgspec.Struct, frozen=True):
    """All notes and tags of a run."""

    texts: list[Note]
    """Notes in the order in which they were written."""
    tags: list[str]
    """Current tags in alphabetical order."""


def add_note(run: Run, text: str, by: str = "") -> None:
    """Append a note. Raises `InputError` for an empty or long note, `IgenError` if it cannot be written."""
    kept = text.strip()
    if not kept or len(kept) > MOST_NOTE_CHARACTERS:
        hint = f"1 to {MOST_NOTE_CHARACTERS} characters"
        raise InputError("the note is empty" if not kept else "the note is too long", where="TEXT", hint=hint)
    _append(run, Note(at_unix_s=time.time(), by=by, text=kept))


def change_tags(run: Run, on: Sequence[str], off: Sequence[str] = (), by: str = "") -> None:
    """Add and remove tags. Raises `InputError` for a malformed tag, `IgenError`."""
    for tag in (*on, *off):
        if not _TAG.fullmatch(tag):
            hint = "use up to 40 small letters, digits, `-`, `_` and `.`, such as before-upgrade"
            raise InputError(f"`{tag}` is not a tag", where="TAG", hint=hint)
    now = set(read_notes(run).tags)
    on, off = [tag for tag in on if tag not in now], [tag for tag in off if tag in now]
    if on or off:
        _append(run, Note(at_unix_s=time.time(), by=by, on=on, off=off))


def read_notes(run: Run) -> Notes:
    """Return all notes and tags; unreadable lines are ignored. Raises `IgenError`."""
    texts: list[Note] = []
    tags: set[str] = set()
    path = run.folder / NOTES_FILE
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        content = b""
    except OSError as error:
        raise not_read(path, error) from error
    for line in content.splitlines():
        try:
            note = msgspec.json.decode(line, type=ready(Note))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if note.text:
            texts.append(msgspec.structs.replace(note, text=cleaned(note.text), by=cleaned(note.by)))
        tags = (tags | {tag for tag in note.on if _TAG.fullmatch(tag)}) - set(note.off)
    return Notes(texts, sorted(tags))


def _append(run: Run, note: Note) -> None:
    """Append lines in one write under a lock, on a new line even after a line that was cut off."""
    path = run.folder / NOTES_FILE
    try:
        descriptor = open_file(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            size = os.fstat(descriptor).st_size
            begun = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            line = (b"\n" if begun else b"") + msgspec.json.encode(note) + b"\n"
            try:
                written = os.write(descriptor, line)
                if written < len(line):
                    # The rest says why it is not written; where it is after all, the note is whole.
                    os.write(descriptor, line[written:])
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, size)
                raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise not_written(path, error) from error
