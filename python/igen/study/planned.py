"""The levels that are known before the run: `igen study check` shows and checks them."""

from __future__ import annotations

from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.judge.compare.threshold import parse_threshold
from igen.judge.compare.threshold_answers import is_at, loads_asked
from igen.loads import Loads
from igen.study.levels import PlannedLevel
from igen.study.study import Study

_MOST_NAMED = 8
"""Levels in an error."""


def planned_levels(study: Study, agent: Agent) -> list[PlannedLevel]:
    """Return the levels that the plan knows before the first one runs. Raises `InputError`."""
    levels = study.plan.levels(study, agent)
    if not study.plan.finds_levels:
        _check_thresholds(study, levels)
    return levels


def _check_thresholds(study: Study, levels: list[PlannedLevel]) -> None:
    """Raise `InputError` for a threshold with an unknown load, which would never be judged."""
    for threshold in map(parse_threshold, study.fail_if):
        asked = [
            (at.users, at.offered_per_s)
            for level in levels
            for loads in [Loads.of(level.job)]
            for name in loads_asked(threshold, loads.names)
            for at in [loads[name] if name else loads]
        ]
        if not asked:
            hint = f"the loads are {', '.join(Loads.of(levels[0].job).names or ['none'])}"
            text = f"`{threshold.text}` names a load that no level has"
            raise InputError(text, where="fail_if", hint=hint)
        if not any(is_at(threshold, *load) for load in asked):
            hint = f"the levels are {', '.join(level.label for level in levels[:_MOST_NAMED])}"
            raise InputError(f"`{threshold.text}` names a load that no level has", where="fail_if", hint=hint)
