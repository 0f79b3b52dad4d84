"""Throughput and times have a verdict each, and what is made of one asks for that one."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from igen.judge import analyse, result_of
from igen.judge.curve.observations import observations_of
from igen.judge.curve.points import choosing_runs, named_points, peak_of, sweet_spot_of, within_limit_of
from igen.judge.record.recording import Recording
from igen.judge.result import Figure, Level, System
from igen.judge.trust.rules import Verdict
from igen.judge.trust.trust import Trust
from igen.judge.trust.usable import usable, usable_times
from igen.study.reached import reached_by
from tests.judge.synthetic import one_system
from tests.judge.test_analyse import curve
from tests.said import headline

MEANS = {1: 1000, 2: 2000, 4: 2100, 8: 2500}
LIMIT_MS = 1e6


def without_throughput(level: Level) -> Level:
    """As others on the machine leave it: its times may stand."""
    return replace(level, trust=Trust(throughput="INVALID"))


def without_times(level: Level) -> Level:
    """As late wake-ups leave it: its throughput may stand."""
    return replace(level, trust=Trust(times="INVALID"))


@pytest.fixture(scope="module")
def system() -> System:
    return one_system(curve(MEANS, runs=3))


def test_no_peak_is_made_of_a_throughput_that_is_invalid(system: System) -> None:
    levels = [*system.levels[:3], without_throughput(system.levels[3])]
    assert [level.users for level in usable(levels)] == [1, 2, 4]
    peak = peak_of(levels)
    assert peak is not None
    assert (peak.users, peak.alike_levels) == (2, [2])
    without = [levels[0], without_throughput(levels[1]), *levels[2:]]
    highest = peak_of(without)
    assert highest is not None
    assert highest.users == 4
    assert "higher-loads-invalid" in [each.rule for each in highest.findings]
    spot, _ = sweet_spot_of(without, highest)
    assert spot is None or spot.users == 4


def test_a_peak_of_one_run_is_told_as_it_was(system: System) -> None:
    *lower, top = system.levels
    told = Figure(value=top.repeats[-1].throughput_per_s)
    peak = peak_of([*lower, replace(top, repeats=top.repeats[-1:], throughput_per_s=told)])
    assert peak is not None
    assert (peak.users, peak.throughput_per_s) == (8, told)
    assert "one-run-flatters" in [each.rule for each in peak.findings]


def test_times_that_are_invalid_spoil_no_peak_and_no_limit_rests_on_them(system: System) -> None:
    levels = [*system.levels[:3], without_times(system.levels[3])]
    points = named_points(levels, "closed", LIMIT_MS)
    assert points.peak is not None
    assert (points.peak.users, points.peak.response_time_ms) == (8, None)
    assert points.within_limit is not None
    assert points.within_limit.users == 4
    assert "next-load-invalid" in [each.rule for each in points.within_limit.findings]
    assert points.knee is None or points.knee.users != 8
    found = observations_of(replace(system, levels=levels, peak=points.peak))
    assert not {each.rule for each in found} & {"falls-beyond-peak", "waits-beyond-peak"}


def test_a_limit_needs_no_throughput(system: System) -> None:
    levels = [*system.levels[:3], without_throughput(system.levels[3])]
    assert [level.users for level in usable_times(levels)] == [1, 2, 4, 8]
    within = within_limit_of(levels, LIMIT_MS)
    assert within is not None
    assert within.users == 8
    assert "throughput-invalid" in [each.rule for each in within.findings]


def test_runs_that_choose_are_those_whose_throughput_stands(system: System) -> None:
    (level, *_) = system.levels
    choosing = [replace(run, purpose="choose") for run in level.repeats]
    choosing[0] = replace(choosing[0], trust=Trust(throughput="INVALID"))
    choosing[1] = replace(choosing[1], trust=Trust(times="INVALID"))
    assert [run.repeat for run in choosing_runs(replace(level, repeats=choosing))] == [1, 2]


def test_an_order_is_told_the_figures_that_stand(system: System) -> None:
    (level, *_) = system.levels
    one = replace(level, repeats=level.repeats[:1])
    assert reached_by(Recording(), without_throughput(one)).throughput_per_s is None
    assert reached_by(Recording(), without_throughput(one)).response_ms is not None
    assert reached_by(Recording(), without_times(one)).throughput_per_s is not None
    assert reached_by(Recording(), without_times(one)).response_ms is None


def test_the_headline_of_an_open_load_is_of_times_that_stand() -> None:
    from tests.judge.test_claims import open_load

    made = [
        each
        for level, rate in enumerate((50, 100))
        for each in open_load(rate, [4.0, 4.1, 3.9], level=level, system="A", run="A")
    ]
    (open_system,) = analyse(made)
    levels = [open_system.levels[0], without_times(open_system.levels[1])]
    (text, *_) = headline(result_of([replace(open_system, levels=levels)]))
    assert "at 50/s" in text


@pytest.mark.parametrize(
    ("throughput", "times", "whole"),
    [
        ("VALID", "VALID", "VALID"),
        ("VALID", "SUSPECT", "SUSPECT"),
        ("INVALID", "VALID", "SUSPECT"),
        ("SUSPECT", "INVALID", "SUSPECT"),
        ("INVALID", "INVALID", "INVALID"),
    ],
)
def test_the_verdict_of_the_whole_follows_from_both(throughput: Verdict, times: Verdict, whole: str) -> None:
    trust = Trust(throughput=throughput, times=times)
    assert trust.verdict == whole
    assert msgspec.to_builtins(trust)["verdict"] == whole, "scripts read it in the JSON"
    assert replace(trust, throughput="VALID", times="VALID").verdict == "VALID"
