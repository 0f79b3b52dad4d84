"""Which part of a ratio each factor has: of systems that form a 2 × 2, or a chain of single changes.

With the logarithms y(a, b) of the figures of a 2 × 2 the part of a factor is the mean of its two steps, as
[y(1, 0) − y(0, 0) + y(1, 1) − y(0, 1)] / 2 of the first one; both together are y(1, 1) − y(0, 0), the whole.
The interaction is the difference of the two steps, which is the same for both factors (G. E. P. Box,
J. S. Hunter, W. G. Hunter, "Statistics for Experimenters", 2nd edition, chapter 5). In a chain each part is
one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import hypot

from igen.facts import WORKLOAD_VERSION
from igen.judge.compare.answers import Asked, answers
from igen.judge.compare.attributed import (
    Attribution,
    Change,
    FactorPart,
    Interaction,
    InteractionAnswer,
    PerUnit,
    StepRatio,
    Unit,
)
from igen.judge.compare.differences import differing, other_work
from igen.judge.compare.machine import machine_of
from igen.judge.compare.questions import sessions_of
from igen.judge.compare.shape import Names, Shape, Step, shape_of
from igen.judge.compare.terms import Terms
from igen.judge.curve.load import load_key
from igen.judge.curve.points import used_runs
from igen.judge.curve.quantities import figures
from igen.judge.figure.contrast import Side, contrast
from igen.judge.figure.figure import Figure
from igen.judge.result import Level, Quantity, System
from igen.judge.run.counting import least_of_ratio
from igen.judge.trust.usable import has_exact_times, has_throughput, worked
from igen.loads import THROUGHPUT, Load

ANSWERS: dict[str, InteractionAnswer] = {"faster": "more", "slower": "less", "equivalent": "none"}
Powers = dict[int, float]
"""The power of each system in a ratio, by its index; 0 for the others."""


def attributions(
    systems: Sequence[System], pairs: Sequence[tuple[System, System]], terms: Terms
) -> list[Attribution]:
    """Return the parts of the ratios of each test, load by load; none of systems without a shape.

    `pairs` are base and system of each comparison: the first system that is a base and has none itself is the
    base of a shape.
    """
    found: list[Attribution] = []
    for test, along_targets in dict.fromkeys((each.test, bool(each.scaling)) for each in systems):
        alike = [each for each in systems if (each.test, bool(each.scaling)) == (test, along_targets)]
        shape = None if along_targets else _shape(alike, pairs)
        if shape is not None:
            found += _answered([*_at_loads(alike, shape, terms)], terms)
    return found


def _shape(systems: Sequence[System], pairs: Sequence[tuple[System, System]]) -> Shape | None:
    """Return the shape of systems that did the same work; None if the study does not compare them."""
    compared = {id(system) for _, system in pairs}
    bases = {id(base) for base, _ in pairs} - compared
    first = next((place for place, each in enumerate(systems) if id(each) in bases), None)
    if first is None or not all(_same_work(systems[first], each) for each in systems):
        return None

    @cache
    def names(base: int, system: int) -> Names:
        return frozenset(each.name for each in differing(systems[base], systems[system]))

    places = [*range(len(systems))]
    return shape_of([first, *(place for place in places if place != first)], names)


def _same_work(base: System, system: System) -> bool:
    same = base.workload == system.workload and base.load_model == system.load_model
    version = base.facts.get(WORKLOAD_VERSION) == system.facts.get(WORKLOAD_VERSION)
    return same and version and not any(other_work(base, system))


@dataclass(frozen=True, slots=True)
class _At:
    """The levels of all systems at one load."""

    systems: Sequence[System]
    levels: Sequence[Level]
    quantity: Quantity
    terms: Terms

    def ratio(self, powers: Powers) -> Figure:
        """Return the product of the systems' figures, each to its power, with all that is in doubt of it."""
        in_order = [powers.get(place, 0.0) for place in range(len(self.levels))]
        looked = self.terms.until_decided
        figure = contrast([*self._sides()], in_order, looked=looked)
        used = [(power, level) for power, level in zip(in_order, self.levels, strict=True) if power]
        if self.quantity == THROUGHPUT:
            counted = (abs(power) * least_of_ratio([used_runs(level)]) for power, level in used)
            figure = figure.no_narrower(hypot(*counted))
        down = up = 0.0
        for power, level in used:
            cost = level.trust.disturbance
            of = cost.throughput if self.quantity == THROUGHPUT else cost.times
            below, above = sorted(power * end for end in of.logs)
            down, up = down + below, up + above
        return figure.disturbed((down, up))

    def _sides(self) -> Iterator[Side]:
        several = len({each.run for each in self.systems}) > 1
        for system, level in zip(self.systems, self.levels, strict=True):
            machine, model = machine_of(system), system.load_model
            yield Side(
                figures={repeat: run.value for repeat, run in figures(level, self.quantity).items()},
                session=system.run,
                sessions=sessions_of(machine, model, self.quantity, self.terms) if several else None,
            )


def _at_loads(systems: Sequence[System], shape: Shape, terms: Terms) -> Iterator[Attribution]:
    """Yield what each load says of which all systems have usable figures."""
    first, last = shape.order[0], shape.order[-1]
    by_load = [{load_key(level): level for level in system.levels} for system in systems]
    for key in by_load[first]:
        if not all(key in levels for levels in by_load):
            continue
        whole = [levels[key] for levels in by_load]
        for load in whole[first].each:
            levels = [level.each[load] for level in whole]
            model = levels[first].load or {systems[first].load_model: {}}
            quantity = Load.of(model).decides
            if not all(_usable(level, quantity) for level in levels):
                continue
            at = _At(systems, levels, quantity, terms)
            ratio = at.ratio(_step((first, last)))
            yield Attribution(
                shape=shape.kind,
                test=systems[first].test,
                systems=[systems[place].name for place in shape.order],
                system=systems[last].name,
                base=systems[first].name,
                level=whole[first].level,
                users=levels[first].users,
                offered_per_s=levels[first].offered_per_s,
                load=load,
                quantity=quantity,
                ratio=ratio,
                parts=[_part(at, steps) for steps in shape.factors],
                interaction=_interaction(at, shape.factors[0]),
                per_unit=_per_unit(systems[first], systems[last], ratio) if quantity == THROUGHPUT else [],
            )


def _interaction(at: _At, steps: Sequence[Step]) -> Interaction | None:
    """Return it without an answer, which depends on the other loads; None of one step."""
    if len(steps) < 2:
        return None
    before, after = steps
    ratio = at.ratio(_product(after, before, of=(1, -1)))
    return Interaction(ratio=ratio, answer="cannot tell", p=None)


def _answered(found: list[Attribution], terms: Terms) -> list[Attribution]:
    """Answer whether the factors interact, with one family of questions for all loads."""
    interactions = [each.interaction for each in found if each.interaction is not None]
    answered = iter(answers([Asked(ratio=each.ratio) for each in interactions], terms.margin))
    return [
        replace(
            each,
            interaction=replace(
                each.interaction, answer=ANSWERS.get(answer.answer, "cannot tell"), p=answer.p
            ),
        )
        if each.interaction is not None and (answer := next(answered))
        else each
        for each in found
    ]


def _usable(level: Level, quantity: Quantity) -> bool:
    return worked(level) and (has_throughput(level) if quantity == THROUGHPUT else has_exact_times(level))


def _part(at: _At, steps: Sequence[Step]) -> FactorPart:
    base, system = (at.systems[place] for place in steps[0])
    found = [
        StepRatio(system=at.systems[step[1]].name, base=at.systems[step[0]].name, ratio=at.ratio(_step(step)))
        for step in steps
    ]
    changes = [
        Change(name=each.name, of_base=each.of_base, of_system=each.of_system)
        for each in differing(base, system)
    ]
    mean = [1 / len(steps)] * len(steps)
    return FactorPart(changes=changes, ratio=at.ratio(_product(*steps, of=mean)), steps=found)


def _step(step: Step) -> Powers:
    return {step[0]: -1.0, step[1]: 1.0}


def _product(*steps: Step, of: Sequence[float]) -> Powers:
    """Return the powers of the product of these steps' ratios, each to its power in `of`."""
    powers: Powers = {}
    for step, times in zip(steps, of, strict=True):
        for place, power in _step(step).items():
            powers[place] = powers.get(place, 0.0) + times * power
    return powers


def _per_unit(base: System, system: System, ratio: Figure) -> list[PerUnit]:
    """Return the ratio by unit of all that both are known to have, and not in the same amount."""
    units: dict[str, Unit] = {
        "threads": "thread",
        "ghz": "GHz",
        "watts": "watt",
        "rack_units": "rack unit",
        "price": "price",
    }
    amounts = [
        (unit, system.amounts[name], base.amounts[name])
        for name, unit in units.items()
        if name in system.amounts and name in base.amounts
    ]
    return [
        PerUnit(unit=unit, of_system=ours, of_base=theirs, ratio=ratio / (ours / theirs))
        for unit, ours, theirs in amounts
        if ours != theirs
    ]
