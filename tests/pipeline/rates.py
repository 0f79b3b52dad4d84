"""Rates over many studies of a scenario, and the goals that they are held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from statistics import fmean, stdev

from scipy.special import ndtri
from scipy.stats import binom

from tests.pipeline.budget import BUDGET
from tests.pipeline.judged import ROW, Judged, judge
from tests.pipeline.questions import QUESTIONS
from tests.pipeline.scenarios import SCENARIOS, Scenario
from tests.pipeline.systems import OTHER

PROCESSES = 2
LOWEST, HIGHEST = 0.93, 0.97
"""Bounds of the coverage of a 95 % interval."""
LEAST_VALID = 0.02
"""Where fewer levels are VALID, and none need be, coverage says nothing."""
CLAIMED = 0.05
OVERSTATED = 0.003
BIAS = 0.05
CHANCE = 1e-4
"""That a goal which is just met in the long run is missed by a test of few studies."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something was so."""

    share: float
    n: int


@dataclass(frozen=True, slots=True)
class Off:
    """How far a figure is from its truth."""

    share: float
    """Mean of value over truth, less 1; of ratios that of its logarithm."""
    error: float
    """Standard error of that mean."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A value and what it should be, such as `<= 0.05`."""

    name: str
    value: float
    goal: str
    n: int
    """Independent trials behind a share."""
    error: float | None = None
    """Standard error of a mean; None for a share."""

    @property
    def met(self) -> bool:
        """Whether the value is as it should be; what is not a number is not."""
        return self._holds(0.0)

    @property
    def met_but_for_chance(self) -> bool:
        """Whether a value that is in the long run as it should be is off by as much in `CHANCE` of cases.

        The bound of a share is that of the binomial distribution, of a mean that of the normal one.
        """
        sign, limit = self.goal.split()
        if self.error is not None:
            return self._holds(-self.error * float(ndtri(CHANCE)))
        chance = CHANCE if sign == ">=" else 1 - CHANCE
        return self._holds(abs(float(binom.ppf(chance, self.n, float(limit))) / self.n - float(limit)))

    def _holds(self, allowance: float) -> bool:
        sign, text = self.goal.split()
        limit = float(text) + (allowance if sign == "<=" else -allowance)
        return self.value <= limit + 1e-12 if sign == "<=" else self.value >= limit - 1e-12


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates of one scenario; shares of levels, executions or studies."""

    studies: int
    valid: Rate
    """Levels."""
    flagged: Rate
    """Levels that are not VALID."""
    other_flagged: Rate
    """Levels of the second system that are not VALID."""
    other_throughput_valid: Rate
    """The same levels by the verdict of the throughput."""
    coverage: dict[str, Rate]
    """By figure, of VALID levels with an interval."""
    covered_at_highest: Rate
    """Intervals of the throughput that hold the truth, of VALID levels at the highest load."""
    ratios: Rate
    """Intervals of ratios of VALID levels that hold the ratio of the truths."""
    deciding_off: dict[int, Off]
    """Error of the ratio that decides, by load."""
    off: dict[str, Off]
    """By figure, of VALID levels."""
    value_outside: Rate
    """Figures of any level that lie outside their own interval."""
    claims: dict[str, Rate]
    """By sentence: called the systems different."""
    rows_claimed: Rate
    """Share of the rows of the tables of ratios that call the systems different."""
    found: Rate
    """Studies with any sentence that calls the systems different."""
    groups_warned: Rate
    """Levels whose runs fall into two groups and that say so."""
    reasons: Counter[str]
    """Levels by the rules that they broke."""
    texts: Counter[str]


def rates_of(scenario: Scenario, studies: int, first: int = 0, processes: int = PROCESSES) -> Rates:
    """Judges so many studies; with one process in this one."""
    numbers = range(first, first + studies)
    if processes == 1:
        return summed(judge(scenario, number) for number in numbers)
    with ProcessPoolExecutor(processes) as pool:
        return summed(pool.map(_judge_named, repeat(scenario.name), numbers, chunksize=5))


def _judge_named(name: str, number: int) -> Judged:
    """In another process: the shapes of a scenario are functions, which cannot be sent there."""
    return judge(next(each for each in (*SCENARIOS, *BUDGET, *QUESTIONS) if each.name == name), number)


def summed(found: Iterable[Judged]) -> Rates:
    """Rates of studies that were judged."""
    judged = list(found)
    levels = [level for each in judged for level in each.levels]
    valid = [level for level in levels if level.verdict == "VALID"]
    others = [level for level in levels if level.system == OTHER]
    names = list(dict.fromkeys(name for level in levels for name in level.figures))
    figures = {name: [level.figures[name] for level in valid if name in level.figures] for name in names}
    slots = dict.fromkeys(slot for each in judged for slot in each.claims)
    return Rates(
        studies=len(judged),
        valid=_rate(level.verdict == "VALID" for level in levels),
        flagged=_rate(level.verdict != "VALID" for level in levels),
        other_flagged=_rate(level.verdict != "VALID" for level in others),
        other_throughput_valid=_rate(level.throughput_verdict == "VALID" for level in others),
        coverage={
            name: _rate(figure.covered for figure in figures[name] if figure.covered is not None)
            for name in names
        },
        covered_at_highest=_rate(
            figure.covered
            for level in valid
            if level.load == max(each.load for each in levels)
            and (figure := level.figures.get("throughput"))
            and figure.covered is not None
        ),
        ratios=_rate(ratio.covered for each in judged for ratio in each.ratios if ratio.covered is not None),
        deciding_off={
            load: _off([each.deciding_off[load] for each in judged if load in each.deciding_off])
            for load in sorted({load for each in judged for load in each.deciding_off})
        },
        off={name: _off([each.off for each in figures[name]]) for name in names if figures[name]},
        value_outside=_rate(
            not figure.value_in_interval for level in levels for figure in level.figures.values()
        ),
        claims={slot: Rate(fmean(e.claims.get(slot, False) for e in judged), len(judged)) for slot in slots},
        rows_claimed=_rate(
            claimed for each in judged for slot, claimed in each.claims.items() if slot.startswith(ROW)
        ),
        found=_rate(any(each.claims.values()) for each in judged),
        groups_warned=_rate(level.two_groups_warned for level in levels if level.two_groups),
        reasons=Counter(rule for level in levels for rule in level.reasons),
        texts=Counter(text for each in judged for text in each.texts),
    )


def _off(values: list[float]) -> Off:
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("inf")
    return Off(fmean(values), error)


def _rate(values: Iterable[bool | None]) -> Rate:
    all_ = [bool(value) for value in values]
    return Rate(fmean(all_) if all_ else float("nan"), len(all_))


def goals_of(scenario: Scenario, rates: Rates) -> Iterator[Goal]:
    """All that the scenario asks for; shares of so many independent studies or levels."""
    levels = rates.valid.n
    if scenario.valid:
        yield Goal("valid levels", rates.valid.share, scenario.valid, levels)
    if scenario.flagged:
        yield Goal("levels that are not VALID", rates.flagged.share, scenario.flagged, levels)
    for name in scenario.covered:
        covered = rates.coverage.get(name, Rate(float("nan"), 0))
        if covered.n <= LEAST_VALID * rates.valid.n and not scenario.valid:
            continue
        # The systems of one study may have had the same disturbances.
        trials = max(covered.n // 2, 1)
        yield Goal(f"coverage of {name}, least", covered.share, f">= {LOWEST}", trials)
        yield Goal(f"coverage of {name}, most", covered.share, f"<= {HIGHEST}", trials)
        if name == "throughput":
            off = rates.off[name]
            yield Goal("throughput overstated", off.share, f"<= {OVERSTATED}", 0, off.error)
    if scenario.covered and rates.ratios.n > LEAST_VALID * rates.valid.n:
        # Those of one study are not independent of each other.
        trials = rates.studies
        yield Goal("coverage of ratios, least", rates.ratios.share, f">= {LOWEST}", trials)
    if scenario.identical and rates.claims:
        yield Goal("claimed different, any sentence", rates.found.share, f"<= {CLAIMED}", rates.studies)
        loads = len(scenario.target.loads())
        if loads > 1:
            # Of one study at most 5 % of tables have such a row, however many loads it has.
            rows = rates.rows_claimed
            yield Goal("rows claimed different", rows.share, f"<= {CLAIMED / loads:.4f}", rows.n)
    if scenario.first_costs:
        worst_off = max(rates.deciding_off.values(), key=lambda off: abs(off.share))
        costs = scenario.first_costs
        bias, error = abs(worst_off.share) / costs, worst_off.error / costs
        yield Goal("bias of the worst load, of what going first costs", bias, f"<= {BIAS}", 0, error)
    if scenario.power is not None:
        yield Goal("difference found", rates.found.share, f">= {scenario.power}", rates.studies)
    if rates.value_outside.n:
        yield Goal("figures outside their intervals", rates.value_outside.share, "<= 0", levels)
    for name, goal in scenario.extra.items():
        rate = {
            "other flagged": rates.other_flagged,
            "other's throughput VALID": rates.other_throughput_valid,
            "groups warned": rates.groups_warned,
            "ratios covered": rates.ratios,
            "throughput held at the highest load": rates.covered_at_highest,
            "p99.9 reported": rates.claims.get("observation, p99.9", Rate(0.0, rates.studies)),
            **{f"{figure} held": rate for figure, rate in rates.coverage.items()},
        }[name]
        if rate.n:
            yield Goal(name, rate.share, goal, rate.n)


def goals_of_all(found: Sequence[tuple[Scenario, Rates]]) -> Iterator[Goal]:
    """What all scenarios together must keep to: of few studies each, only their sum can tell."""
    for name in ("throughput", "mean", "p99"):
        parts = [
            rates.coverage[name]
            for scenario, rates in found
            if name in scenario.covered and rates.coverage[name].n
        ]
        n = sum(part.n for part in parts)
        share = sum(part.share * part.n for part in parts) / n
        yield Goal(f"coverage of {name}, least", share, f">= {LOWEST}", n)
        yield Goal(f"coverage of {name}, most", share, f"<= {HIGHEST}", n)
    ratios = [rates.ratios for scenario, rates in found if scenario.covered and rates.ratios.n]
    n = sum(part.n for part in ratios)
    share = sum(part.share * part.n for part in ratios) / n
    yield Goal("coverage of ratios, least", share, f">= {LOWEST}", n // 2)
    identical = [rates for scenario, rates in found if scenario.identical]
    for kind in dict.fromkeys(kind for rates in identical for kind in rates.claims):
        claims = [rates.claims[kind] for rates in identical if kind in rates.claims]
        n = sum(claim.n for claim in claims)
        share = sum(claim.share * claim.n for claim in claims) / n
        yield Goal(f"claimed different, {kind}", share, f"<= {CLAIMED}", n)
