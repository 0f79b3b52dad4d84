"""Repeats that were counted by looking at them: every interval of such a system holds at every look."""

from __future__ import annotations

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.curve.points import ratio_to
from igen.judge.intent import Intent
from igen.judge.result import System
from igen.report.method import LOOKED_METHOD, method
from tests.judge.synthetic import recording
from tests.judge.test_claims import closed
from tests.said import observation

MEANS = {1: 1000.0, 2: 2000.0, 4: 2000.0}


def swept(*, looked: bool, runs: int = 6) -> System:
    random = np.random.default_rng(4)
    (system,) = analyse(closed(random, MEANS, 0.01, runs), intent=Intent(looked=looked))
    return system


def test_the_peak_of_a_sweep_has_a_sequence_for_its_interval() -> None:
    """Its lower end holds for all levels at once among which noise may have chosen."""
    system, fixed = swept(looked=True), swept(looked=False)
    assert system.peak is not None
    assert fixed.peak is not None
    peak, of_fixed = system.peak.throughput_per_s, fixed.peak.throughput_per_s
    (level,) = (each for each in system.levels if each.level == system.peak.level)
    assert (peak.value, peak.high) == (level.throughput_per_s.value, level.throughput_per_s.high)
    assert system.peak.chosen_among == 2
    assert peak.low is not None
    assert of_fixed.low is not None
    assert level.throughput_per_s.low is not None
    assert peak.low < level.throughput_per_s.low
    assert peak.low < of_fixed.low


def test_ratios_within_it_are_sequences_too() -> None:
    system = swept(looked=True)
    lower, top = system.levels[1:]
    ratio, fixed = ratio_to(lower, top, looked=True), ratio_to(lower, top)
    assert ratio.value == pytest.approx(fixed.value)
    assert ratio.low is not None
    assert fixed.low is not None
    assert ratio.low < fixed.low
    grows = observation(system, "growth")
    assert (grows.part("test").text, grows.figure("runs")) == ("paired confidence sequence", 6)
    grows = observation(swept(looked=False), "growth")
    assert (grows.part("test").text, grows.figure("runs")) == ("paired log-t", 6)


def test_two_runs_are_called_two() -> None:
    runs = [recording([1000 + 10 * repeat] * 10, repeat=repeat) for repeat in range(2)]
    (system,) = analyse(runs, intent=Intent(looked=True))
    found = observation(system, "single-load")
    assert (found.figure("runs"), found.part("throughput_per_s").span) == (2, None)


def test_the_report_says_which_intervals_they_are() -> None:
    terms = {looked: dict(method(result_of([swept(looked=looked)]))) for looked in (True, False)}
    assert "Student's t on the logarithms" in terms[False]["Interval"]
    assert terms[True]["Interval"] == LOOKED_METHOD[1]
    assert "confidence sequence" in terms[True]["Interval"]
    assert terms[True].keys() == terms[False].keys()
