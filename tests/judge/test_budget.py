"""The verdict follows from the budget: what is worse in any of its parts never has a better verdict.

s: what runs differ by; m: what others may have cost; d: what all runs share; n: how many runs there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, inf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from igen.judge.figure.figure import Figure, Times
from igen.judge.trust.disturbance import LATE, TREND, Bound, Cause, Disturbance
from igen.judge.trust.finding import Finding, finding, gravest
from igen.judge.trust.load_checks import too_short
from igen.judge.trust.rules import GRAVITY, RULES, Verdict
from igen.judge.trust.trust import Trust
from igen.judge.trust.validity import late_starts, off, wide
from tests.judge.synthetic import one_system, recording
from tests.said import rules


@dataclass(frozen=True, slots=True)
class Part:
    """The budget of throughput or times."""

    noise: float
    """Standard deviation of the logarithm from run to run."""
    machine: float
    """In percent, on the side on which the machine cost something."""
    trend: float
    """In percent, on both sides."""


@dataclass(frozen=True, slots=True)
class Budget:
    """All that the verdict of a level whose load was as asked for rests on."""

    throughput: Part
    times: Part
    late: float = 0.0
    """What late starts may have added to times, in percent."""
    runs: int = 3
    values: float = inf
    """Independent values of the mean time that a run is worth."""

    @property
    def trust(self) -> Trust:
        """Return what the level is worth, by the functions that decide."""
        disturbance = self.disturbance
        throughput, times = self.figure(self.throughput), self.figure(self.times)
        enough = not [*too_short(self.values)]
        measured = Times(
            mean=times.value,
            p50=1.0,
            p90=1.0,
            p95=1.0,
            p99=1.0,
            p999=1.0,
            max=1.0,
            mean_interval=times if enough and self.runs > 1 else None,
        )
        return Trust.of(
            [
                *off(disturbance),
                *wide(throughput, measured),
                *too_short(self.values),
                *late_starts(disturbance, measured, measured),
                *([finding("one-run", scope="level")] if self.runs == 1 else []),
            ],
            disturbance,
        )

    @property
    def disturbance(self) -> Disturbance:
        """Return the bounds, as those of three causes."""

        def cause(rule: str, throughput: Bound, times: Bound) -> Cause:
            return Cause(finding=finding(rule), throughput=throughput, times=times)

        def both_ways(percent: float) -> Bound:
            return Bound(low_percent=-percent, high_percent=percent)

        return Disturbance.of(
            [
                cause(
                    "processors-lost",
                    Bound(high_percent=self.throughput.machine),
                    Bound(low_percent=-self.times.machine),
                ),
                cause(TREND, both_ways(self.throughput.trend), both_ways(self.times.trend)),
                *([cause(LATE, Bound(), Bound(low_percent=-self.late))] if self.late else []),
            ]
        )

    def figure(self, part: Part) -> Figure:
        """Return a figure that is known as well as the runs tell it."""
        if self.runs == 1:
            return Figure(value=1000.0)
        return Figure.estimated(1000.0, part.noise / sqrt(self.runs), self.runs - 1.0, self.runs)


PERCENT = st.one_of(st.floats(0, 3), st.floats(0, 30), st.sampled_from([0.0, 0.5, 1.0, 10.0, 20.0]))
NOISE = st.one_of(st.floats(0, 0.02), st.floats(0, 0.5))
PARTS = st.builds(Part, NOISE, PERCENT, PERCENT)
BUDGETS = st.builds(
    Budget, PARTS, PARTS, st.one_of(st.just(0.0), PERCENT), st.integers(1, 12), st.floats(1, 100)
)
MORE = st.one_of(st.just(0.0), st.floats(0, 5), st.floats(0, 40))


def grades(trust: Trust) -> list[int]:
    """Return how bad throughput, times and the whole are."""
    return [GRAVITY.index(each) for each in (trust.throughput, trust.times, trust.verdict)]


def no_better(worse: Budget, budget: Budget) -> bool:
    return all(
        after >= before for after, before in zip(grades(worse.trust), grades(budget.trust), strict=True)
    )


@given(BUDGETS, MORE, MORE, MORE, st.sampled_from(["throughput", "times"]))
def test_more_noise_or_a_larger_bound_never_improves_a_verdict(
    budget: Budget, noise: float, machine: float, trend: float, of: str
) -> None:
    part: Part = getattr(budget, of)
    worse = Part(part.noise + noise / 100, part.machine + machine, part.trend + trend)
    assert no_better(replace(budget, **{of: worse}), budget)


@given(BUDGETS, st.integers(1, 12))
def test_fewer_repeats_never_improve_a_verdict(budget: Budget, runs: int) -> None:
    fewer, more = sorted((runs, budget.runs))
    assert no_better(replace(budget, runs=fewer), replace(budget, runs=more))


@given(BUDGETS, MORE, st.floats(0, 1))
def test_later_starts_and_fewer_independent_values_never_improve_a_verdict(
    budget: Budget, later: float, share: float
) -> None:
    assert no_better(replace(budget, late=budget.late + later), budget)
    assert no_better(replace(budget, values=budget.values * share), budget)


@given(
    st.lists(st.sampled_from(sorted(RULES)), max_size=5),
    st.sampled_from(sorted(RULES)),
    st.sampled_from(["", "throughput", "times"]),
)
def test_one_more_finding_never_improves_a_verdict(known: list[str], more: str, quantity: str) -> None:
    found: list[Finding] = [finding(rule) for rule in known]
    added = replace(finding(more), quantity=quantity)  # type: ignore[arg-type]
    before, after = Trust.of(found, Disturbance()), Trust.of([*found, added], Disturbance())
    assert all(now >= then for now, then in zip(grades(after), grades(before), strict=True))
    assert GRAVITY.index(gravest([*found, added])) == max(
        (GRAVITY.index(RULES[rule].grade) for rule in (*known, more)), default=0
    )


CALM = Part(0.001, 0.0, 0.0)


@pytest.mark.parametrize(
    ("part", "runs", "verdict"),
    [
        (CALM, 3, "VALID"),
        (Part(0.001, 1.0, 0.0), 3, "VALID"),
        (Part(0.001, 1.01, 0.0), 3, "SUSPECT"),
        (Part(0.001, 0.0, 1.01), 3, "SUSPECT"),
        (Part(0.001, 0.6, 0.6), 3, "SUSPECT"),
        (Part(0.001, 20.0, 0.0), 3, "SUSPECT"),
        (Part(0.001, 20.1, 0.0), 3, "INVALID"),
        (Part(0.001, 11.0, 11.0), 3, "INVALID"),
        (Part(0.5, 0.6, 0.6), 3, "SUSPECT"),
        (Part(0.5, 11.0, 11.0), 3, "INVALID"),
        (CALM, 1, "ONE RUN"),
        (Part(0.001, 10.0, 10.0), 1, "ONE RUN"),
        (Part(0.001, 11.0, 11.0), 1, "INVALID"),
    ],
)
def test_the_verdict_of_a_budget(part: Part, runs: int, verdict: Verdict) -> None:
    """Bounds add up; 1 % is allowed, and beyond 20 % a figure is of no use."""
    trust = Budget(part, part, runs=runs).trust
    assert (trust.throughput, trust.times, trust.verdict) == (verdict,) * 3


@given(st.floats(0.001, 0.5), st.integers(2, 12))
def test_an_interval_beyond_20_percent_is_suspect(noise: float, runs: int) -> None:
    """Student's t of scipy says how wide it is."""
    upper = exp(stats.t.ppf(0.975, runs - 1) * noise / sqrt(runs))
    trust = Budget(Part(noise, 0.0, 0.0), CALM, runs=runs).trust
    assert trust.throughput == ("SUSPECT" if upper > 1.2 else "VALID")


@pytest.mark.parametrize(
    ("throughput", "times", "whole"),
    [
        ("VALID", "INVALID", "SUSPECT"),
        ("INVALID", "VALID", "SUSPECT"),
        ("VALID", "SUSPECT", "SUSPECT"),
        ("SUSPECT", "INVALID", "SUSPECT"),
        ("ONE RUN", "INVALID", "ONE RUN"),
        ("ONE RUN", "ONE RUN", "ONE RUN"),
        ("INVALID", "INVALID", "INVALID"),
    ],
)
def test_a_level_is_as_good_as_its_better_quantity_and_suspect_if_they_differ(
    throughput: Verdict, times: Verdict, whole: Verdict
) -> None:
    assert Trust(throughput=throughput, times=times).verdict == whole


@pytest.mark.parametrize("late", [0.0, 0.5, 5.0, 19.0, 21.0, 95.0])
def test_late_starts_never_make_times_invalid(late: float) -> None:
    """The truth lies between two figures that are both known."""
    trust = Budget(CALM, CALM, late=late).trust
    assert trust.times == ("SUSPECT" if late > 20 else "VALID")
    assert trust.throughput == "VALID"


@pytest.mark.parametrize(("quantity", "part"), [("throughput", 0), ("times", 1)])
def test_a_bound_of_one_quantity_is_a_finding_about_it(quantity: str, part: int) -> None:
    parts = [CALM, CALM]
    parts[part] = Part(0.001, 30.0, 0.0)
    (found,) = off(Budget(*parts).disturbance)
    assert (found.rule, found.quantity) == ("disturbed-beyond-use", quantity)
    (found,) = off(Budget(parts[part], parts[part]).disturbance)
    assert (found.rule, found.quantity) == ("disturbed-beyond-use", "")
    two = off(Budget(Part(0.0, 5.0, 0.0), Part(0.0, 30.0, 0.0)).disturbance)
    assert [(each.rule, each.quantity) for each in two] == [
        ("disturbed", "throughput"),
        ("disturbed-beyond-use", "times"),
    ]


@pytest.mark.parametrize(("noise", "verdict"), [(0.02, "VALID"), (0.4, "SUSPECT")])
def test_fewer_runs_of_one_level_have_no_better_verdict(noise: float, verdict: Verdict) -> None:
    """Five runs of a level, of which the last ones are taken away."""
    shares = [0.0, 1.0, -0.8, 0.5, -0.7]
    made = [
        recording([round(1000 * exp(noise * share))] * 10, repeat=repeat)
        for repeat, share in enumerate(shares)
    ]
    order = []
    for number in range(5, 0, -1):
        (level,) = one_system(made[:number]).levels
        order.append(GRAVITY.index(level.trust.verdict))
        assert ("one-run" in rules(level)) == (number == 1)
    assert order == sorted(order)
    assert GRAVITY[order[0]] == verdict
    assert GRAVITY[order[-1]] == "ONE RUN"
