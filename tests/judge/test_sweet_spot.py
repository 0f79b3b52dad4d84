"""The sweet spot of a sweep, and when it stays undecided."""

from __future__ import annotations

import pytest

from igen.judge.curve.points import named_points, ratio_to, repeats_to_tell
from igen.judge.result import Figure, System
from igen.judge.trust.rules.curve import NOT_INFERIOR
from tests.judge.synthetic import one_system, recording

LITTLE = (-0.004, -0.002, 0.0, 0.002, 0.004)
MUCH = (-0.06, 0.05, 0.0, 0.06, -0.05)


def curve(means: dict[int, tuple[int, tuple[float, ...]]]) -> System:
    return one_system(
        [
            recording([round(mean * (1 + step))] * 10, users=users, level=level, repeat=repeat)
            for level, (users, (mean, steps)) in enumerate(means.items())
            for repeat, step in enumerate(steps)
        ]
    )


@pytest.mark.parametrize("runs", [2, 5])
def test_an_undecided_lower_load_leaves_the_sweet_spot_undecided(runs: int) -> None:
    lowest = 3940, MUCH[:runs]
    system = curve({2: lowest, 4: (3960, LITTLE), 8: (4000, LITTLE)})
    of_lowest, of_middle = (ratio_to(level, system.levels[-1]) for level in system.levels[:2])
    assert of_middle.low is not None
    assert of_middle.low >= NOT_INFERIOR.value, "a spot is found before the undecided load"
    assert of_lowest.low is None or of_lowest.low < NOT_INFERIOR.value <= (of_lowest.high or 0.0)
    points = named_points(system.levels, "closed", None)
    assert points.peak is not None
    assert points.sweet_spot is None
    undecided = "few-common-repeats" if of_lowest.low is None else "lower-load-undecided"
    assert points.unnamed["sweet spot"].rule == undecided


def test_a_lower_load_that_is_shown_to_do_less_decides_it() -> None:
    system = curve({2: (2000, MUCH), 4: (3960, LITTLE), 8: (4000, LITTLE)})
    points = named_points(system.levels, "closed", None)
    assert points.sweet_spot is not None
    assert points.sweet_spot.users == 4
    assert "sweet spot" not in points.unnamed


@pytest.mark.parametrize(
    ("value", "half", "needed"),
    [(0.99, 1.03, 7), (0.95, 1.03, 7), (0.97, 1.01, None), (0.9701, 1.05, None), (0.98, 1.10, 259)],
)
def test_repeats_would_tell_unless_the_ratio_lies_at_the_border(
    value: float, half: float, needed: int | None
) -> None:
    found = repeats_to_tell(Figure(value=value, low=value / half, high=value * half, n=3))
    assert found == (needed and pytest.approx(needed, abs=1))
