"""The load at which a closed system fills up, of systems whose demands are known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from igen.judge.curve.bound import bound_of


def level(users: int, per_s: float, verdict: str = "VALID", model: str = "closed") -> Any:
    return SimpleNamespace(
        users=users,
        throughput_per_s=SimpleNamespace(value=per_s),
        load={model: {}},
        trust=SimpleNamespace(verdict=verdict),
    )


THINK_S = 10.0
DEMANDS_S = {"web": 0.001, "application": 0.0053, "database": 0.002}


def idle(users: int) -> Any:
    """A load that does not make anybody wait."""
    return level(users, users / (THINK_S + sum(DEMANDS_S.values())))


def shares(of: Any) -> dict[str, float]:
    return {name: min(demand_s * of.throughput_per_s.value, 1) for name, demand_s in DEMANDS_S.items()}


def test_the_resource_with_the_largest_demand_fills_first() -> None:
    bound = bound_of([idle(200), idle(50), idle(100)], shares)
    assert bound is not None
    assert bound.resources == ("application",)
    assert bound.per_s == pytest.approx(1 / 0.0053)
    assert bound.users == 1900
    assert [each.users for each in bound.levels] == [50, 100, 200]


def test_a_full_level_does_not_move_the_bound() -> None:
    levels = [idle(50), idle(100), idle(200)]
    full = level(1900, 150.0)
    before, after = bound_of(levels, shares), bound_of([*levels, full], shares)
    assert before
    assert after
    assert (before.users, before.per_s) == (after.users, after.per_s)
    # Without others it is all there is; one level shows nothing.
    assert bound_of([full, full], shares)
    assert bound_of([full], shares) is None


@pytest.mark.parametrize(
    "levels",
    [[], [level(8, 0.0)], [level(8, 1.0, verdict="INVALID")], [level(8, 1.0, model="open")]],
)
def test_without_a_closed_load_that_was_measured_nothing_is_known(levels: list[Any]) -> None:
    assert bound_of(levels, shares) is None


def test_without_resources_nothing_is_known() -> None:
    loads = [idle(50), idle(100)]
    assert bound_of(loads, lambda _: {}) is None
    assert bound_of(loads, lambda _: {"idle": 0.0}) is None


@pytest.mark.parametrize(("demand_s", "users"), [(1.0, 11), (20.0, 1), (0.000123, 81000)])
def test_users_have_two_digits(demand_s: float, users: int) -> None:
    loads = [level(1, 1 / 11)] * 2 if demand_s == 1.0 else [level(1, 1 / THINK_S)] * 2
    bound = bound_of(loads, lambda each: {"cpu": demand_s * each.throughput_per_s.value})
    assert bound is not None
    assert bound.users == users


def test_resources_that_fill_at_the_same_users_are_all_named() -> None:
    both = bound_of(
        [idle(50), idle(100)], lambda each: dict.fromkeys("ab", shares(each)["web"]) | {"c": 0.001}
    )
    assert both is not None
    assert both.resources == ("a", "b")
