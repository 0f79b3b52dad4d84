"""Loads of the same amount that are offered in another manner: think time, pace, spacing of arrivals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from igen.judge.compare.compare import compare, pairs_of
from igen.judge.curve.load import load_key
from igen.judge.result import System
from tests.judge.synthetic import one_system, recording
from tests.judge.test_compare import decided, differences


def thinking(
    run: str, think_time_s: float, means: tuple[int, ...] = (1000, 1003, 998), **rest: Any
) -> System:
    """Two users in three runs."""
    load = {"closed": {"users": 2, "think_time_s": think_time_s}}
    return one_system(
        [
            recording([mean] * 10, users=2, run=run, load=load, repeat=i, **rest)
            for i, mean in enumerate(means)
        ]
    )


def test_as_many_users_who_think_longer_are_another_load() -> None:
    """They do less because less is asked of the system: that makes it no slower."""
    found = compare([thinking("A", 0.0), thinking("B", 0.5, (100, 101, 99))])
    assert (found.ratios, found.observations) == ([], [])
    assert [each.rule for each in found.findings] == ["nothing-in-common"]
    assert ("setting", "load.closed.think_time_s", "0.5", "0.0") in differences(found)
    same = compare([thinking("A", 0.5), thinking("B", 0.5, (100, 101, 99))])
    assert [ratio.answer for ratio in decided(same)] == ["slower"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"paced": {"users": 5, "rate_per_user_per_s": 10.0}},
            {"paced": {"users": 5, "rate_per_user_per_s": 20.0}},
        ),
        (
            {"open": {"rate_per_s": 100, "arrivals": "poisson"}},
            {"open": {"rate_per_s": 100, "arrivals": "constant"}},
        ),
    ],
    ids=["paced", "open"],
)
def test_the_same_amount_offered_otherwise_is_another_load(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    first, second = (
        one_system([recording([100] * 10, run=run, load=load, repeat=i) for i in range(3)])
        for run, load in (("A", one), ("B", other))
    )
    assert load_key(first.levels[0]) != load_key(second.levels[0])
    assert compare([first, second]).ratios == []


def test_each_think_time_of_one_run_has_a_base_of_its_own() -> None:
    names = ("short", "long", "short again", "long again")
    systems = [replace(thinking("A", 0.5 if name.startswith("long") else 0.1), name=name) for name in names]
    pairs = [(base.name, system.name) for base, system in pairs_of(systems)]
    assert pairs == [("short", "short again"), ("long", "long again")]
