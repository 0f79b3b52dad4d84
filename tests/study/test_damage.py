"""One damaged byte, one missing line: the rest is read, and what is missing is told."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.judge.result import Finding, Level, Part, Repeat, Result
from igen.store.checked_line import sealed
from igen.store.run import Run
from igen.study.recordings import Recordings
from igen.study.results import read_result
from tests.golden import recorded_run
from tests.pipeline.curve_study import write_curve
from tests.said import rules

MUTATIONS = 400


def flip(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def put_digit(data: bytes, chance: random.Random) -> bytes:
    """The most treacherous: what was a number stays one."""
    at = chance.choice([at for at, byte in enumerate(data) if byte in b"0123456789"])
    return data[:at] + b"%d" % chance.randrange(10) + data[at + 1 :]


def insert(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([chance.randrange(256)]) + data[at:]


def remove(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + data[at + chance.randrange(1, 40) :]


def cut_off(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def drop_line(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[chance.randrange(len(lines))]
    return b"".join(lines)


def repeat_line(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    return b"".join([*lines[: at + 1], *lines[at:]])


def swap_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    one, other = (chance.randrange(len(lines)) for _ in range(2))
    lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


KINDS: list[Callable[[bytes, random.Random], bytes]] = [
    *(flip, put_digit, insert, remove, cut_off, drop_line, repeat_line, swap_lines)
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two loads, twice each, with its floor, as the store keeps it: each line sealed."""
    folder = tmp_path_factory.mktemp("damage")
    run = write_curve(folder / "20261122-120000-model-0000", levels=2, runs=2).folder
    shutil.copy(recorded_run.unpack("model", folder).folder / "floor.jsonl", run)
    for path in run.rglob("*.jsonl"):
        lines = enumerate(path.read_bytes().splitlines(), start=1)
        path.write_bytes(b"".join(sealed(line, number) + b"\n" for number, line in lines))
    return run


def figures(result: Result) -> list[Any]:
    """What is concluded, without what is said about it."""
    silenced = {"findings": [], "repeats": []}
    systems = [
        (
            *(system.name, system.workload, system.job, system.floor_ns),
            [replace(level, **silenced) for level in system.levels],
        )
        for system in result.systems
    ]
    return [result.title, systems]


def throughputs(result: Result) -> list[float]:
    """The figure of each level."""
    return [level.throughput_per_s.value for system in result.systems for level in system.levels]


def told(result: Result) -> set[Finding | str]:
    """Everything that could warn a reader: findings, rules that a level broke, and its damage."""
    return {
        each
        for system in result.systems
        for each in [
            *system.findings,
            *(rule for level in system.levels for rule in rules(level)),
            *(found for level in system.levels for found in damage_of(level)),
        ]
    }


def damage_of(of: Level | Repeat) -> list[Finding]:
    """What is damaged in the files of a run, or of the runs of a level, which may be left out."""
    runs = of.repeats if isinstance(of, Level) else [of]
    found = [each for run in runs for each in run.findings if each.rule == "damaged"]
    return [why for each in found for why in each.because]


def damaged_parts(of: Level | Repeat) -> list[Part]:
    """What is damaged or missing in a run, or in the runs of a level, which may be left out."""
    runs = of.repeats if isinstance(of, Level) else [of]
    return [part for run in runs for each in run.findings if each.rule == "damaged" for part in each.parts]


def missing_s(of: Level | Repeat) -> list[float | None]:
    """The time that no interval covers."""
    return [part.figure for part in damaged_parts(of) if part.name == "missing_s"]


def read(folder: Path) -> Result:
    return read_result([Run(folder)])


@pytest.mark.parametrize("mutations", [MUTATIONS // 4, pytest.param(MUTATIONS, marks=pytest.mark.slow)])
def test_each_of_many_mutations_changes_nothing_or_is_told(
    mutations: int, recorded: Path, tmp_path: Path
) -> None:
    before = read(recorded)
    folder = tmp_path / recorded.name
    shutil.copytree(recorded, folder)
    # Each file that is whole is read once, not for each damage to another one.
    read_before = Recordings()
    chance = random.Random(12)
    files = sorted(folder.rglob("*.json*"))
    silent, unreadable = [], []
    for number in range(mutations):
        path, kind = chance.choice(files), KINDS[number % len(KINDS)]
        whole = path.read_bytes()
        path.write_bytes(kind(whole, chance))
        read_before.forget(path)
        try:
            after = read_result([Run(folder)], recordings=read_before)
        except Exception as error:
            unreadable.append((number, kind.__name__, path.name, repr(error)))
        else:
            if figures(after) != figures(before) and told(after) <= told(before):
                silent.append((number, kind.__name__, path.name))
        path.write_bytes(whole)
        read_before.forget(path)
    assert (silent, unreadable) == ([], [])
    assert figures(read(folder)) == figures(before)


def line_of(path: Path, words: bytes, which: int = 0) -> int:
    """The number of the line, from 0, that has these words."""
    lines = path.read_bytes().splitlines()
    return [number for number, line in enumerate(lines) if words in line][which]


def test_a_missing_interval_is_told_and_takes_no_throughput_away(recorded: Path, tmp_path: Path) -> None:
    """237.1 became 223.6 a second in silence: its time was counted, and what was done in it was not."""
    folder = tmp_path / recorded.name
    shutil.copytree(recorded, folder)
    path = folder / "jobs/0001.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    missing = line_of(path, b'"phase":"measure","start_s"', 1)
    taken = msgspec.json.decode(lines.pop(missing))["snapshot"]
    path.write_bytes(b"".join(lines))
    result = read(folder)
    (repeat,) = [
        repeat
        for level in result.systems[0].levels
        for repeat in level.repeats
        if repeat.job_file == "0001.jsonl"
    ]
    rest = [
        msgspec.json.decode(line)["snapshot"]
        for line in lines
        if b'"snapshot"' in line and b'"measure"' in line
    ]
    length_s = sum(each["end_s"] - each["start_s"] for each in rest)
    count = sum(each["transactions"]["count"] for each in rest)
    assert repeat.throughput_per_s == pytest.approx(count / length_s)
    (lost,) = {found for level in result.systems[0].levels for found in damage_of(level)}
    assert (lost.rule, lost.part("file").text, lost.figure("line")) == (
        "lines-lost",
        "0001.jsonl",
        missing + 1,
    )
    assert repeat.trust.verdict != "VALID"
    start_s, end_s = taken["start_s"], taken["end_s"]
    assert missing_s(repeat) == [pytest.approx(end_s - start_s)]


def test_what_was_written_without_checksums_is_read_and_gaps_in_its_time_are_told(
    recorded: Path, tmp_path: Path
) -> None:
    folder = tmp_path / recorded.name
    shutil.copytree(recorded, folder)
    for path in folder.rglob("*.jsonl"):
        events = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
        kept = [{kind: body for kind, body in each.items() if isinstance(body, dict)} for each in events]
        path.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in kept))
    older = read(folder)
    assert figures(older) == figures(read(recorded))
    assert "damaged" not in told(older)
    path = folder / "jobs/0001.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    taken = msgspec.json.decode(lines.pop(line_of(path, b'"phase":"measure","start_s"', 1)))["snapshot"]
    path.write_bytes(b"".join(lines))
    assert [missing_s(level) for level in read(folder).systems[0].levels] == [
        [pytest.approx(taken["end_s"] - taken["start_s"])],
        [],
    ]


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ({"plan": {"mode": "sweep", "repeats": 0}}, False),  # as many as there are
        ({"margin": "1.03"}, True),
        ({"response_time_limit": "50 m"}, True),
        ({"systems": -1}, True),
        ({"tests": {"a": 1}}, True),
        ({"job": 7}, False),  # the executions say what their job was
    ],
)
def test_a_record_without_a_checksum_that_asks_for_nonsense_is_judged_without_it(
    recorded: Path, tmp_path: Path, asked: dict[str, Any], is_told: bool
) -> None:
    """What the executions say of their study tells that the record says something else."""
    folder = tmp_path / recorded.name
    shutil.copytree(recorded, folder)
    before = throughputs(read(folder))
    path = folder / "run.json"
    fields = msgspec.json.decode(path.read_bytes())
    fields["study"] |= asked
    path.write_bytes(msgspec.json.encode(fields | {"crc32": ""}))
    after = read(folder)
    assert throughputs(after) == before
    of_another_study = "plan" not in asked
    assert bool(Run(folder).integrity().damage) == of_another_study
    assert [level.trust.verdict for level in after.systems[0].levels] == [
        "INVALID" if of_another_study else "VALID"
    ] * 2
    assert ("study-damaged" in [each.rule for each in after.systems[0].findings]) == is_told
