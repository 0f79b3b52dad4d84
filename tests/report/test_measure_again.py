"""The `igen ab` that measures two recorded systems again has what differs between them, and nothing else."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import Any

import pytest

from igen.cli.side_by_side import job_of
from igen.judge.result import System
from igen.report.measure_again import side_by_side
from report import sample

BASE = sample.one_system().systems[0]


def words_of(base: System, system: System) -> list[str]:
    command = side_by_side(base, system)
    assert command is not None
    return shlex.split(command)


def values(words: list[str], option: str) -> list[str]:
    return [words[at + 1] for at, word in enumerate(words) if word == option]


@pytest.mark.parametrize(
    ("of_base", "of_system"),
    [
        ({"synchronous": "normal"}, {"synchronous": "full"}),
        ({"path": "/a b"}, {"path": '/it\'s "c"'}),
        ({"customers": 1000, "verify": True}, {"customers": 2000, "verify": False}),
    ],
)
def test_each_side_has_its_parameters(of_base: dict[str, Any], of_system: dict[str, Any]) -> None:
    common = {"distribution": "uniform"}
    words = words_of(replace(BASE, params=common | of_base), replace(BASE, params=common | of_system))
    assert words[:3] == ["igen", "ab", BASE.workload]
    assert values(words, "--set") == ["distribution=uniform"]
    for option, params in (("--a", of_base), ("--b", of_system)):
        (settings,) = values(words, option)
        assert job_of(settings, option) == {"params": params}
    assert values(words, "--target") == BASE.targets


def test_a_parameter_that_one_side_leaves_out_has_its_default() -> None:
    base = replace(BASE, params={"synchronous": "full"}, defaults={"synchronous": "normal"})
    system = replace(base, params={})
    words = words_of(base, system)
    assert (values(words, "--a"), values(words, "--b")) == (["synchronous=full"], ["synchronous=normal"])


def test_each_side_has_its_target() -> None:
    words = words_of(BASE, replace(BASE, targets=["sqlite:///other.db"]))
    assert values(words, "--target") == []
    assert values(words, "--a") == [f"target={BASE.targets[0]}"]
    assert values(words, "--b") == ["target=sqlite:///other.db"]


@pytest.mark.parametrize(
    "other",
    [
        replace(BASE, facts={**BASE.facts, "kernel": "another"}),
        replace(BASE, workload="bank"),
        replace(BASE, targets=["sqlite:///a.db", "sqlite:///b.db"]),
    ],
)
def test_there_is_none_if_no_setting_tells_them_apart(other: System) -> None:
    assert side_by_side(BASE, other) is side_by_side(other, BASE) is None
