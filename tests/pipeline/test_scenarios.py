"""What may be said of systems whose truth is known, from job files to the printed sentences.

Few studies of each scenario, always the same ones: a goal counts as missed where a rule that just meets it
would be as far off in one of 10,000 cases. `bench/run judge` holds 500 studies against the goals themselves.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.pipeline.rates import Rates, goals_of, goals_of_all, rates_of
from tests.pipeline.scenarios import SCENARIOS, Scenario
from tests.pipeline.searches import goals_of_searches, plateau, searches

SEARCHES = 2

# What one test has judged all scenarios together need again.
pytestmark = pytest.mark.xdist_group("pipeline")


@cache
def judged(name: str) -> tuple[Scenario, Rates]:
    scenario = next(each for each in SCENARIOS if each.name == name)
    return scenario, rates_of(scenario, scenario.studies, processes=1)


@pytest.mark.parametrize("name", [scenario.name for scenario in SCENARIOS])
def test_the_goals_are_met_but_for_chance(name: str) -> None:
    scenario, rates = judged(name)
    missed = [goal for goal in goals_of(scenario, rates) if not goal.met_but_for_chance]
    assert not missed, (missed, rates.reasons.most_common(3), rates.texts.most_common(3))


def test_all_scenarios_together_meet_them_too() -> None:
    found = [judged(scenario.name) for scenario in SCENARIOS]
    missed = [goal for goal in goals_of_all(found) if not goal.met_but_for_chance]
    assert not missed, missed


def test_a_search_publishes_no_luck() -> None:
    found = searches(plateau, 0.02, SEARCHES, processes=1)
    missed = [goal for goal in goals_of_searches(found) if not goal.met_but_for_chance]
    assert not missed, missed
