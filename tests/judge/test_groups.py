"""How often a level says that its runs are of two kinds, as the page on statistics has it."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge.trust.groups import two_groups


@pytest.mark.parametrize(
    ("runs", "noise", "seen"),
    [
        (3, 0.01, 0.0),
        (4, 0.01, 0.87),
        (4, 0.02, 0.42),
        (4, 0.03, 0.20),
        (5, 0.01, 0.998),
        (5, 0.02, 0.75),
        (5, 0.03, 0.39),
        (10, 0.01, 1.0),
        (10, 0.02, 0.996),
        (10, 0.03, 0.75),
    ],
)
def test_runs_of_which_each_fifth_is_a_fifth_slower(runs: int, noise: float, seen: float) -> None:
    random = np.random.default_rng(2)
    told, levels = 0, 0
    while levels < 400:
        slow = random.random(runs) < 0.2
        if slow.any() and not slow.all():
            levels += 1
            per_s = 1000 * np.where(slow, 0.8, 1.0) * (1 + noise * random.standard_normal(runs))
            told += any(two_groups(per_s.tolist()))
    assert told / levels == pytest.approx(seen, abs=0.08), "three standard errors"
