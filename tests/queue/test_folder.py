from __future__ import annotations

from pathlib import Path

import pytest
from queue_entries import made

from igen.errors import IgenError
from igen.queue.folder import QueueFolder
from igen.queue.listing import listing


@pytest.fixture
def queue(tmp_path: Path) -> QueueFolder:
    found = QueueFolder(tmp_path)
    with found.locked():
        for job in (1, 2):
            found.keep_files(found.new_number(), {"sub/a.toml": b"name = 'a'"})
            found.write(made(job))
    return found


def test_a_queue_that_is_not_there_is_empty_and_not_made(tmp_path: Path) -> None:
    assert QueueFolder(tmp_path / "store").read().entries == []
    assert not (tmp_path / "store").exists()


def test_what_was_written_is_read(queue: QueueFolder) -> None:
    assert queue.read().entries == [made(1), made(2)]
    assert (queue.study_folder(1) / "sub/a.toml").read_bytes() == b"name = 'a'"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "truncated"),
        (b"{", "truncated"),
        (b"\xff\xfe", "malformed"),
        (b"{}", "format None"),
        (b'{"format": 1}', "missing"),
        (b'{"format": 9}', "format 9"),
        (b'{"format": 1, "job": 3, "rank": "1/0", "study": "a", "folder": "/", "added_unix_s": 0}', "0"),
        (b'{"format": 1, "job": 3, "rank": "x", "study": "a", "folder": "/", "added_unix_s": 0}', "x"),
        (b'{"format": 1, "job": 4, "rank": "4", "study": "a", "folder": "/", "added_unix_s": 0}', "job 4"),
    ],
)
def test_a_damaged_file_is_told_and_left_alone(queue: QueueFolder, content: bytes, reason: str) -> None:
    path = queue.path / "0003.json"
    path.write_bytes(content)
    assert [entry.job for entry in queue.read().entries] == [1, 2]
    (damaged,) = listing(queue).damaged
    assert damaged.file == str(path)
    assert reason in damaged.reason
    with queue.locked():
        assert queue.new_number() == 4
    assert path.read_bytes() == content


def test_the_number_of_a_removed_job_is_not_given_again(queue: QueueFolder) -> None:
    with queue.locked():
        queue.remove(made(2))
        assert queue.new_number() == 3
    assert queue.read().entries == [made(1)]
    assert list(queue.job_folder(2).iterdir()) == []


def test_a_repetition_has_files_of_its_own(queue: QueueFolder) -> None:
    with queue.locked() as content:
        queue.write(made(1, "done", every_s=60.0))
        content = queue.repeat_ended(queue.read(), 2_000_000.0)
        assert queue.repeat_ended(content, 2_000_000.0) == content
    (again,) = [entry for entry in queue.read().entries if entry.follows == 1]
    assert (queue.study_folder(again.job) / "sub/a.toml").read_bytes() == b"name = 'a'"


def test_what_cannot_be_repeated_says_so_once(queue: QueueFolder) -> None:
    with queue.locked():
        queue.remove(made(1))
        queue.write(made(1, "done", every_s=60.0))
        queue.repeat_ended(queue.read(), 2_000_000.0)
    (over, _) = queue.read().entries
    assert over.reason == "it cannot be repeated: its files are gone"
    assert over.every_s is None


def test_a_queue_that_cannot_be_written_is_an_error_with_its_place(tmp_path: Path) -> None:
    (tmp_path / ".queue").write_text("in the way")
    with pytest.raises(IgenError, match="cannot write"), QueueFolder(tmp_path).locked():
        pass
