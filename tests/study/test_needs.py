"""What a study needs before it can run."""

from __future__ import annotations

from pathlib import Path

import pytest

from checks import tree
from igen.study.needs import needs_of
from igen.study.study import load_study, study_of
from igen.study.time_needed import time_needed_s


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


def test_the_study_says_what_its_targets_do_not_show() -> None:
    study = study_of({"needs": ["root"], "job": {"workload": "bank", "targets": ["mysql://a/b"]}}, "x")
    assert needs_of(study) == ["mysql a", "root"]


PHASES = {"warmup_s": "1s", "measure_s": "8.8s"}
"""With 2 x 0.2 s of canaries and 0.2 s of overhead: 10.4 s."""
LEVEL_S = 10.4


@pytest.mark.parametrize(
    ("table", "time_s"),
    [
        ({"axes": {"load.closed.users": [1, 2]}, "plan": {"mode": "sweep", "repeats": 3}}, 6 * LEVEL_S),
        ({"systems": [{"name": "a"}, {"name": "b"}], "plan": {"mode": "sweep", "repeats": 2}}, 4 * LEVEL_S),
        ({"plan": {"mode": "peak"}}, 20 * LEVEL_S),
        ({"plan": {"mode": "peak", "within_s": 60}}, 60),
        ({"plan": {"mode": "torture", "under_load_s": 7200}}, 7200),
    ],
)
def test_the_time_of_a_study_is_known_without_asking_its_servers(
    table: dict[str, object], time_s: float
) -> None:
    job = {"workload": "bank", "targets": ["mysql://nowhere.lab/igen"], "phases": PHASES}
    assert time_needed_s(study_of({"job": job, **table}, "x")) == pytest.approx(time_s)


def test_a_scaling_study_searches_and_then_loads_each_number_of_targets() -> None:
    table = {
        "job": {
            "workload": "oltp",
            "targets": ["sqlite:///{1..3}.db"],
            "load": {"paced": {"rate_per_user_per_s": 1}},
            "phases": PHASES,
        },
        "plan": {"mode": "scaling", "repeats": 2},
        "axes": {"load.paced.users": [1, 8]},
    }
    assert time_needed_s(study_of(table, "x")) == pytest.approx((20 + 3 * 2) * LEVEL_S)


@pytest.mark.parametrize("path", sorted((tree.ROOT / "studies").glob("*.toml")), ids=lambda path: path.stem)
def test_a_shipped_study_that_needs_root_says_so(path: Path) -> None:
    study = load_study(path)
    ways = {str(way) for way in study.axes.get("placement.scheduling", [])}
    arrays = any(
        "/igen-arrays/" in target for system in study.systems for target in system.job.get("targets", [])
    )
    assert ("root" in study.needs) == (arrays or bool(ways & {"nice", "autogroup", "rr", "fifo"}))
    assert time_needed_s(study) > 0
