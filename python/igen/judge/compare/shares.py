"""The error of a report, shared out among its questions.

A report may claim a difference that does not exist in 5 % of cases, over all its questions together. Each
family of questions has a share of that error and tests its questions by Holm's procedure. A family that
claims all its questions, or has none, passes its share on to the next family that is not finished. This is
the graphical procedure of F. Bretz, W. Maurer, W. Brannath and M. Posch ("A graphical approach to
sequentially rejective multiple test procedures", Statistics in Medicine 28, 2009), with weights that leave a
family only if it is finished.

It keeps the error: until the first wrong claim only families without a true "no difference" can be finished,
so the families with m true ones have shares that sum to no more than the whole error, and each of the m is
tested at 1/m of the share or less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from igen.judge.trust.rules.comparison import ERROR_OF_LOADS, ERROR_OF_OVERALL, ERROR_OF_TAIL

Family = Literal["overall", "loads", "tail"]
SHARES: Mapping[Family, float] = {
    "overall": ERROR_OF_OVERALL.value,
    "loads": ERROR_OF_LOADS.value,
    "tail": ERROR_OF_TAIL.value,
}
"""In the order in which they pass their shares on; the last family passes on to the first one."""


@dataclass(frozen=True, slots=True)
class Share:
    """The part of the error at which a question is tested."""

    p: float
    """The smallest error of the whole report at which the question would be claimed."""
    error: float
    """A question is claimed if its own p-value is below this."""


def share_out(families: Sequence[Sequence[float]], shares: Sequence[float]) -> list[list[Share]]:
    """Return the share of each question, in the order given.

    `families` have the p-values of their questions, `shares` the error of each family, above 0. A question
    that is not claimed has the share at which the procedure stopped.
    """
    waiting = [sorted(range(len(of)), key=of.__getitem__) for of in families]
    own = _passed_on(shares, waiting)
    errors: dict[tuple[int, int], float] = {}
    adjusted: dict[tuple[int, int], float] = {}
    largest = 0.0
    while any(waiting):
        ratios = {
            family: families[family][left[0]] * len(left) / own[family]
            for family, left in enumerate(waiting)
            if left
        }
        family = min(ratios, key=ratios.__getitem__)
        largest = max(largest, ratios[family])
        # The first question that is not claimed stops the procedure for all that are left.
        stopped = {family: waiting[family][:1]} if largest < 1 else dict(enumerate(waiting))
        for each, questions in stopped.items():
            for question in questions:
                errors.setdefault((each, question), own[each] / len(waiting[each]))
        adjusted[family, waiting[family].pop(0)] = min(largest * sum(shares), 1.0)
        own = _passed_on(shares, waiting)
    return [
        [Share(adjusted[family, question], errors[family, question]) for question in range(len(of))]
        for family, of in enumerate(families)
    ]


def error_of_load(loads: int) -> float:
    """Return the least error at which the deciding question of each of `loads` loads is tested, if there is a
    difference at all of them: the overall question, which then claims it, has passed its share on."""
    return SHARES["overall"] if loads == 1 else (SHARES["overall"] + SHARES["loads"]) / loads


def _passed_on(shares: Sequence[float], waiting: Sequence[Sequence[int]]) -> list[float]:
    """Return the share of each family after the finished ones have passed theirs on."""
    own = [0.0] * len(shares)
    families = range(len(shares))
    for family, share in enumerate(shares):
        in_order = (*families[family:], *families[:family])
        own[next((each for each in in_order if waiting[each]), family)] += share
    return own
