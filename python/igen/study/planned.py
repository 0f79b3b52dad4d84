"""The levels that are known before the first one runs: what `igen check` shows and finds mistakes in."""

from __future__ import annotations

from igen.errors import InputError
from igen.fleet.agent import Agent
from igen.judge.compare.threshold import parse_threshold
from igen.judge.compare.threshold_answers import is_at, loads_asked
from igen.loads import Loads
from igen.study.levels import PlannedLevel, expand, level, search_range
from igen.study.plan import (
    FillPlan,
    PeakPlan,
    ScalingPlan,
    SweepPlan,
    TogetherPlan,
    TorturePlan,
    finds_levels,
)
from igen.study.scaling import horizontal_level, scaling_range, vertical_level
from igen.study.study import Study
from igen.study.together import together_levels
from igen.study.torture import torture_level

_MOST_NAMED = 8
"""Levels in an error."""


def planned_levels(study: Study, agent: Agent) -> list[PlannedLevel]:
    """All levels of a sweep or a torture, the first one of a search.

    Of a scaling study the first one of its search, and the one with all targets at the least load: a target
    that the agent refuses is refused now, not after the search. Raises `InputError`.
    """
    levels = _planned_levels(study, agent)
    if not finds_levels(study.plan):
        _check_thresholds(study, levels)
    return levels


def _check_thresholds(study: Study, levels: list[PlannedLevel]) -> None:
    """A threshold that names a load which no level has would never be judged."""
    for threshold in map(parse_threshold, study.fail_if):
        asked = [
            (at.users, at.offered_per_s)
            for level in levels
            for loads in [Loads.of(level.job)]
            for name in loads_asked(threshold, loads.names)
            for at in [loads[name] if name else loads]
        ]
        if not asked:
            hint = f"the personas are {', '.join(Loads.of(levels[0].job).names or ['none'])}"
            text = f"`{threshold.text}` names a persona that no level has"
            raise InputError(text, where="fail_if", hint=hint)
        if not any(is_at(threshold, *load) for load in asked):
            hint = f"the levels are {', '.join(level.label for level in levels[:_MOST_NAMED])}"
            raise InputError(f"`{threshold.text}` names a load that no level has", where="fail_if", hint=hint)


def _planned_levels(study: Study, agent: Agent) -> list[PlannedLevel]:
    match study.plan:
        case SweepPlan():
            return expand(study, agent)
        case FillPlan():
            search_range(study)
            return expand(study, agent)
        case TogetherPlan():
            return together_levels(study, agent)
        case TorturePlan():
            return [torture_level(study, agent)]
        case PeakPlan():
            axis, first, _ = search_range(study)
            return [level(study, 0, {axis: first}, agent)]
        case ScalingPlan():
            targets, first, _ = scaling_range(study)
            return [
                vertical_level(study, 0, first, agent),
                horizontal_level(study, 1, instances=targets, users=targets * first, agent=agent),
            ]
