from __future__ import annotations

import errno
import os
import tracemalloc
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from igen.damage import Damage
from igen.errors import IgenError
from igen.store.checked_line import sealed
from igen.store.job_file import (
    RUN_FORMAT,
    JobWriter,
    NumberedEvents,
    read_job_ends,
    read_job_file,
    take_job_file,
)

EVENTS = [
    {"hello": {"protocol": 4, "host": "böse"}},
    {"fact": {"name": "cpu.model", "value": 'a "quoted" one\nin two lines'}},
    {"snapshot": {"phase": "measure", "transactions": {"count": 17}}},
    {"end": {"outcome": "complete"}},
]
START = {"run": "r", "level": 0}
WRITTEN = {"format": RUN_FORMAT, **START}
END = {"exit_code": 0, "signal": None}


def write(path: Path) -> list[dict]:
    with JobWriter(path, START) as writer:
        for event in EVENTS:
            writer.event(event)
        writer.end(END)
    return [{"job_start": WRITTEN}, *EVENTS, {"job_end": END}]


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    events = write(path)
    job_file = read_job_file(path)
    assert [*job_file.events] == events
    assert (job_file.start, job_file.end) == (WRITTEN, END)
    assert job_file.warnings == []
    assert read_job_ends(path) == (WRITTEN, END)


def test_a_file_cut_off_at_any_byte_opens_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    events = write(path)
    data = path.read_bytes()
    for size in range(len(data) - 1):
        path.write_bytes(data[:size])
        job_file = read_job_file(path)
        assert [*job_file.events] == events[: len(job_file.events)]
        assert len(job_file.events) >= data[:size].count(b"\n")
        assert "file-cut-off" in [warning.kind for warning in job_file.warnings], size
        assert job_file.end is None
        assert read_job_ends(path) == (job_file.start, None)


def test_lines_that_are_no_events_are_named_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    with JobWriter(path, START) as writer:
        for line in (
            b"{",
            b"\xff\xfe",
            b"17",
            b'{"two": 1, "keys": 2}',
            b'{"fact": {}}',
            b"\0\0\0",
        ):
            writer.line(line)
        writer.end(END)
    job_file = read_job_file(path)
    assert [*job_file.events] == [{"job_start": WRITTEN}, {"fact": {}}, {"job_end": END}]
    assert job_file.warnings == [Damage(kind="lines-lost", file="0001.jsonl", lines=(2, 3, 4, 5, 7), count=5)]
    assert [*job_file.numbers] == [1, 6, 8]


def lines_of(path: Path) -> list[bytes]:
    write(path)
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("number", [2, 3, 4, 5])
def test_a_changed_digit_a_lost_line_and_one_that_is_there_twice_are_told(
    tmp_path: Path, number: int
) -> None:
    path = tmp_path / "0001.jsonl"
    lines = lines_of(path)
    gone = Damage(kind="lines-lost", file="0001.jsonl", lines=(number,), count=1)
    line = lines[number - 1]
    for changed, told, kept in (
        ([line.replace(b"1", b"2", 1) if b"1" in line else line.replace(b"c", b"d", 1)], gone, 5),
        ([], gone, 5),
        ([line, line], replace(gone, kind="lines-twice"), 6),
    ):
        path.write_bytes(b"".join([*lines[: number - 1], *changed, *lines[number:]]))
        job_file = read_job_file(path)
        assert job_file.damage == [told]
        assert len(job_file.events) == kept


def test_lines_out_of_place_are_put_back_and_told(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    lines = lines_of(path)
    path.write_bytes(b"".join([lines[0], lines[3], lines[2], lines[1], *lines[4:]]))
    job_file = read_job_file(path)
    assert [*job_file.events][1:-1] == EVENTS
    assert job_file.damage == [Damage(kind="lines-disordered", file="0001.jsonl")]


def test_lines_of_the_agent_that_never_came_are_told(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    with JobWriter(path, START) as writer:
        for number in (0, 1, 4):
            writer.line(b'{"fact":{"name":"n","value":1},"seq":%d}' % number)
        writer.event({"fact": {"name": "of the judge", "value": 1}})
        writer.end(END)
    job_file = read_job_file(path)
    assert [*job_file.events][1] == {"fact": {"name": "n", "value": 1}}
    assert job_file.damage == [Damage(kind="lines-never-came", file="0001.jsonl", count=2)]


def test_files_of_earlier_versions_have_no_checksums_and_are_read(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    events = [{"job_start": WRITTEN}, *EVENTS, {"job_end": END}]
    path.write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in events))
    assert [*read_job_file(path).events] == events
    assert read_job_file(path).warnings == []
    path.write_bytes(path.read_bytes().replace(b"snapshot", b"snap\0hot"))
    assert read_job_file(path).warnings == [
        Damage(kind="lines-unreadable", file="0001.jsonl", lines=(4,), count=1)
    ]


def test_words_of_others_are_cleaned_when_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    reason = "\x1b[2Jno\u202esuch\ttable\n\x00"
    failures = [
        {"kind": "other", "text": text, "count": count}
        for text, count in ((reason, 2), ("x" * 5_000, 1), ("x" * 4_500 + "y" * 500, 3))
    ]
    with JobWriter(path, START) as writer:
        writer.event({"warning": {"text": reason, "path": "p" * 20_000_000}})
        writer.event({"snapshot": {"failures": failures, "transactions": {"hdr": "H" * 9_000}}})
        writer.end(END)
    _, warning, snapshot, _ = read_job_file(path).events
    assert warning["warning"]["text"] == "\\x1b[2Jno\\u202esuch\ttable\n\\x00"
    assert len(warning["warning"]["path"]) < 4_200
    assert "20,000,000 characters" in warning["warning"]["path"]
    told = snapshot["snapshot"]["failures"]
    assert sum(each["count"] for each in told) == 6
    assert max(len(each["text"]) for each in told) < 4_200
    assert snapshot["snapshot"]["transactions"]["hdr"] == "H" * 9_000


def test_a_number_alone_is_no_event(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    path.write_bytes(b'{"seq": 7}\n{"fact": {}, "seq": 8}\n{"fact": {}, "end": {}, "seq": 9}\n')
    assert [*read_job_file(path).events] == [{"fact": {}}]


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
    assert [*job_file.events] == [{"job_start": WRITTEN}, EVENTS[0], {"job_end": END}]


def test_a_file_that_cannot_be_read_is_an_error_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(IgenError) as caught:
        read_job_file(tmp_path / "none.jsonl")
    assert "none.jsonl" in caught.value.where


def test_memory_does_not_grow_with_the_length_of_a_file(tmp_path: Path) -> None:
    with JobWriter(tmp_path / "0001.jsonl", START) as writer:
        for each in range(4000):
            writer.event({"fact": {"name": str(each), "value": "x" * 4000}})
        writer.end(END)
    tracemalloc.start()
    try:
        job_file = read_job_file(writer.path)
        assert sum(len(event) for event in job_file.events) == 4002
        assert tracemalloc.get_traced_memory()[1] < 4 << 20 < writer.path.stat().st_size
    finally:
        tracemalloc.stop()
    assert job_file.warnings == []


def test_a_number_beyond_all_lines_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "0001.jsonl"
    path.write_bytes(
        sealed(b'{"fact":{}}', 999_999_999_999_999) + b"\n" + sealed(b'{"fact":{}}', 10**30) + b"\n"
    )
    job_file = read_job_file(path)
    assert [*job_file.events] == [{"fact": {}}]
    assert len(job_file.damage) == 1


def test_events_in_order_are_taken_once_while_the_file_is_read(tmp_path: Path) -> None:
    taken: list[list[int]] = []

    def take(events: NumberedEvents) -> list[str]:
        taken.append([])
        kinds = []
        for number, event in events:
            taken[-1].append(number)
            kinds += event
        return kinds

    path = tmp_path / "0001.jsonl"
    kinds = [kind for event in write(path) for kind in event]
    assert take_job_file(path, take)[1] == kinds
    assert taken == [[*range(1, len(kinds) + 1)]]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], lines[2], lines[1], *lines[3:]]))
    assert take_job_file(path, take)[1] == kinds
    assert [sorted(each) for each in taken[1:]] == 2 * [taken[0]]
    path.write_bytes(b"".join(lines[1:]))
    assert take_job_file(path, take)[1] is None
