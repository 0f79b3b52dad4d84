"""Runs whose files were cut off anywhere open."""

from __future__ import annotations

from pathlib import Path

import pytest

from igen.report import summary_text, write_report
from igen.store.run import Run, RunRecord
from igen.study.results import evenly_spread, read_result, read_systems

JOB = {"workload": "oltp", "targets": ["sqlite:///shop.db"], "phases": {"measure_s": "5s"}}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A run that was planned and has no job yet."""
    (tmp_path / "jobs").mkdir()
    run = Run(tmp_path)
    record = RunRecord(
        run=tmp_path.name,
        name="oltp",
        system="shop",
        title="A shop",
        study={"name": "oltp", "job": JOB},
        created_unix_s=1e9,
        igen_version="0.1.0",
    )
    run.write_record(record)
    return run


@pytest.mark.parametrize("first", [None, b"", b'{"job_st', b'{"job_start"}\n', b"\n\x00\n"])
def test_a_run_without_a_job_opens(run: Run, first: bytes | None, tmp_path: Path) -> None:
    if first is not None:
        (run.folder / "jobs" / "0001.jsonl").write_bytes(first)
        (run.folder / "floor.jsonl").write_bytes(first)
    (system,) = read_systems(run)
    assert (system.name, system.workload, system.targets) == ("shop", "oltp", ["sqlite:///shop.db"])
    assert (system.levels, system.peak, system.started_unix_s) == ([], None, 1e9)
    assert "nothing-recorded" in [each.rule for each in system.findings]
    result = read_result([run])
    assert "nothing was measured" in summary_text(result)
    assert "no load was run on both" in summary_text(read_result([run, run]))
    for kind in ("html", "markdown", "csv", "json"):
        write_report(result, tmp_path / f"report.{kind}", kind)


def test_without_a_record_either_it_opens(run: Run) -> None:
    (run.folder / "run.json").write_bytes(b"{")
    (system,) = read_systems(run)
    assert (system.name, system.workload, system.levels) == (run.id, "", [])


@pytest.mark.parametrize(
    ("count", "kept"),
    [(0, []), (3, [0, 1, 2]), (5, [0, 1, 2, 3, 4]), (9, [0, 2, 4, 6, 8]), (1200, [0, 300, 600, 899, 1199])],
)
def test_of_many_segments_some_are_kept_from_begin_to_end(count: int, kept: list[int]) -> None:
    assert sorted(evenly_spread(count, 5)) == kept
