"""From recorded intervals to the observations of a comparison, where the truth is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.compare.terms import Terms
from igen.judge.intent import Intent
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording
from igen.judge.result import Figure, Finding, Result
from igen.loads import TAIL
from tests.judge.synthetic import machine_noise, recording, snapshot, statistics
from tests.said import CLAIMS, all_rules, observation, observed, reason, texts_of


def closed(
    random: np.random.Generator, means: dict[int, float], noise: float, runs: int, **rest: Any
) -> Iterator[Recording]:
    """Runs of a closed load that differ by `noise`; what pairs have in common is none."""
    for level, (users, mean) in enumerate(means.items()):
        for repeat in range(runs):
            count = round(mean * np.exp(noise * random.standard_normal()))
            yield recording([count] * 10, users=users, level=level, repeat=repeat, **rest)


def open_load(rate: int, mean_ms: list[float], *, done: float = 1.0, **rest: Any) -> list[Recording]:
    """Runs of an open load with these mean response times, of which a share was served."""
    made = []
    for repeat, mean in enumerate(mean_ms):
        served = round(rate * done)
        arrivals = Arrivals(due=rate, started=served, unsent=0, backlog=0)
        intervals = [
            snapshot(second, statistics(served, mean), arrivals=arrivals, users=50) for second in range(10)
        ]
        load = {"open": {"rate_per_s": float(rate), "users": 50}}
        made.append(recording(snapshots=intervals, load=load, repeat=repeat, **rest))
    return made


def claims(result: Result) -> list[Finding]:
    """The observations that call two systems different."""
    return [each for each in result.observations if each.rule in CLAIMS]


def two(a: list[Recording], b: list[Recording], terms: Terms | None = None, **intent: Any) -> Result:
    """Two runs side by side."""
    systems = [*analyse(a, intent=Intent(**intent)), *analyse(b, intent=Intent(**intent))]
    return result_of(systems, terms=terms)


def test_open_loads_are_compared_by_their_response_times() -> None:
    a, b = (
        [
            each
            for level, rate in enumerate((50, 100))
            for each in open_load(rate, times, level=level, system=name, run=name)
        ]
        for name, times in (("A", [4.0, 4.1, 3.9, 4.0, 4.05]), ("B", [12.0, 11.5, 12.2, 12.1, 11.8]))
    )
    result = two(a, b)
    assert {ratio.quantity for ratio in result.ratios} == {"mean response time", *TAIL}
    assert {ratio.answer for ratio in result.ratios} == {"slower"}
    assert {(ratio.served, ratio.base_served) for ratio in result.ratios} == {("held", "held")}
    slower = observation(result, "slower")
    assert (slower.part("system").text, slower.part("base").text) == ("B", "A")
    assert (slower.figure("loads"), slower.figure("loads_compared")) == (2, 2)
    assert slower.part("quantity").text == "mean response time"
    assert slower.figure("ratio") == pytest.approx(2.95, abs=0.05)
    longer, _ = (each for each in result.observations if each.rule == "times-longer")
    assert (longer.part("system").text, longer.part("base").text) == ("B", "A")
    assert longer.part("quantity").text == "p99 response time"
    assert [system.peak for system in result.systems] == [None, None]
    of_all = [*observed(result), *(rule for system in result.systems for rule in observed(system))]
    named = ("most-of-loads-tried", "reaches-plateau")
    assert not any("peak" in rule or rule in named for rule in of_all)


def test_a_rate_that_one_side_holds_is_a_finding() -> None:
    times = [4.0, 4.1, 3.9, 4.0, 4.05]
    a = open_load(400, times, done=0.9, system="A", run="A")
    b = open_load(400, times, system="B", run="B")
    result = two(a, b)
    assert {ratio.answer for ratio in result.ratios} == {"cannot tell"}
    holds = observation(result, "holds-rate")
    assert (holds.part("system").text, holds.part("base").text) == ("B", "A")
    assert texts_of(holds, "load") == ["400/s"]
    assert "holds-rate" not in observed(two(b, [*b]))


def test_the_highest_rate_within_a_limit_has_a_pass_and_a_fail() -> None:
    made = [
        each
        for level, (rate, mean) in enumerate({50: 5.0, 100: 8.0, 200: 40.0}.items())
        for each in open_load(rate, [mean, 1.02 * mean, 0.98 * mean], level=level)
    ]
    (system,) = analyse(made, intent=Intent(response_time_limit_ms=10.0))
    assert system.within_limit is not None
    assert (system.within_limit.offered_per_s, system.within_limit.first_fail_level) == (100.0, 2)
    within = observation(system, "within-limit")
    assert (within.part("load").text, within.limit, within.unit) == ("100/s", 10, "ms")
    assert within.figure("response_time_ms") == pytest.approx(8, rel=0.02)
    assert reason(within, "first-load-beyond").part("load").text == "200/s"


def test_with_cannot_tell_stands_what_could_have_been_seen() -> None:
    random = np.random.default_rng(3)
    a, b = ([*closed(random, {1: 1000}, 0.05, 5, system=name)] for name in "AB")
    result = result_of(analyse([*a, *b]))
    found = observation(result, "cannot-tell-apart")
    (ratio,) = (ratio for ratio in result.ratios if ratio.decides)
    assert ratio.visible_percent is not None
    assert ratio.repeats_needed is not None
    assert ratio.visible_percent > 5
    seen = reason(found, "could-have-seen")
    assert seen.figure("visible_percent") == ratio.visible_percent
    show = reason(seen, "repeats-would-show")
    assert (show.figure("repeats"), show.figure("margin_percent")) == (ratio.repeats_needed, 3)


@pytest.mark.slow
def test_the_same_curve_twice_is_told_apart_in_few_studies() -> None:
    """Through levels, peaks and observations: any claim in at most 5 % of studies."""
    random = np.random.default_rng(12)
    means, studies = {1: 1000.0, 2: 1900.0, 4: 3000.0, 8: 3000.0}, 40
    claimed = 0
    for _ in range(studies):
        made = [each for name in "AB" for each in closed(random, means, 0.02, 5, system=name)]
        claimed += bool(claims(result_of(analyse(made))))
    assert claimed <= 5, "5 % of 40 is 2; more than 5 come by chance in 1 % of such tests"


def test_table_and_observation_give_one_answer() -> None:
    random = np.random.default_rng(21)
    for factor in (1.0, 1.02, 1.06):
        made = [
            *closed(random, {1: 1000.0, 2: 1900.0}, 0.01, 5, system="A"),
            *closed(random, {1: 1000.0 * factor, 2: 1900.0 * factor}, 0.01, 5, system="B"),
        ]
        result = result_of(analyse(made))
        decided = [ratio for ratio in result.ratios if ratio.decides]
        for word in ("faster", "slower"):
            count = sum(ratio.answer == word for ratio in decided)
            found = [each for each in result.observations if each.rule == word]
            assert [each.figure("loads") for each in found] == ([count] if count else [])
            assert all(each.figure("loads_compared") == 2 for each in found)


def test_stored_runs_carry_the_noise_between_sessions() -> None:
    random = np.random.default_rng(5)
    a, b = (
        [*closed(random, {1: mean}, 0.003, 5, system=name, run=name)]
        for name, mean in (("A", 1000.0), ("B", 1040.0))
    )
    (assumed,) = (ratio for ratio in two(a, b).ratios if ratio.decides)
    assert (assumed.answer, assumed.session_noise_percent) == ("cannot tell", pytest.approx(4.0))
    assert assumed.session_noise_is_assumed
    alike = [*closed(random, {1: 1000.0}, 0.0003, 100, system="B", run="B")]
    base = [*closed(random, {1: 1000.0}, 0.0003, 100, system="A", run="A")]
    pair = two(base, alike, Terms(slower_margin=0.05))
    (answer,) = {ratio.not_slower.answer for ratio in pair.ratios if ratio.decides and ratio.not_slower}
    assert answer == "cannot tell", "100 repeats do not show a pipeline that it is not slower by 5 %"
    faster = [*closed(random, {1: 1500.0}, 0.003, 5, system="B", run="B")]
    claim = observation(two(a, faster), "faster")
    assert claim.part("system").text == "B", "what is assumed hides no large difference"
    assert reason(claim, "session-noise-assumed").figure("noise_percent") == pytest.approx(4)
    known = machine_noise(0.03)
    result = two(a, b, Terms(noise={"": known}))
    (ratio,) = (ratio for ratio in result.ratios if ratio.decides)
    assert (ratio.answer, ratio.session_noise_percent) == ("cannot tell", pytest.approx(3.0))
    assert not ratio.session_noise_is_assumed
    assert "session-noise-assumed" not in all_rules(result.observations)
    (note,) = (each for each in result.findings if each.rule == "measured-one-after-the-other")
    assert note.figure("noise_percent") == pytest.approx(3)
    measured = reason(note, "noise-measured")
    assert (measured.figure("sessions"), measured.part("workload").text) == (6, "oltp")
    side_by_side = result_of(
        analyse(
            [
                *closed(random, {1: 1000.0}, 0.003, 5, system="A"),
                *closed(random, {1: 1040.0}, 0.003, 5, system="B"),
            ]
        ),
        terms=Terms(noise={"": known}),
    )
    assert {ratio.answer for ratio in side_by_side.ratios if ratio.decides} == {"faster"}
    assert observation(side_by_side, "faster").part("system").text == "B"


# 80 studies of 8 levels: 25 s each. The pipeline's scenario of a search without a peak stays.
@pytest.mark.slow
@pytest.mark.parametrize("noise", [0.02, 0.05])
def test_the_interval_of_a_sweeps_peak_allows_for_the_choice(noise: float) -> None:
    """Eight levels that do the same: the interval of the lowest holds the truth in 0.96 of studies, and its
    level's own in 0.94."""
    random = np.random.default_rng(9)
    studies, held, held_by_level = 80, 0, 0
    for _ in range(studies):
        means = dict.fromkeys((1, 2, 4, 8, 16, 32, 64, 128), 4000.0)
        (system,) = analyse([*closed(random, means, noise, 5)])
        assert system.peak is not None
        (level,) = (each for each in system.levels if each.level == system.peak.level)
        assert system.peak.throughput_per_s.value == level.throughput_per_s.value
        held += holds(system.peak.throughput_per_s, 4000)
        held_by_level += holds(level.throughput_per_s, 4000)
    assert held >= max(held_by_level, 0.93 * studies)


def holds(estimate: Figure, truth: float) -> bool:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low <= truth <= estimate.high
