"""A look at two systems while they run: whether their answer is clear, however often one looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from igen.judge.compare.answers import EQUIVALENCE_ERROR, Asked, answer_to
from igen.judge.curve.quantities import bounds_between
from igen.judge.figure.interval import paired_ratio
from igen.judge.figure.pairs import RunFigure, paired
from igen.judge.result import Figure, Quantity
from igen.judge.trust.disturbance import Disturbance
from igen.judge.trust.price import mean_disturbance
from igen.judge.trust.rules.comparison import DEFAULT_MARGIN
from igen.judge.trust.rules.statistics import LEAST_RUNS


@dataclass(frozen=True, slots=True)
class Measurement:
    """What the load decides by, of one execution, and what disturbed that."""

    value: float
    disturbance: Disturbance = field(default_factory=Disturbance)
    order: int | None = None
    """Place of the execution in the order of its study."""

    @property
    def of_run(self) -> RunFigure:
        """The figure without what disturbed it."""
        return RunFigure(self.value, self.order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The ratio of what the load decides by, with its confidence sequence."""

    ratio: Figure
    decided: bool


def look_at(
    base: Mapping[int, Measurement],
    system: Mapping[int, Measurement],
    quantity: Quantity,
    error: float,
    margin: float = DEFAULT_MARGIN.value,
) -> Look:
    """Return the ratio of the pairs of two levels so far, by repeat, tested at `error`.

    Decided: they differ, or are equivalent within the margin, whatever disturbance did to them within its
    bounds. The report of the same executions tests this question at that share of its error or more.
    """
    both = sorted(base.keys() & system.keys())
    if len(both) < LEAST_RUNS.value:
        return Look(ratio=Figure(value=1.0, n=len(both)), decided=False)
    pairs = paired(*({at: of[at].of_run for at in both} for of in (system, base)))
    of_base, of_system = (mean_disturbance([of[at].disturbance for at in both]) for of in (base, system))
    bounds = bounds_between(of_base, of_system, quantity)
    ratio = paired_ratio(pairs, looked=True).disturbed(bounds)
    answer = answer_to(Asked(ratio=ratio), error, margin)
    shown = ratio.at_error(EQUIVALENCE_ERROR if answer == "equivalent" else error)
    return Look(ratio=shown, decided=answer != "cannot tell")
