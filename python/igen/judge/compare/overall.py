"""One ratio for each test of a study: the geometric mean over the loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import truediv
from statistics import fmean

import numpy as np

from igen.judge.compare.answers import Asked, answers
from igen.judge.compare.compare import pairs_of
from igen.judge.compare.questions import compared
from igen.judge.compare.terms import Terms
from igen.judge.curve.load import level_value
from igen.judge.curve.points import used_runs
from igen.judge.curve.quantities import bounds_of, figures
from igen.judge.figure.pairs import Pairs, RunFigure, paired
from igen.judge.result import Answer, Figure, Level, OverallRatio, Quantity, System
from igen.judge.run.counting import least_of_ratio
from igen.judge.trust.rules.statistics import LEAST_RUNS
from igen.judge.trust.usable import usable, usable_times
from igen.loads import THROUGHPUT, deciding_quantity


@dataclass(frozen=True, slots=True)
class _Test:
    base: System
    system: System
    loads: int
    quantity: Quantity
    ratio: Figure


def overall_ratios(systems: Sequence[System], terms: Terms | None = None) -> list[OverallRatio]:
    """A ratio of each pair of compared systems in each test; none where they have no valid load in common.

    What is compared is what the loads decide by. The tests of one pair are one family of questions.
    """
    terms = terms or Terms()
    families: dict[tuple[str, str], list[_Test]] = {}
    for base, system in pairs_of(systems):
        if base.test and (found := _overall(base, system, terms)) is not None:
            families.setdefault((base.system, system.system), []).append(found)
    by_test = {
        (id(each.base), id(each.system)): _ratio(each, answer, terms)
        for family in families.values()
        for each, answer in zip(family, _answers(family, terms), strict=True)
    }
    return [by_test[ids] for base, system in pairs_of(systems) if (ids := (id(base), id(system))) in by_test]


def _answers(family: Sequence[_Test], terms: Terms) -> list[Answer]:
    asked = [Asked(ratio=each.ratio, less_is_faster=each.quantity != THROUGHPUT) for each in family]
    return [each.answer for each in answers(asked, terms.margin)]


def _ratio(each: _Test, answer: Answer, terms: Terms) -> OverallRatio:
    return OverallRatio(
        test=each.system.test,
        title=each.system.test_title,
        system=each.system.system,
        base=each.base.system,
        loads=each.loads,
        quantity=each.quantity,
        ratio=each.ratio,
        answer=answer,
        margin_percent=100 * terms.margin,
        published=each.system.published_ratios,
    )


def _overall(base: System, system: System, terms: Terms) -> _Test | None:
    quantity = deciding_quantity(base.load_model)
    if quantity is None:
        return None  # each of several loads has a ratio of its own
    found = usable if quantity == THROUGHPUT else usable_times
    levels, base_levels = (
        {level_value(level): level for level in found(each.levels)} for each in (system, base)
    )
    loads = [
        load
        for load in base_levels
        if load in levels and all(figures(of[load], quantity) for of in (levels, base_levels))
    ]
    if not loads or base.workload != system.workload or base.load_model != system.load_model:
        return None
    ours, theirs = ([of[load] for load in loads] for of in (levels, base_levels))
    pairs = _by_repeat(theirs, ours, quantity)
    n = len(pairs.values)
    if n >= LEAST_RUNS.value:
        base_runs, runs = (
            {repeat: RunFigure(value) for repeat, value in enumerate(side)}
            for side in (pairs.base, pairs.values)
        )
        ratio = compared(base, system, base_runs, runs, quantity, terms, pairs).ratio
        if quantity == THROUGHPUT:
            ratio = ratio.no_narrower(least_of_ratio(map(used_runs, [*ours, *theirs])) / len(loads))
    else:
        means = [
            _mean([_mean([each.value for each in figures(level, quantity).values()]) for level in of])
            for of in (ours, theirs)
        ]
        ratio = Figure(value=truediv(*means), n=n)
    bounds = [bounds_of(*both, quantity) for both in zip(theirs, ours, strict=True)]
    below, above = (float(np.mean(ends)) for ends in zip(*bounds, strict=True))
    return _Test(base, system, len(loads), quantity, ratio.disturbed((below, above)))


def _by_repeat(theirs: Sequence[Level], ours: Sequence[Level], quantity: Quantity) -> Pairs:
    """The geometric means over the loads, of both sides, of each repeat that all loads have on both, and the
    mean of who was first.

    Of the others, such as one that was replaced at one load alone and the fresh one there, the first of each
    load stand together, then the second, as far as all loads have one.
    """
    sides = [[figures(level, quantity) for level in levels] for levels in (theirs, ours)]
    at_loads = [base.keys() & own.keys() for base, own in zip(*sides, strict=True)]
    shared = set.intersection(*at_loads)
    others = zip(*(sorted(repeats - shared) for repeats in at_loads), strict=False)
    together = [*([repeat] * len(at_loads) for repeat in sorted(shared)), *others]
    at_each = [
        paired(*({number: runs[each[load]] for number, each in enumerate(together)} for runs in (own, base)))
        for load, (base, own) in enumerate(zip(*sides, strict=True))
    ]
    first = [pairs.first for pairs in at_each if pairs.first is not None]
    return Pairs(
        values=[_mean(values) for values in zip(*(pairs.values for pairs in at_each), strict=True)],
        base=[_mean(values) for values in zip(*(pairs.base for pairs in at_each), strict=True)],
        first=[fmean(each) for each in zip(*first, strict=True)] if len(first) == len(at_each) else None,
    )


def _mean(values: Sequence[float]) -> float:
    """Geometric."""
    return float(np.exp(np.mean(np.log(values))))
