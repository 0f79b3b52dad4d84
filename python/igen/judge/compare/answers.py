"""The one answer to each question of a report: faster, slower, equivalent, cannot tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite, log1p, sqrt

from igen.judge.compare.ratio import Apart
from igen.judge.compare.shares import SHARES, Family, Share, share_out
from igen.judge.figure.effect import percent, repeats_for, visible_in_errors
from igen.judge.figure.figure import FAMILY_ERROR, Figure
from igen.judge.result import Answer, Quantity
from igen.judge.trust.rules.comparison import TAIL_MARGIN
from igen.loads import MEAN, P99

EQUIVALENCE_ERROR = 2 * FAMILY_ERROR
"""Share of the intervals that miss the truth, of which each end is one of two one-sided tests."""
LIMITED = (MEAN, P99)
"""Quantities that must be near besides the one that decides; p99.9 repeats too badly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as far as its answer depends on it."""

    ratio: Figure
    less_is_faster: bool = False
    family: Family = "loads"
    counts: bool = True
    """True if this is a question of its own; else its `like` is asked in its place."""
    like: int = -1
    """Index of the question that this one restates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to one question."""

    answer: Answer
    ratio: Figure
    """With the interval that the answer used."""
    p: float | None
    error: float | None
    questions: int
    visible_percent: float | None
    repeats_needed: int | None
    disturbance_percent: float


def answers(asked: Sequence[Asked], margin: float) -> list[Answered]:
    """Return the answers to all questions of one report, among which its error is shared out."""
    of_family = {
        family: [at for at, each in enumerate(asked) if each.family == family and _is_tested(each)]
        for family in SHARES
    }
    p_values = [[asked[at].ratio.p or 0.0 for at in of] for of in of_family.values()]
    shared = share_out(p_values, [*SHARES.values()])
    shares = {
        at: share
        for of, found in zip(of_family.values(), shared, strict=True)
        for at, share in zip(of, found, strict=True)
    }
    return [
        _answered(each, shares.get(at if each.counts else each.like), len(shares), margin)
        for at, each in enumerate(asked)
    ]


def answer_to(asked: Asked, error: float, margin: float) -> Answer:
    """Return the answer of a question that is tested at that error, whatever disturbed the machine."""
    side = asked.ratio.against(1.0, 1.0, error=error)
    if side in ("above", "below"):
        return "faster" if (side == "above") != asked.less_is_faster else "slower"
    # Two one-sided tests.
    small = asked.ratio.against(1 / (1 + margin), 1 + margin, sides=1)
    return "equivalent" if small == "within" else "cannot tell"


def apart_in(others: Iterable[tuple[Quantity, Answer, Figure]], margin: float) -> Iterator[Apart]:
    """Yield the other quantities that keep systems of equivalent throughput from being equivalent.

    The mean must be equivalent as well. The upper one-sided 95 % end of the ratio of p99 must not be beyond
    1 + `TAIL_MARGIN` × margin. Every quantity counts if it is shown to differ.
    """
    for quantity, answer, ratio in others:
        if answer in ("faster", "slower"):
            yield Apart(quantity=quantity, answer=answer, ratio=ratio)
        elif quantity in LIMITED and not _is_near(quantity, ratio, margin):
            yield Apart(quantity=quantity, answer="cannot tell", ratio=ratio.at_error(EQUIVALENCE_ERROR))


def _is_near(quantity: Quantity, ratio: Figure, margin: float) -> bool:
    if quantity == MEAN:
        return ratio.against(1 / (1 + margin), 1 + margin, sides=1) == "within"
    return ratio.against(most=1 + TAIL_MARGIN.value * margin, sides=1) == "within"


def _is_tested(asked: Asked) -> bool:
    return asked.counts and asked.ratio.p is not None


def _answered(asked: Asked, share: Share | None, questions: int, margin: float) -> Answered:
    ratio = asked.ratio
    if share is None or ratio.p is None:
        p, error = None, None
        answer: Answer = "cannot tell"
    else:
        p, error = share.p, share.error
        answer = answer_to(asked, error, margin)
        if answer in ("faster", "slower") and p >= FAMILY_ERROR:
            answer = "cannot tell"  # what only restates a question claims no more than that question
        ratio = ratio.at_error(EQUIVALENCE_ERROR if answer == "equivalent" else error)
    of_test = SHARES[asked.family] if error is None else error
    visible = _visible(ratio, of_test)
    return Answered(
        answer=answer,
        ratio=ratio,
        p=p,
        error=error,
        questions=questions,
        visible_percent=percent(visible) if isfinite(visible) else None,
        repeats_needed=_repeats_needed(ratio, of_test, log1p(margin)),
        disturbance_percent=percent(ratio.disturbance),
    )


def _visible(ratio: Figure, error: float) -> float:
    """Return the smallest |ln ratio| that is claimed with a power of 0.8, beyond disturbance."""
    if not ratio.error:
        return inf if ratio.error is None else ratio.disturbance
    critical = ratio.critical(error)
    if critical == inf:
        return inf
    return visible_in_errors(round(critical, 3), ratio.freedom or 0.0) * ratio.error + ratio.disturbance


def _repeats_needed(ratio: Figure, error: float, margin: float) -> int | None:
    """Return the repeats that see an effect as large as the margin; None if disturbance alone is as large, or
    the noise between sessions, which no repeats make smaller."""
    left = margin - ratio.disturbance
    if ratio.error is None or left <= 0:
        return None
    spread = sqrt(max(ratio.error**2 - ratio.session_error**2, 0.0) * ratio.known_by)
    return repeats_for(left, spread, ratio.kind, error=error, session_error=ratio.session_error)
