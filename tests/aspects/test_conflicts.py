"""Attempts lost to conflicts are a column and an observation wherever there are any."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from igen.aspects.conflicts.observe import CONFLICTS, conflict_observations
from igen.judge.result import CounterResult
from igen.report.level_tables import count_columns


def level(users: int, conflicts: int) -> Any:
    """A level of 1,000 transactions; counters of 0 are left out of a level."""
    counter = CounterResult(count=conflicts, per_s=conflicts, per_transaction=conflicts / 1000)
    counters = {CONFLICTS: counter} if conflicts else {}
    return SimpleNamespace(
        users=users,
        transactions=1000,
        counters=counters,
        offered_per_s=None,
        load={"closed": {}},
        errors=0,
        unsent=0,
    )


def system(*levels: Any) -> Any:
    return SimpleNamespace(name="alpha", load_model="closed", levels=levels)


@pytest.mark.parametrize("conflicts", [(0, 0), (0, 1), (1964, 20), (5, 0)])
def test_the_level_with_the_most_conflicts_is_observed(conflicts: tuple[int, int]) -> None:
    of = system(*(level(users, count) for users, count in zip((4, 8), conflicts, strict=True)))
    found = list(conflict_observations(of, []))
    assert len(found) == int(any(conflicts))
    for each in found:
        assert (each.rule, each.figure("conflicts")) == ("conflicts", max(conflicts))
        assert each.figure("per_transaction") == pytest.approx(max(conflicts) / 1000)


@pytest.mark.parametrize(("conflicts", "cells"), [((0, 0), None), ((0, 1964), ["0", "1,964"])])
def test_conflicts_are_a_column_if_there_are_any(conflicts: tuple[int, int], cells: list[str] | None) -> None:
    of = system(*(level(users, count) for users, count in zip((4, 8), conflicts, strict=True)))
    rows: Any = [SimpleNamespace(level=each, system=of) for each in of.levels]
    columns = {each.title: each.cells for each in count_columns(rows)}
    assert columns.get(CONFLICTS) == cells
