"""Thresholds: what an expression means, and what it says of levels whose figures are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from igen.errors import InputError
from igen.judge import result_of
from igen.judge.compare.threshold import parse_threshold
from igen.judge.compare.threshold_answers import threshold_answers
from igen.judge.result import Level, System, ThresholdAnswer
from igen.judge.trust.disturbance import Bound, Disturbance
from igen.judge.trust.finding import finding
from igen.judge.trust.trust import Trust
from igen.report.checks import threshold_checks
from igen.report.thresholds import thresholds_table
from tests.judge import test_personas as personas
from tests.judge.synthetic import one_system, recording, snapshot, statistics

AROUND_1000 = (990, 1000, 1010)
"""Transactions a second of three runs: 1,000, with an interval of 975 to 1,025."""


def system(*levels: Sequence[int]) -> System:
    """Levels of 1, 2, ... users, each with a run for each of its throughputs."""
    return one_system(
        recording([per_s] * 10, users=number + 1, level=number, repeat=repeat)
        for number, runs in enumerate(levels)
        for repeat, per_s in enumerate(runs)
    )


def only(expression: str, of: System, *, looked: bool = False) -> ThresholdAnswer:
    """The answer at the only level that the expression is asked of."""
    (found,) = threshold_answers([parse_threshold(expression)], [of], looked=looked)
    return found


def with_level(of: System, **changes: object) -> System:
    """The system with its only level changed."""
    (level,) = of.levels
    return replace(of, levels=[replace(level, **changes)])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "name", "limit", "unit", "above", "load"),
    [
        ("p99 of response > 20ms", "p99 of response", 20.0, "ms", True, (None, None)),
        ("  p99  of response time>20ms ", "p99 of response", 20.0, "ms", True, (None, None)),
        ("p99.9 of service > 1.5s at 8 users", "p99.9 of service", 1500.0, "ms", True, (8, None)),
        ("mean of response > 250us at 1 user", "mean of response", 0.25, "ms", True, (1, None)),
        ("throughput < 1_000/s", "throughput", 1000.0, "per s", False, (None, None)),
        ("throughput < 600/min at 100/s", "throughput", 10.0, "per s", False, (None, 100.0)),
        ("errors > 0", "errors", 0.0, "count", True, (None, None)),
        ("errors > 1.5%", "errors", 0.015, "share", True, (None, None)),
    ],
)
def test_an_expression_says_figure_limit_and_load(
    text: str, name: str, limit: float, unit: str, above: bool, load: tuple[int | None, float | None]
) -> None:
    found = parse_threshold(text)
    assert (found.name, found.limit, found.unit) == (name, pytest.approx(limit), unit)
    assert (found.above, (found.users, found.rate_per_s)) == (above, load)
    assert found.text == " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a threshold"),
        ("p99", "not a threshold"),
        ("p99 > 20ms", "`p99` of which times?"),
        ("p99 of respnse > 20ms", "did you mean `p99 of response`?"),
        ("p42 of response > 20ms", "is not a figure of a level"),
        ("speed > 3", "is not a figure of a level"),
        ("> 3", "is not a figure of a level"),
        ("p99 of response > 20", "`20` has no unit"),
        ("p99 of response >", "has no unit"),
        ("p99 of response > 20parsecs", "`parsecs` is not a unit"),
        ("p99 of response > -1ms", "negative"),
        ("p99 of response >= 20ms", "`>=` is neither < nor >"),
        ("p99 of response = 20ms", "`=` is neither < nor >"),
        ("throughput < 1000", "`1000` has no unit"),
        ("throughput < 20ms", "is not a unit"),
        ("errors > few", "not a number of errors"),
        ("errors > 0%", "not a number of errors"),
        ("errors > 300%", "not a share"),
        ("errors > " + "9" * 5000, "not a number of errors"),
        ("errors > 0 at noon", "`noon` is not a load"),
        ("errors > 0 at 8", "`8` is not a load"),
    ],
)
def test_a_bad_expression_is_refused_with_a_remedy(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_threshold(text)
    assert said in str(caught.value)
    assert caught.value.hint or "between" in caught.value.text or "negative" in caught.value.text


@pytest.mark.parametrize(
    ("expression", "answer", "fails"),
    [
        ("throughput < 900/s", "held", False),
        ("throughput < 1100/s", "crossed", True),
        ("throughput > 900/s", "crossed", True),
        ("throughput < 995/s", "cannot tell", False),
        ("throughput < 1005/s", "cannot tell", True),
        ("mean of response > 2ms", "held", False),
        ("mean of response > 0.5ms", "crossed", True),
        ("mean of response < 0.5ms", "held", False),
        ("max of response > 0.5ms", "crossed", True),
        ("errors > 0", "held", False),
        ("errors > 1%", "held", False),
    ],
)
def test_an_answer_rests_on_the_interval_and_a_figure_beyond_the_limit_fails(
    expression: str, answer: str, fails: bool
) -> None:
    found = only(expression, system(AROUND_1000))
    assert (found.answer, found.fails) == (answer, fails)
    assert (found.why is not None) == (answer == "cannot tell")


def test_a_figure_that_equals_its_limit_is_not_beyond_it() -> None:
    same = system((1000, 1000, 1000))
    for expression in ("throughput < 1000/s", "throughput > 1000/s"):
        found = only(expression, same)
        assert (found.answer, found.fails) == ("cannot tell", False), "a run counts whole transactions"


@pytest.mark.parametrize(("limit", "fails"), [("900/s", False), ("1100/s", True)])
def test_one_run_has_no_interval_and_its_figure_decides_whether_it_fails(limit: str, fails: bool) -> None:
    found = only(f"throughput < {limit}", system((1000,)))
    assert (found.answer, found.fails) == ("cannot tell", fails)
    assert found.why is not None
    assert (found.why.rule, found.why.figure("runs"), found.why.limit) == ("interval-needs-runs", 1, 2)


def test_what_disturbed_the_machine_is_no_proof() -> None:
    slowed = Disturbance(throughput=Bound(high_percent=20.0), times=Bound(low_percent=-20.0))
    disturbed = with_level(system(AROUND_1000), trust=Trust(disturbance=slowed))
    found = only("throughput < 1100/s", disturbed)
    assert (found.answer, found.fails) == ("cannot tell", True)
    assert found.why is not None
    assert found.why.rule == "disturbance-spans-limit"
    assert only("throughput < 1400/s", disturbed).answer == "crossed", "also without the disturbance"
    assert only("throughput < 900/s", disturbed).answer == "held", "undisturbed it would be faster still"


def test_every_level_is_asked_unless_a_load_is_named() -> None:
    both = system(AROUND_1000, (2000, 2000, 2000))
    everywhere = threshold_answers([parse_threshold("throughput < 1500/s")], [both])
    assert [(each.users, each.answer) for each in everywhere] == [(1, "crossed"), (2, "held")]
    (at_two,) = threshold_answers([parse_threshold("throughput < 1500/s at 2 users")], [both])
    assert (at_two.users, at_two.answer) == (2, "held")


def test_a_rate_names_the_level_of_an_open_load() -> None:
    load = {"open": {"rate_per_s": 100.0, "arrivals": "constant"}}
    of = one_system(recording([100] * 10, load=load, repeat=repeat) for repeat in range(3))
    assert only("mean of response > 1h at 100/s", of).offered_per_s == 100.0
    assert only("mean of response > 1h at 200/s", of).level is None


def test_a_load_that_was_not_measured_fails() -> None:
    found = only("errors > 0 at 8 users", system(AROUND_1000))
    assert (found.level, found.answer, found.fails) == (None, "cannot tell", True)
    assert found.why == finding("load-not-measured", scope="study", users=8)
    none = only("errors > 0", replace(system(AROUND_1000), levels=[]))
    assert none.why == finding("load-not-measured", scope="study")


def invalid(level: Level) -> Level:
    return replace(
        level, trust=Trust(throughput="INVALID", times="INVALID"), findings=[finding("disturbed-beyond-use")]
    )


def test_no_figure_of_an_invalid_level_is_used_and_one_without_any_other_fails() -> None:
    both = system(AROUND_1000, AROUND_1000)
    half = replace(both, levels=[invalid(both.levels[0]), both.levels[1]])
    found = threshold_answers([parse_threshold("mean of response > 1h")], [half])
    assert [(each.answer, each.fails) for each in found] == [("cannot tell", False), ("held", False)]
    assert found[0].why is not None
    assert found[0].why.rule == "level-invalid"
    assert [each.rule for each in found[0].why.because] == ["disturbed-beyond-use"]
    none = replace(both, levels=[*map(invalid, both.levels)])
    found = threshold_answers([parse_threshold("throughput < 1/s")], [none])
    assert [each.fails for each in found] == [True, True], "nothing was judged"
    assert threshold_answers([parse_threshold("errors > 0")], [none])[0].answer == "held", (
        "counted all the same"
    )


def test_errors_are_counted_and_have_a_share() -> None:
    failing = one_system(
        recording(snapshots=[snapshot(i, statistics(990, 1.0, failed=10)) for i in range(10)], repeat=repeat)
        for repeat in range(3)
    )
    assert only("errors > 299", failing).answer == "crossed"
    assert only("errors > 300", failing).answer == "held"
    assert only("errors > 0.9%", failing).answer == "crossed"
    assert only("errors > 1.1%", failing).answer == "held"


def test_other_percentiles_have_an_interval_from_five_runs_on() -> None:
    five = system((980, 990, 1000, 1010, 1020))
    found = only("p95 of response > 1.5ms", five)
    assert found.answer == "held"
    assert found.value is not None
    assert found.value.low is not None
    assert found.value.high is not None
    looked = only("p95 of response > 1.5ms", five, looked=True)
    assert looked.value is not None
    assert looked.value.high is not None
    assert looked.value.high > found.value.high, "it must hold at every look"
    three = only("p95 of response > 1.5ms", system(AROUND_1000))
    assert three.why == finding("interval-needs-runs", scope="level", limit=5, runs=3)
    assert only("p95 of service > 1.5ms", five).why == finding("interval-unknown")
    assert only("p99 of service > 1.5ms", five).answer == "held"


def late(service_ms: float, response_ms: float, runs: int) -> System:
    """An open load whose driver starts every transaction late."""
    load = {"open": {"rate_per_s": 200.0, "arrivals": "constant"}}
    parts = [snapshot(i, statistics(200, service_ms, response_ms)) for i in range(10)]
    return one_system(recording(snapshots=parts, load=load, repeat=repeat) for repeat in range(runs))


@pytest.mark.parametrize(
    ("limit", "answer", "fails"),
    [("0.1ms", "crossed", True), ("0.3ms", "cannot tell", True), ("0.6ms", "held", False)],
)
@pytest.mark.parametrize("figure", ["mean", "p50", "p99"])
def test_a_limit_outside_of_service_and_response_time_is_decided(
    figure: str, limit: str, answer: str, fails: bool
) -> None:
    """0.2 ms of service, 0.4 ms from the intended start: no system is slower because its driver was late."""
    of = late(0.2, 0.4, runs=5)
    found = only(f"{figure} of response > {limit}", of)
    assert (found.answer, found.fails) == (answer, fails)
    assert of.levels[0].trust.times == "SUSPECT", "and never INVALID"


@pytest.mark.parametrize("figure", ["mean", "p50", "p99"])
def test_one_run_decides_a_limit_that_is_far_away_and_none_that_is_near(figure: str) -> None:
    of = late(0.2, 0.4, runs=1)
    assert only(f"{figure} of response > 100ms", of).answer == "held"
    assert only(f"{figure} of response > 0.01ms", of).answer == "crossed"
    near = only(f"{figure} of response > 0.5ms", of)
    assert (near.answer, near.fails) == ("cannot tell", False)


def test_one_run_whose_parts_differ_decides_less() -> None:
    """A p99 of 0.4 ms in most seconds and of 40 ms in some: another run may have one of 40 ms."""
    load = {"open": {"rate_per_s": 200.0, "arrivals": "constant"}}
    parts = [snapshot(i, statistics(200, 40.0 if i % 3 == 0 else 0.4)) for i in range(10)]
    of = one_system([recording(snapshots=parts, load=load)])
    assert only("p50 of response > 4ms", of).answer == "cannot tell"
    assert only("p50 of response > 100s", of).answer == "held"


def test_an_expression_may_be_about_one_of_several_loads() -> None:
    found = parse_threshold("p99 of response time of clerks > 20ms at 5 users")
    assert (found.name, found.of_load, found.users) == ("p99 of response", "clerks", 5)
    assert parse_threshold("throughput of clerks < 5/s").of_load == "clerks"
    with pytest.raises(InputError, match="of which times") as caught:
        parse_threshold("p99 of clerks > 20ms")
    assert "`p99 of response of clerks`" in caught.value.hint


def test_times_are_asked_of_each_persona_and_throughput_of_all_together() -> None:
    """Ten clerks of 10 ms, 100 a second, beside 50 orders a second of 20 ms."""
    (of,) = personas.read([personas.usual(repeat) for repeat in range(5)])

    def asked(expression: str) -> list[tuple[str, str, bool]]:
        found = threshold_answers([parse_threshold(expression)], [of])
        return [(answer.figure, answer.answer, answer.fails) for answer in found]

    assert asked("mean of response > 15ms") == [
        ("mean of response of clerks", "held", False),
        ("mean of response of orders", "crossed", True),
    ]
    assert asked("mean of response of clerks > 15ms at 10 users") == [
        ("mean of response of clerks", "held", False)
    ]
    assert asked("mean of response of orders > 15ms at 50/s") == [
        ("mean of response of orders", "crossed", True)
    ]
    assert asked("throughput < 140/s") == [("throughput", "held", False)]
    assert asked("throughput of clerks < 140/s") == [("throughput of clerks", "crossed", True)]
    ((_, answer, fails),) = asked("errors of robots > 0")
    assert (answer, fails) == ("cannot tell", True)
    result = replace(
        result_of([of]), thresholds=threshold_answers([parse_threshold("mean of response > 15ms")], [of])
    )
    names = [check.name for check in threshold_checks(result)]
    with_both = "with 10 users of clerks and 50/s of orders"
    assert names == [f"mean of response > 15ms for {name} {with_both}" for name in ("clerks", "orders")]
    (row,) = [row for row in thresholds_table(result).columns if row.title == "persona"]
    assert row.cells == ["clerks", "orders"]
