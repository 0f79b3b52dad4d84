"""Between which loads the peak lies, if a search had no time to choose among the best loads."""

from __future__ import annotations

import pytest

from igen.judge.result import System
from tests.judge.synthetic import one_system, recording

STEPS = (-0.01, 0.012, 0.0, 0.008, -0.011)


def searched(curve: dict[int, int], confirmed: int, chosen: bool = False) -> System:
    """A search with one run of each load, and fresh runs of one of them."""
    levels = {users: number for number, users in enumerate(curve)}
    runs = [
        recording([mean] * 10, users=users, level=levels[users], purpose="search")
        for users, mean in curve.items()
    ]
    for purpose in ("choose", "confirm") if chosen else ("confirm",):
        runs += [
            recording(
                [round(curve[confirmed] * (1 + step))] * 10,
                users=confirmed,
                level=levels[confirmed],
                repeat=repeat,
                purpose=purpose,
            )
            for repeat, step in enumerate(STEPS)
        ]
    return one_system(runs)


@pytest.mark.parametrize(
    ("curve", "between"),
    [
        ({1: 1000, 4: 3900, 8: 4000, 16: 3950, 32: 3000}, [1, 32]),
        ({1: 1000, 4: 2000, 8: 4000, 16: 3000, 32: 3950}, [4, None]),
        ({1: 1000, 4: 2000, 8: 4000}, [4, None]),
        ({8: 4000, 16: 2000}, [None, 16]),
    ],
)
def test_a_search_without_a_round_that_chooses_names_a_bracket(
    curve: dict[int, int], between: list[int | None]
) -> None:
    system = searched(curve, 8)
    assert system.peak is not None
    assert system.peak.users == 8
    assert system.peak.confirmed
    users = {level.level: level.users for level in system.levels}
    assert [each if each is None else users[each] for each in system.peak.between_levels] == between
    (found,) = (each for each in system.peak.findings if each.rule == "peak-between")
    ends = {part.name: part.figure for part in found.parts}
    low, high = between
    assert ends == {"low_users": low or 1} | ({"high_users": high} if high else {})
    assert system.sweet_spot is None
    assert system.peak.chosen_among == 1, "the runs of its figure had no part in the choice"


def test_a_peak_that_was_chosen_has_no_bracket() -> None:
    system = searched({4: 2000, 8: 4000, 16: 3000}, 8, chosen=True)
    assert system.peak is not None
    assert system.peak.between_levels == []


def test_a_sweep_has_no_bracket() -> None:
    system = one_system([recording([1000 * users] * 10, users=users, level=users) for users in (1, 2)])
    assert system.peak is not None
    assert system.peak.between_levels == []
