"""The question that is asked first: one system against another over all loads together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import truediv

import numpy as np

from igen.judge.compare.questions import Compared, Question, compared, ratio_bounds
from igen.judge.compare.terms import Terms
from igen.judge.curve.points import used_runs
from igen.judge.curve.quantities import figures
from igen.judge.figure.pairs import RunFigure
from igen.judge.result import Figure, Level, Quantity, System
from igen.judge.run.counting import least_of_ratio
from igen.judge.trust.rules.statistics import LEAST_RUNS, LEAST_RUNS_OF_P99
from igen.loads import MEAN, P99, THROUGHPUT


@dataclass(frozen=True, slots=True, kw_only=True)
class Overall:
    """The mean over the loads in the quantity that they decide by."""

    load: str
    """The one of several loads at once that it is about."""
    loads: int
    quantity: Quantity
    test: Compared
    others: list[tuple[Quantity, Figure]]
    """The means over the same loads of mean and p99 response time, if they are questions of their own."""
    only: Question | None
    """The question that this one is, if there is one load."""


def overall_question(
    base: System, system: System, questions: Sequence[Question], terms: Terms
) -> Overall | None:
    """Return the question over the loads at which the deciding quantity may be compared; None without one.

    `questions` are about one load of each level.
    """
    decided = [each for each in questions if each.decides and not each.of_invalid]
    if not decided:
        return None
    first, *more = decided
    return Overall(
        load=first.load,
        loads=len(decided),
        quantity=first.quantity,
        test=_mean_over(base, system, decided, terms) if more else first.test,
        others=[*_others(base, system, questions, decided, terms)] if more else [],
        only=None if more else first,
    )


def _others(
    base: System, system: System, questions: Sequence[Question], decided: Sequence[Question], terms: Terms
) -> list[tuple[Quantity, Figure]]:
    levels = [id(each.level) for each in decided]
    found: list[tuple[Quantity, Figure]] = []
    for quantity in (MEAN, P99):
        of = [
            each
            for each in questions
            if each.quantity == quantity and id(each.level) in levels and not each.decides
        ]
        if len(of) < len(decided) or any(each.of_invalid or each.restates_throughput for each in of):
            continue
        ratio = _mean_over(base, system, of, terms).ratio
        enough = quantity == MEAN or ratio.n >= LEAST_RUNS_OF_P99.value
        found.append((quantity, ratio if enough else ratio.untested()))
    return found


def _mean_over(base: System, system: System, questions: Sequence[Question], terms: Terms) -> Compared:
    """Return the test of the geometric means over the loads, by repeat.

    Who goes first is drawn for each load, so the mean over the loads hardly depends on it: it is not in the
    model, where it would cost a degree of freedom.
    """
    quantity = questions[0].quantity
    ours, theirs = [each.level for each in questions], [each.base_level for each in questions]
    runs, base_runs = _by_repeat(ours, theirs, quantity)
    if len(runs) >= LEAST_RUNS.value:
        test = compared(base, system, base_runs, runs, quantity, terms)
        ratio = test.ratio
        if quantity == THROUGHPUT:
            ratio = ratio.no_narrower(least_of_ratio(map(used_runs, [*ours, *theirs])) / len(questions))
    else:
        means = [
            _mean([_mean([each.value for each in figures(level, quantity).values()]) for level in of])
            for of in (ours, theirs)
        ]
        ratio = Figure(value=truediv(*means), n=len(runs))
        test = Compared(ratio=ratio, method="paired log-t", values=[means[0]], base=[means[1]])
    bounds = [ratio_bounds(base, system, *both, quantity) for both in zip(theirs, ours, strict=True)]
    below, above = (float(np.mean(ends)) for ends in zip(*bounds, strict=True))
    return Compared(
        ratio=ratio.disturbed((below, above)),
        method=test.method,
        values=test.values,
        base=test.base,
        pairs=test.pairs,
    )


def _by_repeat(
    ours: Sequence[Level], theirs: Sequence[Level], quantity: Quantity
) -> tuple[dict[int, RunFigure], dict[int, RunFigure]]:
    """Return the geometric means over the loads, of both sides, of each repeat that all loads have on both.

    Of the others, such as a repeat that was replaced at one load alone and the fresh one there, the first of
    each load stand together, then the second, as far as all loads have one.
    """
    sides = [[figures(level, quantity) for level in levels] for levels in (ours, theirs)]
    at_loads = [own.keys() & base.keys() for own, base in zip(*sides, strict=True)]
    shared = set.intersection(*at_loads)
    others = zip(*(sorted(repeats - shared) for repeats in at_loads), strict=False)
    together = [*([repeat] * len(at_loads) for repeat in sorted(shared)), *others]
    own, base = (
        {
            number: RunFigure(_mean([runs[repeat].value for runs, repeat in zip(side, each, strict=True)]))
            for number, each in enumerate(together)
        }
        for side in sides
    )
    return own, base


def _mean(values: Sequence[float]) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.mean(np.log(values))))
