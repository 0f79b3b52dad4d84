"""A look at two systems while they run: whether their answer is clear, however often one looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from igen.judge.answers import EQUIVALENCE_ALPHA, FAMILY_ERROR
from igen.judge.interval import LEAST_RUNS
from igen.judge.result import Estimate
from igen.judge.sequence import paired_sequence
from igen.judge.terms import DEFAULT_MARGIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The ratio of what the load decides by, with its confidence sequence."""

    ratio: Estimate
    decided: bool


def look_at(
    figures: Mapping[int, Mapping[int, float]],
    base: int,
    system: int,
    questions: int,
    margin: float = DEFAULT_MARGIN,
) -> Look:
    """The pairs of two levels so far; `figures` by level and repeat, `questions` those of the comparison.

    Decided: they differ, after Bonferroni's correction, or are equivalent within the margin.
    """
    ours, theirs = figures.get(system, {}), figures.get(base, {})
    pairs = sorted(ours.keys() & theirs.keys())
    if len(pairs) < LEAST_RUNS:
        return Look(ratio=Estimate(value=1.0, n=len(pairs)), decided=False)
    test = paired_sequence([ours[at] for at in pairs], [theirs[at] for at in pairs])
    differs = test.p is not None and test.p * max(questions, 1) < FAMILY_ERROR
    return Look(ratio=test.ratio, decided=differs or test.within(margin, EQUIVALENCE_ALPHA))
