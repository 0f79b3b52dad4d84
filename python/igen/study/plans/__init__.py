"""The plan of a study: one of six modes, each with its own fields.

In a study it is a table with its mode, `plan = { mode = "sweep", repeats = 3 }`. A plan says which levels a
study has, in which order they are executed, and whether it continues after a failure.
"""

from __future__ import annotations

from igen.study.plans.fill import FillPlan
from igen.study.plans.peak import PeakPlan
from igen.study.plans.plan import DEFAULT_REPEATS, Plan, Repeats
from igen.study.plans.scaling import ScalingPlan
from igen.study.plans.sweep import SweepPlan
from igen.study.plans.together import TogetherPlan
from igen.study.plans.torture import TorturePlan

AnyPlan = SweepPlan | FillPlan | PeakPlan | ScalingPlan | TogetherPlan | TorturePlan
_PLANS: tuple[type[Plan], ...] = (SweepPlan, FillPlan, PeakPlan, ScalingPlan, TogetherPlan, TorturePlan)
PLANS = {str(plan.__struct_config__.tag): plan for plan in _PLANS}
"""By mode."""

__all__ = [
    "DEFAULT_REPEATS",
    "PLANS",
    "AnyPlan",
    "FillPlan",
    "PeakPlan",
    "Plan",
    "Repeats",
    "ScalingPlan",
    "SweepPlan",
    "TogetherPlan",
    "TorturePlan",
]


def plan_type(mode: str) -> type[Plan]:
    """Return the plan of a mode; that of a sweep if the mode is unknown."""
    return PLANS.get(mode, SweepPlan)
