"""Curves along the number of targets, response-time limits, and systems that are compared in pairs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from igen.judge import analyse, result_of
from igen.judge.compare.compare import pairs_of
from igen.judge.curve.scaling import scaling_observations
from igen.judge.intent import Intent
from igen.judge.record.recording import Recording
from igen.judge.record.reference import Reference
from igen.judge.result import System
from tests.judge.scaled import scaling_study
from tests.judge.synthetic import recording
from tests.said import observation


def test_the_instances_make_one_curve_of_their_own() -> None:
    vertical, horizontal = scaling_study({1: 5, 2: 6, 3: 8})
    assert (vertical.name, horizontal.name) == ("A, vertical, one instance", "A, horizontal")
    assert [level.users for level in vertical.levels] == [50, 100]
    assert [(level.instances, level.users) for level in horizontal.levels] == [(1, 50), (2, 100), (3, 150)]
    assert vertical.peak is not None
    assert (vertical.peak.users, vertical.peak.confirmed, vertical.scaling) == (100, True, [])
    assert (horizontal.peak, horizontal.sweet_spot, horizontal.knee) == (None, None, None)


def test_a_search_that_came_to_no_instances_keeps_its_name() -> None:
    (system,) = scaling_study({})
    assert system.name == "A"


def test_efficiency_is_throughput_over_that_of_one_times_their_number() -> None:
    _, horizontal = scaling_study({1: 5, 2: 6, 4: 200}, done={4: 0.8})
    assert [each.instances for each in horizontal.scaling] == [1, 2, 4]
    values = [each.efficiency.value for each in horizontal.scaling]
    assert values == [1.0, pytest.approx(1.0, rel=1e-6), pytest.approx(0.8, rel=1e-6)]
    four = horizontal.scaling[2].efficiency
    assert four.low is not None
    assert four.low <= 0.8 <= (four.high or 0)
    assert horizontal.levels[2].trust.verdict == "INVALID"


def test_the_observations_have_throughput_statements_and_the_limit() -> None:
    _, horizontal = scaling_study({1: 5, 2: 20, 4: 95})
    scaling, within, *_ = horizontal.observations
    assert (scaling.rule, scaling.part("system").text) == ("scaling", "A, horizontal")
    assert scaling.figure("instances") == 4
    assert scaling.figure("throughput_per_s") == pytest.approx(2000, rel=1e-3)
    assert scaling.figure("statements_per_s") == pytest.approx(12_000, rel=1e-3)
    efficiency = scaling.part("efficiency")
    assert (efficiency.figure, efficiency.span) == (
        pytest.approx(1, abs=0.005),
        (pytest.approx(1, abs=0.005), pytest.approx(1, abs=0.005)),
    )
    assert (within.rule, within.limit, within.unit) == ("instances-within-limit", 30, "ms")
    assert within.figure("instances") == 2
    (beyond,) = within.because
    assert (beyond.rule, beyond.figure("instances")) == ("more-instances-beyond", 4)
    assert beyond.figure("response_time_ms") == pytest.approx(95.5, abs=1.5)
    alone = replace(horizontal, levels=horizontal.levels[:1])
    first = next(scaling_observations(alone))
    assert (first.figure("instances"), first.figure("throughput_per_s")) == (1, pytest.approx(500, rel=1e-3))


def test_the_limit_names_the_highest_load_within_it() -> None:
    _, horizontal = scaling_study({1: 5, 2: 20, 3: 29.9, 4: 95})
    assert horizontal.within_limit is not None
    # The mean of three instances is within the limit, its interval is not.
    (beyond,) = observation(horizontal, "instances-within-limit").because
    assert (beyond.rule, beyond.figure("instances")) == ("interval-crosses-limit", 3)
    assert horizontal.within_limit.instances == 2
    assert horizontal.within_limit.findings == []


@pytest.mark.parametrize(
    ("means_ms", "rules"),
    [
        ({1: 5, 2: 6}, ["limit-may-lie-beyond"]),
        ({1: 40, 2: 6}, ["limit-may-lie-beyond", "lower-load-above-limit"]),
    ],
)
def test_a_point_within_the_limit_says_what_is_doubtful(means_ms: dict[int, float], rules: list[str]) -> None:
    _, horizontal = scaling_study(means_ms)
    assert horizontal.within_limit is not None
    assert [each.rule for each in horizontal.within_limit.findings] == rules


def test_without_a_load_within_the_limit_a_finding_says_so() -> None:
    _, horizontal = scaling_study({1: 50, 2: 60})
    assert horizontal.within_limit is None
    why = horizontal.unnamed["within limit"]
    assert (why.rule, why.limit, why.unit) == ("no-load-surely-below", 30, "ms")
    _, unlimited = scaling_study({1: 50}, limit_ms=None)
    assert (unlimited.within_limit, unlimited.response_time_limit_ms) == (None, None)
    assert "within limit" not in unlimited.unnamed


def test_means_below_the_limit_that_are_not_surely_so_are_not_said_to_lie_above_it() -> None:
    _, horizontal = scaling_study({1: 29.7, 2: 29.8})
    assert horizontal.within_limit is None
    of_limit = [each for each in horizontal.observations if "limit" in each.rule]
    assert [(each.rule, [why.rule for why in each.because]) for each in of_limit] == [
        ("no-load-within-limit", ["no-load-surely-below"])
    ]


def systems(against: dict[str, str]) -> list[System]:
    made = [
        recording(
            [1000 + 100 * place] * 10,
            system=name,
            level=place,
            repeat=repeat,
            job={"params": {"of": name}},
        )
        for place, name in enumerate("ABCD")
        for repeat in range(3)
    ]
    return analyse(made, intent=Intent(against=against))


def pairs(of: list[System]) -> list[tuple[str, str]]:
    return [(system.name, base.name) for base, system in pairs_of(of)]


def test_every_system_is_compared_with_the_first_unless_it_names_another() -> None:
    assert pairs(systems({})) == [("B", "A"), ("C", "A"), ("D", "A")]
    assert pairs(systems({"D": "B"})) == [("C", "A"), ("D", "B")]


def test_systems_pair_off_and_bases_have_no_ratio() -> None:
    found = systems({"B": "A", "D": "C"})
    result = result_of(found)
    assert pairs(found) == [("B", "A"), ("D", "C")]
    ratios = [(ratio.system, ratio.base) for ratio in result.ratios if ratio.decides]
    assert ratios == [("B", "A"), ("D", "C")]
    assert [(each.kind, each.name, each.system, each.base) for each in result.differences] == [
        ("parameter", "of", "B", "A"),
        ("parameter", "of", "D", "C"),
    ]
    assert all((each.of_system, each.of_base) == (each.system, each.base) for each in result.differences)


def test_values_of_an_axis_are_compared_with_their_like() -> None:
    made = [
        recording([1000] * 10, system=name, level=2 * place + value, job={"params": {"cache": value}})
        for place, name in enumerate("AB")
        for value in (0, 1)
    ]
    found = analyse(made, intent=Intent(against={"B": "A"}))
    assert [system.name for system in found] == ["A (cache=0)", "A (cache=1)", "B (cache=0)", "B (cache=1)"]
    assert pairs(found) == [("B (cache=0)", "A (cache=0)"), ("B (cache=1)", "A (cache=1)")]


def test_instances_are_compared_with_instances() -> None:
    first, second = scaling_study({1: 5, 2: 6}), scaling_study({1: 5, 2: 7})
    assert pairs([*first, *second]) == [(first[0].name, first[0].name), (first[1].name, first[1].name)]


def test_the_intent_is_read_from_the_study_as_stored() -> None:
    stored = {
        "response_time_limit": "30ms",
        "systems": [{"name": "a", "against": ""}, {"name": "b", "against": "a"}],
    }
    published = Reference(text="725 tx/s")
    intent = Intent.of(stored, published)
    assert (intent.response_time_limit_ms, intent.against, intent.reference) == (30.0, {"b": "a"}, published)
    assert Intent.of({}, Reference()) == Intent()
    assert Intent.of({"response_time_limit": 0.03}, Reference()).response_time_limit_ms == pytest.approx(30)


def test_targets_alone_are_named_by_their_target_beside_the_curve_of_them_together() -> None:
    def on(*targets: str, purpose: str, level: int) -> Recording:
        return recording(
            [1000] * 10, users=len(targets), level=level, purpose=purpose, job={"targets": [*targets]}
        )

    runs = [
        on("file:///a", purpose="sweep", level=0),
        on("file:///b", purpose="sweep", level=1),
        on("file:///a", purpose="scale", level=2),
        on("file:///a", "file:///b", purpose="scale", level=3),
    ]
    assert [system.name for system in analyse(runs)] == [
        "A, alone (targets=file:///a)",
        "A, alone (targets=file:///b)",
        "A, horizontal",
    ]
