"""Disks that are full or may only be read, clocks that are set back: the page says so, nothing is lost."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from igen.console.page import LATER, ago
from igen.console.serve import why_not_written
from igen.console.tries import MOST_TRIES
from igen.errors import IgenError
from igen.queue.folder import QueueFolder
from igen.store.notes import NOTES_FILE, add_note, read_notes
from igen.store.run import Run
from igen.workbench.begun import BEGUN_FOLDER
from tests.console.site import NOW, RUN, Site, form_token

STUDY = 'name = "x"\n[job]\nworkload = "model"\n[axes]\n"load.closed.users" = [1]\n'


@contextmanager
def no_file_beyond(size_bytes: int) -> Iterator[None]:
    """No file of this process grows beyond that: what a full disk does, for any user and on any machine."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_note_for_which_there_is_no_room_is_not_half_there(shown: Site) -> None:
    run = Run(shown.console.folder / RUN)
    add_note(run, "before")
    path = run.folder / NOTES_FILE
    kept = path.read_bytes()
    with no_file_beyond(len(kept) + 20), pytest.raises(IgenError, match="cannot write: file too large"):
        add_note(run, "a note that is longer than what is left")
    assert path.read_bytes() == kept
    add_note(run, "after")
    assert [note.text for note in read_notes(run).texts] == ["before", "after"]


def test_what_was_typed_is_still_there_when_the_disk_is_full(shown: Site) -> None:
    client = shown.visitor("run")
    token = form_token(client)
    with no_file_beyond(0):
        noted = client.post(f"/runs/{RUN}/note", data={"csrf": token, "text": "what it meant"})
        started = client.post("/new/start", data={"csrf": token, "study": STUDY})
        queued = client.post("/new/queue", data={"csrf": token, "study": STUDY})
    for answer, typed in ((noted, "what it meant"), (started, "workload = "), (queued, "workload = ")):
        assert answer.status_code == 500
        assert "cannot write: file too large" in answer.text
        assert typed in answer.text
    assert read_notes(Run(shown.console.folder / RUN)).texts == []
    assert [*(shown.console.folder / BEGUN_FOLDER).iterdir()] == []
    assert QueueFolder(shown.console.folder).read().entries == []
    assert client.post(f"/runs/{RUN}/note", data={"csrf": token, "text": "x"}).status_code == 303


@pytest.mark.parametrize("disk", ["full", pytest.param("read-only", marks=pytest.mark.slow)])
def test_everything_can_be_read_on_a_disk_that_takes_nothing(tmp_path: Path, disk: str) -> None:
    command = ["unshare", "--user", "--map-root-user", "--mount", sys.executable, "-m"]
    command += ["tests.console.on_a_disk", str(tmp_path), disk]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if "unshare" in done.stderr or "may not be mounted" in done.stdout:
        pytest.skip(f"no disk of one's own here: {done.stderr or done.stdout}")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_recording_for_which_there_is_no_room_is_refused_in_words(shown: Site) -> None:
    client = shown.visitor("run")
    data = {"csrf": form_token(client)}
    with no_file_beyond(1000):
        answer = client.post("/recording", data=data, files={"file": ("a.har", bytes(100_000))})
    assert answer.status_code == 500
    assert "file too large" in answer.text


def test_a_store_that_can_be_made_is_written_to(tmp_path: Path) -> None:
    assert why_not_written(tmp_path / "a" / "b") == ""


def test_runs_of_a_clock_that_was_ahead_say_so(shown: Site) -> None:
    client = shown.visitor("run")
    assert LATER not in client.get("/").text
    shown.now = time.time() - 7 * 86_400.0
    client = shown.visitor("run")
    page = client.get("/").text
    assert "its clock was set back, or another machine started them" in page
    assert "· at a time in the future" in page
    assert "just now" not in page
    assert RUN in page
    assert [ago(NOW + ahead_s, NOW) for ahead_s in (0.0, 59.0, 61.0)] == ["just now", "just now", LATER]


def test_who_was_let_in_stays_so_when_the_clock_is_set_back(shown: Site) -> None:
    client = shown.visitor("run")
    shown.now -= 86_400.0
    token = form_token(client)
    assert client.post(f"/runs/{RUN}/note", data={"csrf": token, "text": "kept"}).status_code == 303
    assert [note.text for note in read_notes(Run(shown.console.folder / RUN)).texts] == ["kept"]


def test_tries_before_the_clock_was_set_back_lock_nobody_out(shown: Site) -> None:
    shown.console.tokens["right" * 5] = "run"
    client = shown.visitor()
    for _ in range(MOST_TRIES):
        assert client.post("/login", data={"code": "wrong"}).status_code == 403
    shown.now = NOW - 86_400.0
    assert client.post("/login", data={"code": "right" * 5}).status_code == 303
