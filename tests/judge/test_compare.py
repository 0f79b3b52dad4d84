from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.compare.compare import Comparison, compare
from igen.judge.compare.differences import NOT_SET, UNKNOWN
from igen.judge.compare.terms import Terms
from igen.judge.figure.interval import geometric_mean
from igen.judge.intent import Intent
from igen.judge.record.reference import Reference
from igen.judge.result import Ratio, System
from tests.judge.synthetic import machine_noise, one_system, recording, snapshot, statistics
from tests.judge.test_analyse import curve
from tests.said import CLAIMS, observed, texts_of

MEANS = {1: 1000, 2: 1900, 4: 3500}
FASTER = {1: 1001, 2: 2300, 4: 4300}
FASTER_AT_FIRST = {1: 1001, 2: 4300, 4: 3500}


def system(name: str, means: dict[int, int] | None = None, seed: int = 1, **rest: Any) -> System:
    """Runs of `name` after those of all other names."""
    made = curve(means or MEANS, seed=seed, system=name, run=name, **rest)
    for each in made:
        each.started_unix_s += 10_000 * ord(name[0])
    return one_system(made)


def decided(found: Comparison) -> list[Ratio]:
    """The ratios by which the loads are decided."""
    return [ratio for ratio in found.ratios if ratio.decides]


def differences(found: Comparison) -> list[tuple[str, str, str, str]]:
    """Kind, name, and the values of the system and of its base."""
    return [(each.kind, each.name, each.of_system, each.of_base) for each in found.differences]


def noted(found: Comparison) -> list[str]:
    """The rules of the notes on a comparison."""
    return [each.rule for each in found.findings]


def test_the_ratio_at_each_common_load() -> None:
    found = compare([system("A"), system("B", FASTER | {8: 5000}, seed=2, runs=5)])
    ratios = decided(found)
    assert [ratio.users for ratio in ratios] == [1, 2, 4]
    assert ratios[0].answer not in ("faster", "slower")
    assert [ratio.answer for ratio in ratios[1:]] == ["faster", "faster"]
    two = ratios[1]
    assert (two.system, two.base, two.quantity) == ("B", "A", "throughput")
    assert (two.ratio.n, two.method) == (3, "log-Welch")
    assert two.ratio.value == pytest.approx(2300 / 1900, rel=0.03)
    assert len(two.run_ratios) == 5, "each run of B to the mean of A's three"
    assert geometric_mean(two.run_ratios) == pytest.approx(two.ratio.value)
    (mean,) = (each for each in found.ratios if each.users == 2 and each.quantity == "mean response time")
    assert mean.ratio.value == pytest.approx(1900 / 2300, rel=0.03)
    assert (mean.restates_throughput, mean.answer, mean.p) == (True, "faster", two.p)
    assert {each.questions for each in found.ratios} == {4}, (
        "three loads and all together; p99 needs five runs"
    )
    reverse = compare([system("B", FASTER), system("A")])
    assert [ratio.answer for ratio in decided(reverse)][1:] == ["slower"] * 2


def test_one_system_is_no_comparison() -> None:
    assert compare([system("A")]) == Comparison()
    assert compare([]) == Comparison()


def test_three_systems_share_the_base() -> None:
    found = compare([system("A"), system("B", FASTER, seed=2), system("C", seed=3)])
    assert {(ratio.system, ratio.base) for ratio in found.ratios} == {("B", "A"), ("C", "A")}


def test_two_runs_are_too_few_for_an_interval() -> None:
    (ratio, *_) = compare([system("A", runs=2), system("B", FASTER, seed=2, runs=5)]).ratios
    assert (ratio.answer, ratio.ratio.low, ratio.p) == ("cannot tell", None, None)
    (why,) = ratio.findings
    assert (why.rule, why.figure("runs"), why.limit) == ("no-interval", 2, 3)


def test_an_invalid_level_has_no_verdict() -> None:
    made = curve(MEANS, system="B")
    for each in made[:3]:
        each.outcome = "failed"
    (ratio, *_) = compare([system("A"), one_system(made)]).ratios
    assert ratio.answer == "cannot tell"
    assert ratio.findings[0].rule == "level-invalid"


def test_a_level_without_transactions_has_no_ratio() -> None:
    silent = one_system([recording([0] * 10, system="B", level=7), *curve({2: 1900}, system="B")])
    found = compare([system("A"), silent])
    assert 1 not in [ratio.users for ratio in found.ratios]
    assert [texts_of(each, "load") for each in found.findings if each.rule == "loads-without-work"] == [
        ["1 user"]
    ]


def test_interleaved_runs_are_paired() -> None:
    """A B B A A B under a drift of 12 %: only pairs see the 5 %."""
    random = np.random.default_rng(4)
    systems = []
    for name, factor, places in (("A", 1.0, (0, 3, 4, 7)), ("B", 1.05, (1, 2, 5, 6))):
        speeds = [
            1000 * factor * (1 + 0.02 * place) * (1 + 0.004 * random.standard_normal()) for place in places
        ]
        runs = [
            recording([round(speed)] * 10, system=name, repeat=i, started_unix_s=float(place))
            for i, (speed, place) in enumerate(zip(speeds, places, strict=True))
        ]
        systems.append(one_system(runs))
    (ratio,) = decided(compare(systems))
    assert (ratio.method, ratio.answer) == ("paired log-t", "faster")
    assert ratio.ratio.value == pytest.approx(1.05, abs=0.01)
    assert len(ratio.run_ratios) == 4, "each pair"
    assert geometric_mean(ratio.run_ratios) == pytest.approx(ratio.ratio.value)
    assert "measured-one-after-the-other" not in noted(compare(systems))


def test_runs_one_after_the_other_share_the_drift() -> None:
    found = compare([system("A"), system("B", seed=2), system("C", seed=3)])
    (note,) = found.findings
    assert note.rule == "measured-one-after-the-other"
    assert [each.rule for each in note.because] == ["noise-assumed"]


@pytest.mark.parametrize(("compared", "ratios"), [(True, 1), (False, 0)])
def test_a_study_may_want_no_ratios(compared: bool, ratios: int) -> None:
    study = {"compare": compared, "systems": [{"name": "A"}, {"name": "B"}]}
    runs = [recording(system=name, repeat=repeat) for name in "AB" for repeat in range(2)]
    result = result_of(analyse(runs, intent=Intent.of(study, Reference())))
    assert len([ratio for ratio in result.ratios if ratio.decides]) == ratios


def test_versions_of_a_workload_are_different_workloads() -> None:
    systems = [system(name, facts={"workload.version": number}) for number, name in enumerate("AB", 1)]
    found = compare(systems)
    assert found.ratios == []
    (note,) = found.findings
    assert (note.rule, texts_of(note, "version"), note.part("workload").text) == (
        "other-version",
        ["2", "1"],
        "oltp",
    )


def test_the_whole_job_and_igen_itself_are_compared() -> None:
    job = {"phases": {"measure_s": 10.0}, "placement": {"thread": {"pin": False}}, "seed": 42}
    other = {"phases": {"measure_s": 5.0}, "placement": {"thread": {"pin": True}}, "seed": 42}
    of_one_execution = {"repeat": 3, "steps": ["measure"], "pids": [1], "force": True}
    a = system("A", job=job, version="0.1.0")
    b = system("B", job=other | of_one_execution, version="0.2.0")
    found = compare([a, b])
    assert {(each.system, each.base) for each in found.differences} == {("B", "A")}
    assert differences(found) == [
        ("setting", "phases.measure_s", "5.0", "10.0"),
        ("setting", "placement.thread.pin", "true", "false"),
        ("setting", "iGen", "0.2.0", "0.1.0"),
    ]


def stepped(counts: dict[int, tuple[int, int]], side: int, step: float) -> System:
    """One of the two systems, each after the other: five repeats of each load, a step apart."""
    name = "AB"[side]
    return one_system(
        recording(
            [round(both[side] * (1 + place * step))] * 10,
            users=users,
            level=users,
            repeat=repeat,
            system=name,
            run=name,
            started_unix_s=1000.0 * side + repeat,
        )
        for users, both in counts.items()
        for repeat, place in enumerate((-2, -1, 0, 1, 2))
    )


def test_a_table_and_its_observation_do_not_contradict_each_other() -> None:
    """0.75 % at one of three loads: p = 0.04 alone, 0.1 among three."""
    counts = {1: (1000, 1000), 2: (2000, 2000), 4: (4000, 4030)}

    terms = Terms(noise={"": machine_noise(0.0001)})
    found = compare([stepped(counts, side, 0.003) for side in (0, 1)], terms=terms)
    assert [ratio.answer for ratio in decided(found)] == ["equivalent"] * 3
    (alike,) = (each for each in found.observations if each.rule == "equivalent")
    assert [alike.figure(name) for name in ("margin_percent", "loads", "loads_compared")] == [3, 3, 3]
    assert not {*observed(found)} & CLAIMS


def test_the_interval_is_the_one_that_the_answer_used() -> None:
    """8 % at one of three loads: p = 0.03 alone, no less than chance among all questions."""
    counts = {1: (1000, 1000), 2: (2000, 2000), 4: (4000, 4320)}

    terms = Terms(noise={"": machine_noise(0.0001)})
    *_, last = decided(compare([stepped(counts, side, 0.03) for side in (0, 1)], terms=terms))
    assert last.ratio.low is not None
    assert last.ratio.low < 1
    assert last.error is not None
    assert last.ratio.level == 1 - last.error
    assert last.ratio.at_error(0.05).low > 1, "its own 95 % interval leaves out 1"
    assert (last.answer, last.users) == ("cannot tell", 4)
    assert last.p is not None
    assert last.p >= 0.05
    assert not last.is_left_open
    disturbed = replace(last, ratio=replace(last.ratio, low=1.001))
    assert disturbed.is_left_open, "then disturbance may be the whole difference"
    assert not replace(disturbed, answer="faster").is_left_open


def test_a_setting_of_the_kernel_that_differs_is_named_and_the_hash_over_all_is_not() -> None:
    facts = {"tunables.vm.swappiness": 60, "tunables.hash": "1"}
    other = {"tunables.vm.swappiness": 10, "tunables.hash": "2"}
    a = system("A", facts=facts)
    found = compare([a, system("B", facts=other)])
    assert differences(found) == [("fact", "tunables.vm.swappiness", "10", "60")]
    assert not compare([a, system("B", facts={})]).differences, "an older agent"


def test_what_differs_is_listed_and_more_than_one_factor_warned_of() -> None:
    facts = {"cpu.model": "old", "kernel.version": "6.1", "engine.clock_drift_ppm": 1.0}
    a = system("A", facts=facts)
    other = facts | {"cpu.model": "new", "engine.clock_drift_ppm": 2.0}
    one = system("B", facts=other)
    assert differences(compare([a, one])) == [("fact", "cpu.model", "new", "old")]
    assert "several-factors" not in noted(compare([a, one]))
    job = {"params": {"customers": 10}, "targets": ["sqlite:///other.db"]}
    two = compare([a, system("B", facts={"cpu.model": "old"}, job=job)])
    assert differences(two) == [
        ("setting", "target", '["sqlite:///other.db"]', '["sqlite:///shop.db"]'),
        ("parameter", "customers", "10", NOT_SET),
        ("fact", "kernel.version", UNKNOWN, "6.1"),
    ]
    assert [each.figure("factors") for each in two.findings if each.rule == "several-factors"] == [3]


def test_nothing_in_common_is_told() -> None:
    assert "nothing-in-common" in noted(compare([system("A"), system("B", {3: 100})]))
    other = compare([system("A"), system("B", job={"workload": "cpu"})])
    assert [texts_of(each, "workload") for each in other.findings] == [["cpu", "oltp"]]
    assert noted(other) == ["other-workload"]
    assert other.ratios == []


def test_statements_about_pairs() -> None:
    base, better = system("A", runs=5), system("B", FASTER_AT_FIRST, seed=2, runs=5)
    overall, faster, *_ = compare([base, better]).observations
    assert (overall.rule, overall.figure("loads"), overall.figure("repeats")) == ("faster-overall", 3, 5)
    assert (overall.part("system").text, overall.part("base").text) == ("B", "A")
    assert overall.figure("ratio") == pytest.approx((4300 / 1900) ** (1 / 3), abs=0.03)
    assert overall.part("ratio").level == pytest.approx(0.97)
    assert (faster.rule, faster.part("system").text, faster.part("base").text) == ("faster", "B", "A")
    assert (faster.figure("loads"), faster.figure("loads_compared")) == (1, 3)
    assert faster.figure("ratio") == pytest.approx(4300 / 1900, abs=0.05)
    assert not {*observed(compare([base, system("C", seed=7, runs=5)]))} & CLAIMS
    (of_all,) = compare([base, better]).overall
    assert (of_all.answer, of_all.questions) == ("faster", 10), (
        "throughput, p99 and p99.9 at three loads, and all together"
    )
    assert compare([system("A", runs=2), system("B", FASTER, runs=2)]).observations == []


def test_the_document_of_two() -> None:
    result = result_of([system("A"), system("B", FASTER, seed=2)])
    assert result.title == "A against B"
    assert len([ratio for ratio in result.ratios if ratio.decides]) == 3
    assert {each.scope for each in result.observations} == {"comparison"}
    assert {each.scope for system in result.systems for each in system.observations} == {"system"}


@pytest.mark.parametrize(("busy", "restates"), [(1.0, True), (0.3, False)])
def test_the_mean_time_of_users_who_think_on_their_own_is_a_claim_of_its_own(
    busy: float, restates: bool
) -> None:
    def of(name: str, per_s: int) -> System:
        runs = [
            recording(
                users=2,
                repeat=repeat,
                system=name,
                run=name,
                snapshots=[
                    snapshot(second, statistics(per_s + repeat, busy * 2e3 / (per_s + repeat)), users=2)
                    for second in range(10)
                ],
            )
            for repeat in range(3)
        ]
        return one_system(runs)

    found = compare([of("A", 1000), of("B", 1500)])
    (mean,) = (each for each in found.ratios if each.quantity == "mean response time")
    assert mean.restates_throughput == restates
