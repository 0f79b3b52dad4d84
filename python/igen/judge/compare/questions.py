"""What is asked of two systems at one load, and the test behind each question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import exp

from igen.judge.compare.machine import machines_of
from igen.judge.compare.terms import Terms
from igen.judge.curve.load import load_name, own_name
from igen.judge.curve.points import used_runs
from igen.judge.curve.quantities import bounds_of, figures, never_wait, speed_bounds
from igen.judge.figure.interval import (
    ASSUMED_BETWEEN_SESSIONS,
    SessionVariance,
    geometric_mean,
    log_welch,
    paired_ratio,
)
from igen.judge.figure.pair_model import PairFit
from igen.judge.figure.pairs import Pairs, RunFigure, paired, weighted_mean
from igen.judge.result import Figure, Finding, Level, Method, PairOrder, Quantity, System
from igen.judge.run.counting import least_of_ratio
from igen.judge.trust.finding import finding, reasons
from igen.judge.trust.rules.statistics import LEAST_RUNS, LEAST_RUNS_OF_P99
from igen.judge.trust.usable import has_exact_times, has_throughput, has_times, worked
from igen.loads import MEAN, TAIL, THROUGHPUT, Load, deciding_quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The ratio of a figure of two systems, and the runs behind it."""

    ratio: Figure
    method: Method
    values: list[float]
    """Figures of the runs of the system."""
    base: list[float]
    pairs: Pairs | None = None
    """None if the runs are independent."""

    @property
    def model(self) -> PairFit | None:
        """The model of the pairs; None without pairs."""
        looked = self.method == "paired confidence sequence"
        return self.pairs.model(looked=looked) if self.pairs and self.pairs.values else None

    @property
    def figures(self) -> tuple[float, float]:
        """Figures of the system and of the base whose quotient is the ratio.

        Geometric means of the runs in the test, with the weights that its pairs have there.
        """
        if (fit := self.model) is None or self.pairs is None:
            return geometric_mean(self.values), geometric_mean(self.base)
        return weighted_mean(self.pairs.values, fit.weights), weighted_mean(self.pairs.base, fit.weights)

    @property
    def run_ratios(self) -> list[float]:
        """The ratio of each pair, or of each run of the system to the geometric mean of the base's runs."""
        if self.pairs is not None:
            return self.pairs.ratios
        mean = geometric_mean(self.base)
        return [value / mean for value in self.values]

    @property
    def order(self) -> PairOrder | None:
        """System executed first, and the effect of going first; None if unknown or without pairs."""
        fit = self.model
        if fit is None or fit.system_first is None:
            return None
        n, effect, first_over_second = self.ratio.n, fit.going_first, None
        if effect is not None and self.ratio.error is not None:
            kind = self.ratio.kind
            first_over_second = Figure.estimated(exp(effect.value), effect.error, fit.freedom, n, kind)
        return PairOrder(pairs=n, system_first=fit.system_first, first_over_second=first_over_second)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One quantity of two systems at one load."""

    base_level: Level
    level: Level
    quantity: Quantity
    decides: bool
    restates_throughput: bool
    test: Compared
    findings: list[Finding]
    of_invalid: bool = False
    """A level of it is INVALID in this quantity, or its transactions started too late."""
    load: str = ""
    """The one of several loads at once that it is about."""
    among: str = ""
    """All of them in words."""


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
        for quantity in (*([THROUGHPUT] if deciding == THROUGHPUT else []), MEAN, *TAIL):
            question = _question(base, system, *both, quantity, terms)
            if question is not None:
                yield replace(question, decides=quantity == deciding, load=name, among=among)


def without_work(base: System, of_base: Level, of_system: Level) -> Iterator[str]:
    """The loads of which nothing is asked, in words: not every run had a transaction."""
    name = load_name(of_base, by_rate=base.load_model == "open")
    for load, part in of_base.each.items():
        if not all(map(worked, (part, of_system.each[load]))):
            yield f"{load} at {name}" if load else name


def compared(
    base: System,
    system: System,
    of_base: Mapping[int, RunFigure],
    of_system: Mapping[int, RunFigure],
    quantity: Quantity,
    terms: Terms,
    pairs: Pairs | None = None,
) -> Compared:
    """Return the test of figures by repeat: in pairs where the moment or the random numbers pair them.

    The executions of one study stand side by side; two runs with one seed drew the same numbers. Of a pair
    that lacks a side the other one does not count either. `pairs` are those of both sides by repeat unless
    they are given. The order of runs of two studies means nothing.
    """
    side_by_side = base.run == system.run
    sessions = session_variance(base, system, quantity, terms)
    values, base_values = ([each.value for each in side.values()] for side in (of_system, of_base))
    if not side_by_side and (_seed(base) is None or _seed(base) != _seed(system)):
        ratio = log_welch(values, base_values, sessions)
        return Compared(ratio=ratio, method="log-Welch", values=values, base=base_values)
    pairs = paired(of_system, of_base) if pairs is None else pairs
    looked = terms.until_decided and side_by_side
    method: Method = "paired log-t"
    if not pairs.values:
        # No repeat counts on both sides: a value without an interval.
        ratio = log_welch(values, base_values).untested()
    else:
        # Few transactions are slow, so their noise is larger than what going first does.
        pairs = pairs if side_by_side and quantity not in TAIL else replace(pairs, first=None)
        method = "paired confidence sequence" if looked else method
        ratio = paired_ratio(pairs, sessions, looked=looked)
    return Compared(ratio=ratio, method=method, values=values, base=base_values, pairs=pairs)


def ratio_bounds(
    base: System, system: System, of_base: Level, of_system: Level, quantity: Quantity
) -> tuple[float, float]:
    """Return how far ln of the ratio may lie below and above the measured one; of runs that were measured one
    after the other, the speed of the machine may have been another one."""
    low, high = bounds_of(of_base, of_system, quantity)
    if base.run == system.run:
        return low, high
    speed_low, speed_high = speed_bounds(of_base, of_system, quantity)
    return low + speed_low, high + speed_high


def session_variance(
    base: System, system: System, quantity: Quantity, terms: Terms
) -> SessionVariance | None:
    """What is in the interval of runs that were measured one after the other: as it was measured, or else
    what is assumed of a machine; None of runs side by side."""
    if base.run == system.run:
        return None
    machines = machines_of(base, system)
    first, *others = (sessions_of(name, base.load_model, quantity, terms) for name in machines)
    return first.and_of(others[0]) if others else first


def sessions_of(name: str, load_model: str, quantity: Quantity, terms: Terms) -> SessionVariance:
    """Return the variance between sessions of that machine, as it was measured or else as it is assumed."""
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
    test = compared(base, system, base_values, values, quantity, terms)
    ratio = test.ratio.disturbed(ratio_bounds(base, system, of_base, of_system, quantity))
    if quantity == THROUGHPUT:
        ratio = ratio.no_narrower(least_of_ratio(map(used_runs, (of_system, of_base))))
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
        ratio = ratio.untested()
        found = [
            finding("level-invalid", scope="comparison", because=reasons(level.findings), system=name)
            for name, level in invalid
        ]
        found += [finding("late-driver", scope="comparison", system=name) for name in late]
    fewest = min(len(values), len(base_values))
    if fewest < LEAST_RUNS.value:
        found.append(finding("no-interval", scope="comparison", limit=LEAST_RUNS.value, runs=fewest))
    elif quantity in TAIL and ratio.n < LEAST_RUNS_OF_P99.value:
        ratio = ratio.untested()
    return Question(
        base_level=of_base,
        level=of_system,
        quantity=quantity,
        decides=False,
        restates_throughput=quantity == MEAN and never_wait(of_base) and never_wait(of_system),
        test=replace(test, ratio=ratio),
        findings=found,
        of_invalid=bool(invalid or late),
    )


def _seed(system: System) -> int | None:
    """What its users drew their random numbers from."""
    seed: int | None = system.job.get("load_seed", system.job.get("seed"))
    return seed
