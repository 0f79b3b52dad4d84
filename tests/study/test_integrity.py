"""Executions that were removed, copied, changed or taken from another run since a run ended."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from igen.judge.result import Result
from igen.store.run import Run
from igen.study.results import read_result
from tests.pipeline.curve_study import write_curve


def ended(folder: Path, seed: int = 27) -> Run:
    """A run of two loads, three times each, that has ended."""
    run = write_curve(folder, levels=2, runs=3, seed=seed)
    run.write_outcome("complete")
    return run


def remove(jobs: Path, _other: Path) -> None:
    (jobs / "0003.jsonl").unlink()


def copy(jobs: Path, _other: Path) -> None:
    shutil.copy(jobs / "0001.jsonl", jobs / "0007.jsonl")


def copy_over(jobs: Path, _other: Path) -> None:
    shutil.copy(jobs / "0001.jsonl", jobs / "0003.jsonl")


def swap(jobs: Path, _other: Path) -> None:
    (jobs / "0001.jsonl").rename(jobs / "0009.jsonl")
    (jobs / "0002.jsonl").rename(jobs / "0001.jsonl")
    (jobs / "0009.jsonl").rename(jobs / "0002.jsonl")


def take_from_another_run(jobs: Path, other: Path) -> None:
    shutil.copy(other / "0001.jsonl", jobs / "0001.jsonl")


def edit(jobs: Path, _other: Path) -> None:
    path = jobs / "0001.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")


def verdicts(result: Result) -> list[str]:
    return [level.trust.verdict for system in result.systems for level in system.levels]


@pytest.mark.parametrize("change", [remove, copy, copy_over, swap, take_from_another_run, edit])
def test_no_level_is_valid_if_the_files_are_not_those_the_run_ended_with(
    tmp_path: Path, change: Callable[[Path, Path], None]
) -> None:
    run = ended(tmp_path / "20261128-100000-model-0000")
    other = ended(tmp_path / "20261128-110000-model-0001", seed=26)
    before = read_result([run])
    assert set(verdicts(before)) == {"VALID"}
    assert Run(run.folder).integrity().damage == []
    change(run.folder / "jobs", other.folder / "jobs")
    after = read_result([Run(run.folder)])
    assert verdicts(after)
    assert "VALID" not in verdicts(after)
    for level in after.systems[0].levels:
        assert len({(each.repeat) for each in level.repeats}) == len(level.repeats), "none counts twice"


def test_a_file_of_another_run_or_of_an_execution_that_is_there_is_no_execution(tmp_path: Path) -> None:
    """Also before a run has ended, and of a run whose record lists nothing."""
    run = write_curve(tmp_path / "20261128-100000-model-0000", levels=2, runs=3)
    other = ended(tmp_path / "20261128-110000-model-0001", seed=26)
    shutil.copy(run.folder / "jobs" / "0001.jsonl", run.folder / "jobs" / "0007.jsonl")
    shutil.copy(other.folder / "jobs" / "0002.jsonl", run.folder / "jobs" / "0008.jsonl")
    found = Run(run.folder).integrity()
    assert sorted(path.name for path in found.left_out) == ["0007.jsonl", "0008.jsonl"]
    assert len(found.damage) == 2


def test_a_run_that_goes_on_lists_its_files_when_it_ends_again(tmp_path: Path) -> None:
    run = ended(tmp_path / "20261128-100000-model-0000")
    run.write_resumed()
    assert run.read_record().files == {}
    (run.folder / "jobs" / "0006.jsonl").unlink()
    run.write_outcome("interrupted")
    assert len(run.read_record().files) == 5
    assert Run(run.folder).integrity().damage == []
