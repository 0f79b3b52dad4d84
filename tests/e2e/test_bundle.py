"""A run is packed, checked and measured again, by commands alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import UNWATCHED, Done, document_of

STUDY = f"""
title = "A queue"
plan = {{ mode = "sweep", repeats = 3 }}
[job]
workload = "model"
force = true
phases = {{ warmup_s = "0.1s", measure_s = "0.8s", interval_s = "0.1s" }}
{UNWATCHED}
[axes]
"load.closed.users" = [1, 2]
"""


@pytest.fixture
def bundle(igen: Callable[[str], Done], tmp_path: Path) -> Path:
    study = tmp_path / "queue.toml"
    study.write_text(STUDY)
    assert igen(f"study run {study} --quiet").code == 0
    path = tmp_path / "queue.igen"
    done = igen(f"publish bundle last -o {path} --json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["bytes"] == path.stat().st_size
    return path


def test_a_bundle_is_verified_and_reproduced(igen: Callable[[str], Done], bundle: Path) -> None:
    verified = igen(f"publish verify {bundle} --json")
    assert verified.code == 0, verified.err
    assert json.loads(verified.out)["differences"] == []
    done = igen(f"publish reproduce {bundle} --yes --json --quiet")
    assert done.code == 0, done.err
    document = document_of(done.out)
    published, here = document["systems"]
    assert published["name"].endswith(", published")
    assert here["name"].endswith(", here")
    assert published["run"] != here["run"]
    loads = {(ratio["users"], ratio["quantity"]) for ratio in document["ratios"]}
    assert {(1, "throughput"), (2, "throughput")} <= loads
    assert all(
        ratio["ratio"]["low"] < ratio["ratio"]["high"] for ratio in document["ratios"] if ratio["decides"]
    )
    assert published["job"]["load_seed"] == here["job"]["load_seed"]
    assert published["job"]["force"] is True
    assert here["job"]["force"] is False, "what a user permitted elsewhere is not permitted here"


def test_a_study_of_others_is_run_by_consent_only(
    igen: Callable[[str], Done], bundle: Path, tmp_path: Path
) -> None:
    before = igen("list runs --json").out
    done = igen(f"publish reproduce {bundle}")
    assert done.code == 2
    assert "workload model" in done.err
    assert "use --yes" in done.err
    assert igen("list runs --json").out == before


@pytest.mark.slow
def test_other_settings_are_told_as_differences(igen: Callable[[str], Done], bundle: Path) -> None:
    done = igen(f"publish reproduce {bundle} --yes --json --quiet --set servers=2")
    assert done.code == 0, done.err
    found = document_of(done.out)["differences"]
    assert ("servers", "2") in [(each["name"], each["of_system"]) for each in found]


# 6 s: tests/bundle/test_unpack.py cuts one off at each place.
@pytest.mark.slow
def test_a_bundle_that_is_cut_off_is_not_run(igen: Callable[[str], Done], bundle: Path) -> None:
    bundle.write_bytes(bundle.read_bytes()[:-100])
    for command in ("publish verify", "publish reproduce"):
        done = igen(f"{command} {bundle} --quiet")
        assert done.code == 2
        assert "cut off" in done.err
