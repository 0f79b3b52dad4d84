"""The plan of a study: one of six modes, each with its own fields.

In a study it is a table with its mode, `plan = { mode = "sweep", repeats = 3 }`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

DEFAULT_REPEATS = 5
Repeats = Annotated[int, msgspec.Meta(ge=1, le=1000)] | Literal["auto", "decided"]
"""`auto`: until the level is known precisely enough, 3 to 10 executions; `decided`: until it is clear whether
the systems differ."""


class SweepPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="sweep"):
    """Every point of the axes, on every system and in every test."""

    repeats: Repeats = DEFAULT_REPEATS


class PeakPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="peak"):
    """A search for the number of users with the highest throughput: it decides how often a level is
    executed."""

    within_s: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """No execution begins that would end later than this after the first one; without it the search ends when
    the peak is confirmed."""


class FillPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="fill"):
    """A sweep of the users, then one more level: the load at which the fullest resource would be full."""

    repeats: Repeats = DEFAULT_REPEATS


class ScalingPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="scaling"):
    """The peak of the first target, then a share of it on each of 1, 2, ... targets."""

    share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.75
    """The load of each target as a share of that peak. As published: some room is left for the instances to
    disturb each other."""
    repeats: Repeats = DEFAULT_REPEATS


class TogetherPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="together"):
    """Each target is loaded alone, then the first 1, 2, ... of them together, each with the job's users."""

    repeats: Repeats = DEFAULT_REPEATS


class TorturePlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="torture"):
    """One load for many hours, cut into segments, each of them verified."""

    under_load_s: Annotated[float, msgspec.Meta(gt=0)]


Plan = SweepPlan | FillPlan | PeakPlan | ScalingPlan | TogetherPlan | TorturePlan
MODES = ("sweep", "fill", "peak", "scaling", "together", "torture")
"""Their words, in that order."""


def mode_of(plan: Plan) -> str:
    """The word by which a study asks for it."""
    return str(plan.__struct_config__.tag)


def repeats_of(plan: Plan) -> Repeats | None:
    """How often each level is executed; None where the mode itself decides that."""
    match plan:
        case PeakPlan() | TorturePlan():
            return None
        case _:
            return plan.repeats


def further_levels(plan: Plan) -> int | None:
    """Return how many levels follow those that are planned; None if the mode itself decides that."""
    match plan:
        case PeakPlan() | ScalingPlan():
            return None
        case FillPlan():
            return 1
        case _:
            return 0


def finds_levels(plan: Plan) -> bool:
    """Return whether nobody knows beforehand how many levels there will be."""
    return further_levels(plan) is None


def known_repeats(plan: Plan) -> int | None:
    """How often each of the levels is executed, where levels and number are known beforehand."""
    repeats = repeats_of(plan)
    return repeats if isinstance(repeats, int) and not finds_levels(plan) else None
