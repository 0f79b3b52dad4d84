"""What is asked of two systems at one load, and the test behind each question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from igen.judge.compare.machine import machines_of
from igen.judge.compare.terms import Terms
from igen.judge.curve.load import load_name, own_name
from igen.judge.curve.points import used_runs
from igen.judge.curve.quantities import bounds_of, figures, never_wait
from igen.judge.figure.interval import (
    ASSUMED_BETWEEN_SESSIONS,
    LEAST_RUNS,
    Quotient,
    SessionVariance,
    geometric_mean,
    log_welch,
    paired_log_t,
)
from igen.judge.figure.pairs import Pairs, RunFigure, paired, weighted_mean
from igen.judge.figure.sequence import paired_sequence
from igen.judge.figure.times import LEAST_RUNS_FOR_P99
from igen.judge.result import Finding, Level, Method, Quantity, System
from igen.judge.run.counting import least_of_ratio
from igen.judge.trust.finding import finding, reasons
from igen.judge.trust.usable import has_exact_times, has_throughput, has_times, worked
from igen.loads import MEAN, P99, THROUGHPUT, Load, deciding_quantity

QUESTIONS_PER_LOAD = 2
"""Those of a load from 5 runs on: what it decides by, and its times: throughput and p99, or mean and p99 of
the response time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One quantity of two systems at one load."""

    base_level: Level
    level: Level
    quantity: Quantity
    decides: bool
    restates_throughput: bool
    test: Quotient
    method: Method
    figures: tuple[float, float]
    """Figures of the system and of the base whose quotient is the ratio."""
    run_ratios: list[float]
    findings: list[Finding]
    of_invalid: bool = False
    """A level of it is INVALID in this quantity, or its transactions started too late."""
    load: str = ""
    """The one of several loads at once that it is about."""
    among: str = ""
    """All of them in words."""

    @property
    def asked(self) -> bool:
        """Whether it is one of the questions that p-values are corrected for."""
        return self.test.p is not None and not self.restates_throughput


def questions_at(
    base: System, system: System, of_base: Level, of_system: Level, terms: Terms
) -> Iterator[Question]:
    """The questions at one common level, of each of its loads; the deciding one first."""
    among = own_name(of_base) if of_base.loads else ""
    for name, part in of_base.each.items():
        both = part, of_system.each[name]
        if not all(map(worked, both)):
            continue
        deciding = Load.of(part.load or {base.load_model: {}}).decides
        for quantity in (THROUGHPUT, MEAN, P99) if deciding == THROUGHPUT else (MEAN, P99):
            question = _question(base, system, *both, quantity, terms)
            if question is not None:
                yield replace(question, decides=quantity == deciding, load=name, among=among)


def without_work(base: System, of_base: Level, of_system: Level) -> Iterator[str]:
    """The loads of which nothing is asked, in words: not every run had a transaction."""
    name = load_name(of_base, by_rate=base.load_model == "open")
    for load, part in of_base.each.items():
        if not all(map(worked, (part, of_system.each[load]))):
            yield f"{load} at {name}" if load else name


def quotient(
    base: System,
    system: System,
    of_base: Mapping[int, RunFigure],
    of_system: Mapping[int, RunFigure],
    quantity: Quantity,
    terms: Terms,
    pairs: Pairs | None = None,
) -> tuple[Quotient, Method]:
    """The test of figures by repeat: in pairs where the moment or the random numbers pair them.

    The executions of one study stand side by side; two runs with one seed drew the same numbers. Of a pair
    that lacks a side the other one does not count either. `pairs` are those of both sides by repeat unless
    they are given. The order of runs of two studies means nothing.
    """
    side_by_side = base.run == system.run
    sessions = session_variance(base, system, quantity, terms)
    pairs = paired(of_system, of_base) if pairs is None else pairs
    if side_by_side or (_seed(base) is not None and _seed(base) == _seed(system)):
        first = pairs.first if side_by_side else None
        if not pairs.values:
            return _without_pairs(of_base, of_system), "paired log-t"
        if terms.until_decided and side_by_side:
            return paired_sequence(pairs.values, pairs.base, first), "paired confidence sequence"
        return paired_log_t(pairs.values, pairs.base, sessions, first), "paired log-t"
    return log_welch(_values(of_system), _values(of_base), sessions), "log-Welch"


def divided(
    of_base: Mapping[int, RunFigure], of_system: Mapping[int, RunFigure], test: Quotient
) -> tuple[float, float]:
    """Return the figures of the system and of the base whose quotient is the ratio.

    Geometric means of the runs in the test, with the weights that its pairs have there.
    """
    if test.fit is None:
        return geometric_mean(_values(of_system)), geometric_mean(_values(of_base))
    pairs, weights = paired(of_system, of_base), test.fit.weights
    return weighted_mean(pairs.values, weights), weighted_mean(pairs.base, weights)


def run_ratios(
    of_base: Mapping[int, RunFigure], of_system: Mapping[int, RunFigure], method: Method
) -> list[float]:
    """What the quotient of these figures was made of: the ratio of each pair, or that of each run of the
    system to the geometric mean of the base's runs."""
    if method == "log-Welch":
        mean = geometric_mean(_values(of_base))
        return [value / mean for value in _values(of_system)]
    return paired(of_system, of_base).ratios


def session_variance(
    base: System, system: System, quantity: Quantity, terms: Terms
) -> SessionVariance | None:
    """What is in the interval of runs that were measured one after the other: as it was measured, or else
    what is assumed of a machine; None of runs side by side."""
    if base.run == system.run:
        return None
    machines = machines_of(base, system)
    first, *others = (_of_machine(name, base.load_model, quantity, terms) for name in machines)
    return first.and_of(others[0]) if others else first


def _of_machine(name: str, load_model: str, quantity: Quantity, terms: Terms) -> SessionVariance:
    # What was measured is the noise of a system with one load: that of one among several is not known.
    machine = terms.noise.get(name) if deciding_quantity(load_model) else None
    noise = machine.of.get(quantity) if machine else None
    return (noise.session_variance if noise else None) or ASSUMED_BETWEEN_SESSIONS


def _question(
    base: System, system: System, of_base: Level, of_system: Level, quantity: Quantity, terms: Terms
) -> Question | None:
    values, base_values = figures(of_system, quantity), figures(of_base, quantity)
    if not (values and base_values):
        return None
    test, method = quotient(base, system, base_values, values, quantity, terms)
    test = replace(test, bounds=bounds_of(of_base, of_system, quantity))
    if quantity == THROUGHPUT:
        test = test.no_narrower(least_of_ratio(map(used_runs, (of_system, of_base))))
    found = []
    sides = ((base.name, of_base), (system.name, of_system))
    may_be_used = has_throughput if quantity == THROUGHPUT else has_times
    invalid = [(name, level) for name, level in sides if not may_be_used(level)]
    late = [
        name
        for name, level in sides
        if quantity != THROUGHPUT and may_be_used(level) and not has_exact_times(level)
    ]
    if invalid or late:
        test = test.untested()
        found = [
            finding("level-invalid", scope="comparison", because=reasons(level.findings), system=name)
            for name, level in invalid
        ]
        found += [finding("late-driver", scope="comparison", system=name) for name in late]
    fewest = min(len(values), len(base_values))
    if fewest < LEAST_RUNS:
        found.append(finding("no-interval", scope="comparison", limit=LEAST_RUNS, runs=fewest))
    elif quantity == P99 and test.ratio.n < LEAST_RUNS_FOR_P99:
        test = test.untested()
    return Question(
        base_level=of_base,
        level=of_system,
        quantity=quantity,
        decides=False,
        restates_throughput=quantity == MEAN and never_wait(of_base) and never_wait(of_system),
        test=test,
        method=method,
        figures=divided(base_values, values, test),
        run_ratios=run_ratios(base_values, values, method),
        findings=found,
        of_invalid=bool(invalid or late),
    )


def _without_pairs(of_base: Mapping[int, RunFigure], of_system: Mapping[int, RunFigure]) -> Quotient:
    """A value without an interval: no repeat counts on both sides."""
    return log_welch(_values(of_system), _values(of_base)).untested()


def _values(side: Mapping[int, RunFigure]) -> list[float]:
    return [each.value for each in side.values()]


def _seed(system: System) -> int | None:
    """What its users drew their random numbers from."""
    seed: int | None = system.job.get("load_seed", system.job.get("seed"))
    return seed
