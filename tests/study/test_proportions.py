from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.errors import InputError
from igen.study.levels import search_range
from igen.study.plans import PeakPlan
from igen.study.proportions import proportions, shared_out, with_users
from igen.study.study import Study


def _closed(users: int) -> dict[str, Any]:
    return {"load": {"closed": {"users": users, "think_time_s": 1}}}


def _study(axes: dict[str, Any], **personas: dict[str, Any]) -> Study:
    return Study(name="both", job={"workload": "model", "personas": personas}, axes=axes, plan=PeakPlan())


@pytest.mark.parametrize(
    ("total", "shares", "users"),
    [
        (12, {"a": 1, "b": 2}, {"a": 4, "b": 8}),
        (13, {"a": 1, "b": 2}, {"a": 4, "b": 9}),
        (14, {"a": 1, "b": 2}, {"a": 5, "b": 9}),
        # Where two shares are the same the first name comes first.
        (5, {"a": 10, "b": 10}, {"a": 3, "b": 2}),
        (10, {"a": 1, "b": 1, "c": 1}, {"a": 4, "b": 3, "c": 3}),
        (7_000, {"clerks": 6_972, "screens": 28}, {"clerks": 6_972, "screens": 28}),
        # By the largest remainders 10 would be 4, 4 and 2: of one more in all, `c` would lose one.
        (10, {"a": 6, "b": 6, "c": 2}, {"a": 5, "b": 4, "c": 1}),
        (11, {"a": 6, "b": 6, "c": 2}, {"a": 5, "b": 5, "c": 1}),
        (3, {"a": 900, "b": 1, "c": 1}, {"a": 1, "b": 1, "c": 1}),
    ],
)
def test_users_are_shared_out_in_proportion(
    total: int, shares: dict[str, int], users: dict[str, int]
) -> None:
    assert shared_out(total, shares) == users


SHARES = st.dictionaries(st.text(min_size=1), st.integers(1, 10_000), min_size=1, max_size=16)


@given(SHARES, st.integers(0, 100_000))
def test_one_more_in_all_takes_from_nobody(shares: dict[str, int], more: int) -> None:
    total = len(shares) + more
    users, of_one_more = shared_out(total, shares), shared_out(total + 1, shares)
    assert sum(users.values()) == total
    assert min(users.values()) >= 1
    assert sum(of_one_more.values()) == total + 1
    assert all(of_one_more[name] >= users[name] for name in shares)


@given(SHARES, st.integers(1, 5))
def test_a_multiple_of_the_proportions_is_kept(shares: dict[str, int], times: int) -> None:
    multiple = {name: times * share for name, share in shares.items()}
    assert shared_out(sum(multiple.values()), shares) == multiple


@given(SHARES, st.integers(0, 60))
def test_users_are_shared_out_as_if_one_after_the_other_came(shares: dict[str, int], more: int) -> None:
    users = dict.fromkeys(shares, 1)
    for _ in range(more):
        users[max(shares, key=lambda name: Fraction(shares[name], 2 * users[name] + 1))] += 1
    assert shared_out(len(shares) + more, shares) == users


def test_a_search_goes_along_the_users_of_all_personas() -> None:
    personas = {
        "clerks": _closed(30),
        "screens": {"load": {"paced": {"users": 10, "rate_per_user_per_s": 1}}},
    }
    assert search_range(_study({}, **personas)) == ("users", 4, 4096)
    assert search_range(_study({}, a=_closed(4_999), b=_closed(1_000))) == ("users", 6, 4096)
    assert search_range(_study({"users": [8, 400]}, **personas)) == ("users", 8, 400)
    job = _study({}, **personas).job
    made = with_users(job, 6)["personas"]
    assert made["clerks"]["load"]["closed"] == {"users": 5, "think_time_s": 1}
    assert made["screens"]["load"]["paced"] == {"users": 1, "rate_per_user_per_s": 1}
    assert proportions(job) == {"clerks": 30, "screens": 10}
    assert proportions({"workload": "model"}) == {}


OTHER = "job.personas.other.load"


@pytest.mark.parametrize(
    ("axes", "other", "where", "says"),
    [
        ({}, {"load": {"open": {"rate_per_s": 9}}}, OTHER, "open load"),
        ({}, {"load": {"closed": {}}}, OTHER, "no number of users"),
        ({}, {"load": {"closed": {"users": True}}}, OTHER, "no number of users"),
        ({}, {"load": {"closed": {"users": 0}}}, OTHER, "no number of users"),
        ({}, {"load": {"closed": 5}}, OTHER, "no number of users"),
        ({}, {"load": 5}, OTHER, "no number of users"),
        ({}, {}, OTHER, "no number of users"),
        ({}, 5, OTHER, "no number of users"),
        ({}, {"load": {"closed": {"users": 3}, "paced": {"users": 3}}}, OTHER, "2 load models"),
        ({"users": [2, 9]}, _closed(1), "users", "a user of each load"),
        ({"users": [True, 90]}, _closed(1), "users", "whole numbers"),
        ({"users": [5_000]}, _closed(1), "axes", "from 5,000 to 4,096 users"),
        ({}, _closed(300_000), "axes", "from 10,001 to 4,096 users"),
        (
            {"personas.clerks.load.closed.users": [2, 9]},
            _closed(1),
            "personas.clerks.load.closed.users",
            "varies",
        ),
    ],
)
def test_what_has_no_peak_is_refused(axes: dict[str, Any], other: Any, where: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as refused:
        search_range(_study(axes, clerks=_closed(30), other=other))
    assert refused.value.where == where
    assert refused.value.hint


@pytest.mark.parametrize("personas", [5, [1], "clerks", True])
def test_personas_that_are_no_table_are_refused(personas: Any) -> None:
    with pytest.raises(InputError) as refused:
        proportions({"workload": "model", "personas": personas})
    assert refused.value.where == "job.personas"
    assert refused.value.hint


def test_a_search_without_personas_begins_below_its_end_too() -> None:
    study = Study(name="one", job={"workload": "noop"}, axes={"load.closed.users": [5_000]}, plan=PeakPlan())
    with pytest.raises(InputError, match="nothing to try"):
        search_range(study)
