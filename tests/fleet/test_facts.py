"""Times of several agents add up, also if the first agent has none."""

from __future__ import annotations

import pytest

from igen.fleet.facts import Facts, body


@pytest.mark.parametrize(
    ("spun_s", "told"), [({0: 1.5, 1: 2.0}, [3.5]), ({1: 2.0}, [2.0]), ({0: 1.5}, []), ({}, [])]
)
def test_the_time_that_agents_spun_is_their_sum(spun_s: dict[int, float], told: list[float]) -> None:
    facts = Facts(leader=0)
    for agent, value in spun_s.items():
        assert facts.add(agent, body("engine.spun_s", value), load_is_over=True) == (agent == 0)
    assert [fact["value"] for fact in facts.rest() if fact["name"] == "engine.spun_s"] == told
