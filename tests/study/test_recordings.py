"""Each jobs file is read and decoded once, whatever is asked of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from igen.store.job_file import JobFile, NumberedEvents, T, take_job_file
from igen.study import recordings
from igen.study.recordings import Recordings
from igen.study.results import read_result, read_systems
from tests.study.test_runner import GOOD, run


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each jobs file was read."""
    counted: Counter[str] = Counter()

    def read_and_count(path: Path, take: Callable[[NumberedEvents], T]) -> tuple[JobFile, T | None]:
        counted[path.name] += 1
        return take_job_file(path, take)

    monkeypatch.setattr(recordings, "take_job_file", read_and_count)
    return counted


def test_a_study_and_its_report_read_each_jobs_file_once(stand_in: Path, reads: Counter[str]) -> None:
    outcome, _ = run(stand_in, GOOD, [*GOOD, "hello"], repeats=3)
    assert reads == Counter(f"{number:04d}.jsonl" for number in range(1, 7))
    result = read_result([outcome.run], recordings=outcome.recordings)
    assert [len(system.levels[0].repeats) for system in result.systems] == [3, 3]
    del reads["floor.jsonl"]
    assert set(reads.values()) == {1}
    assert read_systems(outcome.run) == result.systems


def test_what_is_wrong_with_a_file_is_told_from_memory_too(stand_in: Path) -> None:
    outcome, _ = run(stand_in, GOOD, [*GOOD, "hello"])
    path = outcome.run.job_paths()[1]
    path.write_bytes(path.read_bytes().rpartition(b'{"job_end"')[0])
    kept = Recordings()
    for _ in range(2):
        outcome.run.warnings.clear()
        first, *_ = read_systems(outcome.run, kept)
        assert "file-cut-off" in [each.rule for each in first.findings]


def test_what_is_forgotten_is_read_again(stand_in: Path, reads: Counter[str]) -> None:
    outcome, _ = run(stand_in, GOOD, [*GOOD, "hello"])
    path = outcome.run.job_paths()[0]
    outcome.recordings.forget(path)
    outcome.recordings.of(path)
    assert reads[path.name] == 2
