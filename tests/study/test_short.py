"""Short keys of a study mean the paths in its job."""

from __future__ import annotations

from typing import Any

import pytest

from igen.ask.short import SHORT
from igen.dangers.find import dangers
from igen.errors import InputError
from igen.study.study import WRITTEN, study_of

CPU = {"workload": "cpu"}


@pytest.mark.parametrize(
    ("short", "job", "axes"),
    [
        ({"users": [1, 2]}, {"load": {"closed": {}}}, {"load.closed.users": [1, 2]}),
        ({"users": "1,2"}, {"load": {"closed": {}}}, {"load.closed.users": [1, 2]}),
        ({"rate": 100, "users": 8}, {"load": {"open": {}}},
         {"load.open.rate_per_s": [100], "load.open.users": [8]}),
        ({"duration": "5s", "warmup": "1s"}, {"phases": {"measure_s": "5s", "warmup_s": "1s"}}, {}),
        ({"think_time": "uniform:5s,15s"}, {"load": {"closed": {"think_time_s": {"uniform": [5.0, 15.0]}}}},
         {"load.closed.users": [1]}),
        ({"pin": True, "seed": 7}, {"placement": {"thread": {"pin": True}}, "load_seed": 7}, {}),
    ],
)  # fmt: skip
def test_a_short_key_is_a_path(short: dict[str, Any], job: dict[str, Any], axes: dict[str, Any]) -> None:
    made = study_of({**short, "job": CPU}, "x")
    assert made == study_of({"job": {**CPU, **job}, "axes": axes}, "x")


@pytest.mark.parametrize(
    "table",
    [
        {"users": [1], "axes": {"load.closed.users": [2]}},
        {"duration": "5s", "job": {**CPU, "phases": {"measure_s": 5}}},
        {"users": 2, "arrivals": "poisson"},
        {"duration": "5"},
        {"users": "one"},
        {"users": 1, "job": {**CPU, "personas": {"a": {}}}},
        {"usres": 1},
    ],
)
def test_a_key_that_is_given_twice_or_wrong_is_refused(table: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        study_of({"job": CPU, **table}, "x")


def test_no_key_of_a_study_is_short_for_another() -> None:
    assert {*SHORT}.isdisjoint(WRITTEN)


def test_a_short_key_is_as_dangerous_as_its_path() -> None:
    for short, job in (
        ({"targets": ["http://db.lab"]}, {"targets": ["http://db.lab"]}),
        ({"force": True}, {"force": True}),
    ):
        said = [(each.kind, each.word) for each in dangers({**short, "job": CPU})]
        assert said == [(each.kind, each.word) for each in dangers({"job": {**CPU, **job}})]
        assert said
    assert dangers({"users": [1, 2], "duration": "5s", "job": CPU}) == []
