"""Observations inside one system: no difference between its loads that the machine may have made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from igen.judge.curve.observations import observations_of
from igen.judge.curve.points import named_points, ratio_to
from igen.judge.result import Finding, Level, System
from igen.judge.trust.disturbance import Bound, Cause, Disturbance
from igen.judge.trust.finding import finding
from igen.judge.trust.rules.curve import NOT_INFERIOR
from igen.judge.trust.trust import Trust
from tests.judge.synthetic import one_system, recording
from tests.said import has, observation, observed, reason

STEPS = (-0.004, -0.002, 0.0, 0.002, 0.004)


def curve(means: dict[int, int]) -> System:
    return one_system(
        [
            recording([round(mean * (1 + step))] * 10, users=users, level=level, repeat=repeat)
            for level, (users, mean) in enumerate(means.items())
            for repeat, step in enumerate(STEPS)
        ]
    )


def disturbed(level: Level, percent: float, times_percent: float = 0.0) -> Level:
    """A machine on which the level could have been faster by so much."""
    price = Disturbance(throughput=Bound(high_percent=percent), times=Bound(low_percent=-times_percent))
    return replace(level, trust=replace(level.trust, disturbance=price))


def with_levels(system: System, *levels: Level) -> System:
    points = named_points(levels, "closed", None)
    told = replace(
        system,
        levels=[*levels],
        peak=points.peak,
        sweet_spot=points.sweet_spot,
        knee=points.knee,
        unnamed=points.unnamed,
    )
    return replace(told, observations=observations_of(told))


def beyond_peak(system: System) -> list[Finding]:
    rules = ("falls-beyond-peak", "waits-beyond-peak")
    return [each for each in system.observations if each.rule in rules]


def test_a_fall_beyond_the_peak_that_others_may_have_made_is_not_said() -> None:
    system = curve({1: 1000, 2: 2000, 4: 2000, 8: 4000, 16: 3400})
    *lower, highest = system.levels
    (found,) = beyond_peak(with_levels(system, *lower, highest))
    assert (found.rule, found.figure("ratio")) == ("falls-beyond-peak", pytest.approx(0.85, abs=0.005))
    assert beyond_peak(with_levels(system, *lower, disturbed(highest, 10)))
    assert not beyond_peak(with_levels(system, *lower, disturbed(highest, 18)))
    assert not beyond_peak(with_levels(system, *lower, disturbed(highest, 10, 60))), "its times"
    assert not has(found, "times_ratio"), "of users who never wait it restates how many they are"
    thinking = replace(highest, load={"closed": {"users": 16, "think_time_s": 1.0}})
    (found,) = beyond_peak(with_levels(system, *lower, thinking))
    assert found.figure("times_ratio") == pytest.approx(2.35, abs=0.05)


def test_a_peak_that_others_may_have_held_down_has_no_sweet_spot() -> None:
    system = curve({2: 2000, 4: 3960, 8: 4000})
    *lower, peak = system.levels
    clean = with_levels(system, *lower, peak)
    assert clean.sweet_spot is not None
    assert clean.sweet_spot.users == 4
    held_down = with_levels(system, *lower, disturbed(peak, 9))
    assert held_down.peak is not None
    assert held_down.peak.alike_percent is not None
    assert held_down.peak.alike_percent > 3
    assert held_down.sweet_spot is None
    why = held_down.unnamed["sweet spot"]
    assert (why.rule, why.limit) == ("lower-load-undecided", NOT_INFERIOR.value)
    assert [each.rule for each in why.because] == ["quiet-machine-needed"]
    assert reason(observation(held_down, "reaches-plateau"), "no-sweet-spot").because == (why,)


def test_growth_that_others_may_have_made_is_not_said() -> None:
    system = curve({1: 1000, 2: 1050})
    first, last = system.levels
    assert "growth" in observed(with_levels(system, first, last))
    assert "growth" not in observed(with_levels(system, disturbed(first, 9), last))


def test_of_a_search_the_runs_that_choose_are_priced() -> None:
    first, last = curve({1: 1000, 2: 1000}).levels
    bound = Bound(high_percent=10.0)
    price = Disturbance(causes=[Cause(finding=finding("steal"), throughput=bound, times=Bound())])
    choosing = replace(
        last,
        repeats=[
            *(
                replace(run, purpose="choose", trust=Trust(disturbance=price), used=False)
                for run in last.repeats
            ),
            *(replace(run, purpose="confirm", repeat=run.repeat + 5) for run in last.repeats),
        ],
    )
    plain, ratio = ratio_to(last, first), ratio_to(choosing, first)
    assert plain.high is not None
    assert ratio.high == pytest.approx(1.1 * plain.high)
    assert ratio.low == plain.low


def test_a_fresh_run_stands_for_the_one_that_it_replaced() -> None:
    """Three runs of each level, of which one was replaced: there are three pairs."""
    lower, peak = curve({2: 1990, 4: 2000}).levels
    used = (0, 1, 4)
    fresh = replace(peak, repeats=[replace(run, used=run.repeat in used) for run in peak.repeats])
    lower = replace(lower, repeats=[replace(run, used=run.repeat < len(used)) for run in lower.repeats])
    ratio = ratio_to(lower, fresh)
    assert ratio.n == len(used)
    assert ratio.value == pytest.approx(0.995 / 1.004 ** (1 / 3), rel=1e-4), "2 and 4, which did 0.4 % more"
    spot = named_points([lower, fresh], "closed", None).sweet_spot
    assert spot is not None
    assert spot.users == 2
