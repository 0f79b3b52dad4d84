"""Memory of tiers whose fixed part and part for each user are known."""

from __future__ import annotations

import numpy as np
import pytest

from igen.aspects.tier.parts import TiersMemory
from igen.judge import result_of
from igen.judge.figure.line import line_through
from igen.judge.record.recording import Recording
from igen.judge.result import Figure, System, aspect
from igen.report.text import summary_text
from tests.aspects.tier_hosts import judged, on_tiers

FIXED, PER_USER = 9.7e6, 17e3
USERS = (10, 50, 100, 200)


def server(users: int, level: int, noise: float = 0.0) -> list[Recording]:
    app = FIXED + PER_USER * users + noise
    tiers = {"app": (4, 0.3, app), "data": (4, 0.2, 50e6)}
    return [on_tiers(tiers, users=users, level=level, repeat=repeat) for repeat in range(2)]


def memory(system: System) -> dict[str, tuple[Figure, Figure]]:
    part = aspect(system, TiersMemory)
    assert part is not None
    return {tier.name: (tier.fixed_bytes, tier.bytes_per_user) for tier in part.tiers}


def test_the_fixed_part_is_told_from_that_of_a_user() -> None:
    system = judged(*(each for level, users in enumerate(USERS) for each in server(users, level)))
    found = memory(system)
    assert list(found) == ["app", "data", "all tiers"]
    fixed, per_user = found["app"]
    assert (fixed.value, per_user.value) == (pytest.approx(FIXED), pytest.approx(PER_USER))
    assert (fixed.n, per_user.n) == (4, 4)
    assert found["data"][1].value == pytest.approx(0, abs=1)
    assert found["all tiers"][0].value == pytest.approx(FIXED + 50e6)
    assert "Memory of tiers" in summary_text(result_of([system]))


def test_what_is_not_on_the_line_is_in_the_intervals() -> None:
    noise = (2e5, -2e5, 1e5, -1e5)
    made = [each for level, users in enumerate(USERS) for each in server(users, level, noise[level])]
    fixed, per_user = memory(judged(*made))["app"]
    for estimate, truth in ((fixed, FIXED), (per_user, PER_USER)):
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.low < truth < estimate.high
        assert estimate.high - estimate.low > 0.01 * truth


def test_two_numbers_of_users_make_no_line() -> None:
    system = judged(*server(10, 0), *server(50, 1))
    assert aspect(system, TiersMemory) is None


def test_the_intervals_of_a_line_hold_both_truths() -> None:
    """In 95 % of 400 lines through five levels."""
    random = np.random.default_rng(22)
    held = [0, 0]
    x = [1.0, 2.0, 4.0, 8.0, 16.0]
    for _ in range(400):
        line = line_through(x, [3.0 + 0.5 * each + random.standard_normal() for each in x])
        assert line is not None
        for place, (estimate, truth) in enumerate(((line.fixed, 3.0), (line.slope, 0.5))):
            held[place] += (estimate.low or 0.0) <= truth <= (estimate.high or 0.0)
    assert all(0.92 * 400 <= each <= 0.98 * 400 for each in held)
