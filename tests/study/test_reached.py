"""What an execution came to, as far as it decides which one is next."""

from __future__ import annotations

from typing import Any

import pytest

from igen.aspects.aspects import ASPECTS
from igen.study.reached import spoils_level
from tests.judge.synthetic import recording


@pytest.mark.parametrize(
    ("said", "spoils"),
    [
        ({}, False),
        ({"facts": {"environment.concurrent_runs": 1}}, False),
        ({"facts": {"fleet.agents": 3, "fleet.lost": ["agent 2 of 3 on b was lost: it ended"]}}, True),
        ({"outcome": "failed", "errors": ["no such table"]}, True),
    ],
)
def test_a_run_whose_load_failed_spoils_its_level_whatever_others_do(
    said: dict[str, Any], spoils: bool
) -> None:
    assert spoils_level(recording(**said), ASPECTS) == spoils
