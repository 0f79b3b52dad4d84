"""What a study needs before it can run."""

from __future__ import annotations

from pathlib import Path

import pytest

from igen.study.needs import needs_of
from igen.study.study import study_of


@pytest.mark.parametrize(
    ("job", "needed"),
    [
        ({"workload": "cpu"}, []),
        ({"workload": "oltp", "targets": ["sqlite:///a.db"]}, []),
        ({"workload": "scan", "targets": ["duckdb:///a.duckdb"]}, ["igen install duckdb"]),
        (
            {"workload": "oltp", "targets": ["mysql://igen@127.0.0.1:{1..4}/igen", "http://shop.lab"]},
            ["mysql 127.0.0.1:1 and 3 more", "http shop.lab"],
        ),
    ],
)
def test_servers_and_libraries_are_named(job: dict[str, object], needed: list[str]) -> None:
    assert needs_of(study_of({"job": job}, "x")) == needed


def test_only_a_missing_folder_is_needed(tmp_path: Path) -> None:
    there, missing = f"file://{tmp_path}/a", f"file://{tmp_path}/none/a"
    study = study_of({"job": {"workload": "io"}, "axes": {"targets": [[there], [missing]]}}, "x")
    assert needs_of(study) == [f"the folder {tmp_path}/none"]
