"""What may be said of systems whose truth is known, from job files to the printed sentences.

Few studies of each scenario, always the same ones: a goal counts as missed where a rule that just meets it
would be as far off in one of 10,000 cases. `bench/run judge` holds 500 studies against the goals themselves.
CI has the time for one scenario of a kind; `make test-all` has all of them.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.pipeline.questions import EQUAL, QUESTIONS
from tests.pipeline.rates import Rates, goals_of, goals_of_all, rates_of
from tests.pipeline.scenarios import SCENARIOS, Scenario
from tests.pipeline.searches import goals_of_searches, plateau, searches

SEARCHES = 2
LIKE_OTHERS = {
    *("stall moved", "stall anywhere", "stall at the end", "short stall early", "stall early, warm-up given"),
    *("steady, measured longer", "collections, warm-up given", "warm-up from above"),
    *("M/M/1 open 0.3", "M/M/1 open 0.7", "M/M/1 closed 0.3", "M/M/1 closed 0.7"),
    *(
        "independent, stored",
        "noise between sessions, stored",
        "four loads, stored",
        "3 runs against 10, stored",
    ),
    *("40 short loads", "slow clock beside one, stored", "foreign CPU beside one, open"),
    *(scenario.name for scenario in EQUAL),
    *("difference planned for 5 pairs of little noise", "difference planned for 10 stored runs"),
    *(
        "going first costs 1 %, 3 repeats",
        "going first costs 1 %, 5 repeats",
        "going first costs 3 %, 3 repeats",
    ),
}
"""Scenarios next to one of the same kind: another load, another place of what disturbs, or stored runs."""

# What one test has judged all scenarios together need again.
pytestmark = pytest.mark.xdist_group("pipeline")


@cache
def judged(name: str) -> tuple[Scenario, Rates]:
    scenario = next(each for each in (*SCENARIOS, *QUESTIONS) if each.name == name)
    return scenario, rates_of(scenario, scenario.studies, processes=1)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(scenario.name, marks=[pytest.mark.slow] if scenario.name in LIKE_OTHERS else [])
        for scenario in (*SCENARIOS, *QUESTIONS)
    ],
)
def test_the_goals_are_met_but_for_chance(name: str) -> None:
    scenario, rates = judged(name)
    missed = [goal for goal in goals_of(scenario, rates) if not goal.met_but_for_chance]
    assert not missed, (missed, rates.reasons.most_common(3), rates.texts.most_common(3))


def test_the_names_are_those_of_scenarios() -> None:
    assert {scenario.name for scenario in (*SCENARIOS, *QUESTIONS)} >= LIKE_OTHERS


@pytest.mark.parametrize(
    "left_out", [pytest.param(LIKE_OTHERS, id="few"), pytest.param(set(), id="all", marks=pytest.mark.slow)]
)
def test_all_scenarios_together_meet_them_too(left_out: set[str]) -> None:
    found = [judged(scenario.name) for scenario in SCENARIOS if scenario.name not in left_out]
    missed = [goal for goal in goals_of_all(found) if not goal.met_but_for_chance]
    assert not missed, missed


# 7 s: tests/judge/test_sweep.py searches curves without job files.
@pytest.mark.slow
def test_a_search_publishes_no_luck() -> None:
    found = searches(plateau, 0.02, SEARCHES, processes=1)
    missed = [goal for goal in goals_of_searches(found) if not goal.met_but_for_chance]
    assert not missed, missed
