"""The levels that are known before the first one runs: what `igen check` shows and finds mistakes in."""

from __future__ import annotations

from igen.fleet.agent import Agent
from igen.study.levels import PlannedLevel, expand, level, search_range
from igen.study.plan import PeakPlan, ScalingPlan, SweepPlan, TogetherPlan, TorturePlan
from igen.study.scaling import horizontal_level, scaling_range, vertical_level
from igen.study.study import Study
from igen.study.together import together_levels
from igen.study.torture import torture_level


def planned_levels(study: Study, agent: Agent) -> list[PlannedLevel]:
    """All levels of a sweep or a torture, the first one of a search.

    Of a scaling study the first one of its search, and the one with all targets at the least load: a target
    that the agent refuses is refused now, not after the search.
    """
    match study.plan:
        case SweepPlan():
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
