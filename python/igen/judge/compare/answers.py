"""The one answer to each question of a comparison: faster, slower, equivalent, cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, log1p, sqrt

from igen.judge.figure.effect import percent, repeats_for, visible_in_errors
from igen.judge.figure.figure import FAMILY_ERROR, Figure
from igen.judge.figure.interval import holm
from igen.judge.result import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as far as its answer depends on it."""

    ratio: Figure
    less_is_faster: bool = False
    counts: bool = True
    """Whether this is a question of its own; else its `like` is asked in its place."""
    like: int = -1
    """Index of the question that this one restates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a comparison says to one question."""

    answer: Answer
    p: float | None
    questions: int
    visible_percent: float | None
    repeats_needed: int | None
    disturbance_percent: float


def answers(asked: Sequence[Asked], margin: float) -> list[Answered]:
    """Answers to all questions of one comparison: p-values are corrected for their number (Holm)."""
    family = [index for index, each in enumerate(asked) if each.counts and each.ratio.p is not None]
    corrected = dict(zip(family, holm([asked[index].ratio.p or 0.0 for index in family]), strict=True))
    found = []
    for index, each in enumerate(asked):
        p = corrected.get(index if each.counts else each.like)
        p = None if each.ratio.p is None else p
        visible = _visible(each.ratio, len(family))
        found.append(
            Answered(
                answer=answer_to(each, p, margin),
                p=p,
                questions=len(family),
                visible_percent=percent(visible) if isfinite(visible) else None,
                repeats_needed=_repeats_needed(each.ratio, len(family), log1p(margin)),
                disturbance_percent=percent(each.ratio.disturbance),
            )
        )
    return found


def answer_to(asked: Asked, p: float | None, margin: float) -> Answer:
    """From the p-value, corrected for the number of questions; what disturbance may have made is no claim."""
    if p is None:
        return "cannot tell"
    side = asked.ratio.against(1.0, 1.0)
    if p < FAMILY_ERROR and side in ("above", "below"):
        return "faster" if (side == "above") != asked.less_is_faster else "slower"
    # Two one-sided tests.
    small = asked.ratio.against(1 / (1 + margin), 1 + margin, sides=1)
    return "equivalent" if small == "within" else "cannot tell"


def _visible(ratio: Figure, questions: int) -> float:
    """The smallest |ln ratio| that the first step of Holm sees with a power of 0.8, beyond disturbance."""
    if not ratio.error:
        return inf if ratio.error is None else ratio.disturbance
    critical = ratio.critical(FAMILY_ERROR / max(questions, 1))
    if critical == inf:
        return inf
    return visible_in_errors(round(critical, 3), ratio.freedom or 0.0) * ratio.error + ratio.disturbance


def _repeats_needed(ratio: Figure, questions: int, margin: float) -> int | None:
    """To see an effect as large as the margin; None also where disturbance alone is as large, or the noise
    between sessions, which no repeats make smaller."""
    left = margin - ratio.disturbance
    if ratio.error is None or left <= 0:
        return None
    spread = sqrt(max(ratio.error**2 - ratio.session_error**2, 0.0) * ratio.known_by)
    return repeats_for(left, spread, ratio.kind, questions=questions, session_error=ratio.session_error)
