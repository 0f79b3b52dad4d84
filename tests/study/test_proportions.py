from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.errors import InputError
from igen.study.levels import search_range
from igen.study.plan import PeakPlan
from igen.study.proportions import first_total, least_total, proportions, shared_out, with_users
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
        # The rest is given to the largest remainders, the first name first.
        (5, {"a": 10, "b": 10}, {"a": 3, "b": 2}),
        (10, {"a": 1, "b": 1, "c": 1}, {"a": 4, "b": 3, "c": 3}),
        (7_000, {"clerks": 6_972, "screens": 28}, {"clerks": 6_972, "screens": 28}),
    ],
)
def test_users_are_shared_out_by_the_largest_remainders(
    total: int, shares: dict[str, int], users: dict[str, int]
) -> None:
    assert shared_out(total, shares) == users


@given(
    st.dictionaries(st.text(min_size=1), st.integers(1, 10_000), min_size=1, max_size=16),
    st.integers(0, 100_000),
)
def test_nobody_is_lost_and_nobody_is_left_without_users(shares: dict[str, int], more: int) -> None:
    total = least_total(shares) + more
    users = shared_out(total, shares)
    assert sum(users.values()) == total
    for name, share in shares.items():
        assert users[name] >= 1
        assert abs(users[name] - total * share / sum(shares.values())) < 1
    first = first_total(shares)
    assert all(
        users * sum(shares.values()) == first * shares[n] for n, users in shared_out(first, shares).items()
    )


def test_a_search_goes_along_the_users_of_all_personas() -> None:
    personas = {
        "clerks": _closed(30),
        "screens": {"load": {"paced": {"users": 10, "rate_per_user_per_s": 1}}},
    }
    assert search_range(_study({}, **personas)) == ("users", 4, 4096)
    assert search_range(_study({"users": [8, 400]}, **personas)) == ("users", 8, 400)
    job = _study({}, **personas).job
    made = with_users(job, 6)["personas"]
    assert made["clerks"]["load"]["closed"] == {"users": 5, "think_time_s": 1}
    assert made["screens"]["load"]["paced"] == {"users": 1, "rate_per_user_per_s": 1}
    assert proportions(job) == {"clerks": 30, "screens": 10}
    assert proportions({"workload": "model"}) == {}


@pytest.mark.parametrize(
    ("axes", "other", "where", "says"),
    [
        ({}, {"load": {"open": {"rate_per_s": 9}}}, "job.personas.other.load", "open load"),
        ({}, {"load": {"closed": {}}}, "job.personas.other.load", "no number of users"),
        ({}, {}, "job.personas.other.load", "no number of users"),
        ({"users": [2, 9]}, _closed(1), "users", "leave a persona without"),
        (
            {"personas.clerks.load.closed.users": [2, 9]},
            _closed(1),
            "personas.clerks.load.closed.users",
            "varies",
        ),
    ],
)
def test_what_has_no_peak_is_refused(
    axes: dict[str, Any], other: dict[str, Any], where: str, says: str
) -> None:
    with pytest.raises(InputError, match=says) as refused:
        search_range(_study(axes, clerks=_closed(30), other=other))
    assert refused.value.where == where
    assert refused.value.hint
