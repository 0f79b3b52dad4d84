"""A bundle is what its events say, or each value that is not is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from igen.bundle.contents import CONTENTS_FILE, RESULT_FILE
from igen.bundle.pack import pack
from igen.bundle.reproduce import beside, pairs_of
from igen.bundle.unpack import unpack
from igen.bundle.verify import Verified, differences, verify
from igen.cli import run_arguments
from igen.store.noise import NOISE_FILE
from igen.store.run import Run
from igen.study.results import read_result, read_systems
from tests.bundle.made import archive, packed
from tests.golden.recorded_run import names
from tests.pipeline import scenarios, studies


def forged(path: Path, name: str, old: bytes, new: bytes) -> Path:
    """The bundle with a text replaced in one of its members, and sealed anew."""
    with ZipFile(path) as bundle:
        members = {each: bundle.read(each) for each in bundle.namelist()}
    assert old in members[name], members[name][:500]
    members[name] = members[name].replace(old, new, 1)
    listed = json.loads(members.pop(CONTENTS_FILE))
    listed["members"] = {each: len(data) for each, data in members.items()}
    return archive(path.with_name("forged.igen"), members, json.dumps(listed).encode())


def verified(path: Path, folder: Path) -> Verified:
    return verify(unpack(path, folder / "unpacked"))


@pytest.mark.parametrize("name", names())
def test_each_workload_is_as_published(tmp_path: Path, name: str) -> None:
    found = verified(packed(tmp_path, name), tmp_path)
    assert found.differences == []
    assert found.numbers > 100
    assert found.executions == 1


def test_the_same_runs_make_the_same_bytes(tmp_path: Path) -> None:
    one, other = (packed(tmp_path / place) for place in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()


def test_a_figure_that_was_changed_is_named(tmp_path: Path) -> None:
    path = packed(tmp_path)
    level = json.loads(ZipFile(path).read(RESULT_FILE))["systems"][0]["levels"][0]
    old = f'"transactions":{level["transactions"]}'.encode()
    found = verified(forged(path, RESULT_FILE, old, b'"transactions":1234567'), tmp_path)
    (difference,) = found.differences
    assert difference.place == "systems[0].levels[0].transactions"
    assert (difference.published, difference.recomputed) == (1234567, level["transactions"])


def test_events_that_were_changed_change_figures(tmp_path: Path) -> None:
    path = packed(tmp_path)
    job = "runs/noop/jobs/0001.jsonl"
    lines = ZipFile(path).read(job).splitlines()
    snapshots = [line for line in lines if b'"measure"' in line and b'"snapshot"' in line]
    found = verified(forged(path, job, snapshots[0] + b"\n", b""), tmp_path)
    assert any("throughput_per_s" in each.place for each in found.differences)


def test_verdicts_and_sentences_are_compared_too(tmp_path: Path) -> None:
    path = packed(tmp_path)
    found = verified(forged(path, RESULT_FILE, b'"INVALID"', b'"VALID"'), tmp_path)
    assert [each.place.rpartition(".")[2] for each in found.differences] == ["throughput"]


@pytest.mark.parametrize(
    ("published", "recomputed", "places"),
    [
        ({"a": 1.0}, {"a": 1.0 + 1e-12}, []),
        ({"a": 1.0}, {"a": 1.001}, ["a"]),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": True}, {"a": 1}, ["a"]),
        ({"a": None}, {"a": 0}, ["a"]),
        ({"a": [1, 2]}, {"a": [1]}, ["a"]),
        ({"a": [1, 2], "b": {"c": "x"}}, {"a": [1, 3], "b": {"c": "y"}}, ["a[1]", "b.c"]),
        ({}, {"a": 1}, ["a"]),
        ({"a": 1}, {}, ["a"]),
        ({"igen_version": "0.1.0"}, {"igen_version": "0.2.0"}, []),
    ],
)
def test_what_counts_as_a_difference(
    published: dict[str, Any], recomputed: dict[str, Any], places: list[str]
) -> None:
    assert [each.place for each in differences(published, recomputed)] == places


def stored(folder: Path) -> list[Run]:
    """Two runs of a machine whose noise is known."""
    folder.mkdir()
    scenario = next(each for each in scenarios.SCENARIOS if each.stored and each.sessions)
    return studies.write_study(folder, scenario, 0)


def test_a_comparison_keeps_the_noise_of_its_machine(tmp_path: Path) -> None:
    """Also where it is verified on another machine."""
    runs = stored(tmp_path / "store")
    assert (tmp_path / "store" / NOISE_FILE).exists()
    result = read_result(runs, host="lab")
    assert any(ratio.session_noise_percent for ratio in result.ratios)
    path = tmp_path / "both.igen"
    pack(runs, result, path, host="lab", told=lambda _bytes: None)
    assert verified(path, tmp_path).differences == []


def test_the_command_tells_and_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = packed(tmp_path)
    assert (
        run_arguments(["publish", "verify", str(path), "-o", str(tmp_path / "report.html"), "--quiet"]) == 0
    )
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert "all as published" in capsys.readouterr().out
    forgery = forged(path, RESULT_FILE, b'"schema_version":2', b'"schema_version":3')
    assert run_arguments(["publish", "verify", str(forgery), "--json", "--quiet"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["ok"] is False
    assert err.startswith(f"igen: error: {forgery}: 1 value of the published result")


def test_of_two_runs_of_one_study_the_systems_are_paired(tmp_path: Path) -> None:
    """By name, and by order where hosts gave them their names."""
    scenario = next(each for each in scenarios.SCENARIOS if not each.stored)
    runs = [
        *studies.write_study(tmp_path / "was", scenario, 0),
        *studies.write_study(tmp_path / "now", scenario, 1),
    ]
    was, now = runs
    result = beside([was], [now])
    names = [system.name for system in result.systems]
    assert names == [f"{name}, {when}" for name in ("alpha", "beta") for when in ("published", "here")]
    assert {(ratio.system, ratio.base) for ratio in result.ratios} == {
        ("alpha, here", "alpha, published"),
        ("beta, here", "beta, published"),
    }
    theirs, ours = read_systems(was), read_systems(now)
    elsewhere = [replace(system, name=f"other {system.name}") for system in ours]
    assert [pair[1].name for pair in pairs_of(theirs, elsewhere)] == ["other alpha", "other beta"]
    assert [pair[1].name for pair in pairs_of(theirs, ours[1:])] == ["beta"]
