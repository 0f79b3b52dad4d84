from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from igen.errors import IgenError
from igen.store.job_file import JobWriter, read_job_ends, read_job_file

EVENTS = [
    {"hello": {"protocol": 1, "host": "böse"}},
    {"fact": {"name": "cpu.model", "value": 'a "quoted" one\nin two lines'}},
    {"snapshot": {"phase": "measure", "transactions": {"count": 17}}},
    {"end": {"outcome": "complete"}},
]
START = {"run": "r", "level": 0}
END = {"exit_code": 0, "signal": None}


def write(path: Path) -> list[dict]:
    with JobWriter(path, START) as writer:
        for event in EVENTS:
            writer.event(event)
        writer.end(END)
    return [{"job_start": START}, *EVENTS, {"job_end": END}]


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    events = write(path)
    job_file = read_job_file(path)
    assert job_file.events == events
    assert (job_file.start, job_file.end) == (START, END)
    assert job_file.warnings == []
    assert read_job_ends(path) == (START, END)


def test_a_file_cut_off_at_any_byte_opens_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    events = write(path)
    data = path.read_bytes()
    for size in range(len(data) - 1):
        path.write_bytes(data[:size])
        job_file = read_job_file(path)
        assert job_file.events == events[: len(job_file.events)]
        assert len(job_file.events) >= data[:size].count(b"\n")
        assert any("cut off" in warning for warning in job_file.warnings), size
        assert job_file.end is None
        assert read_job_ends(path) == (job_file.start, None)


def test_lines_that_are_no_events_are_named_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    with JobWriter(path, START) as writer:
        for line in (b"{", b"\xff\xfe", b"17", b'{"two": 1, "keys": 2}', b'{"fact": {}}', b"\0\0\0"):
            writer.line(line)
        writer.end(END)
    job_file = read_job_file(path)
    assert job_file.events == [{"job_start": START}, {"fact": {}}, {"job_end": END}]
    assert job_file.warnings == ["0001.jsonl: not readable: line 2, 3, 4, 5, 7"]


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    write(path)
    with pytest.raises(IgenError, match="exists"):
        JobWriter(path, START)


def test_a_full_disk_keeps_what_was_written_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "0001.jsonl"
    write_for_real = os.write
    room = iter([10])

    def write_half(descriptor: int, data: memoryview) -> int:
        for size in room:
            return write_for_real(descriptor, data[:size])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with JobWriter(path, START) as writer:
        writer.event(EVENTS[0])
        with monkeypatch.context() as full:
            full.setattr(os, "write", write_half)
            with pytest.raises(IgenError, match="no space left") as caught:
                writer.event(EVENTS[1])
        assert caught.value.where == str(path)
        assert caught.value.exit_code == 1
        writer.end(END)
    job_file = read_job_file(path)
    assert job_file.events == [{"job_start": START}, EVENTS[0], {"job_end": END}]


def test_a_file_that_cannot_be_read_is_an_error_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(IgenError) as caught:
        read_job_file(tmp_path / "none.jsonl")
    assert "none.jsonl" in caught.value.where
