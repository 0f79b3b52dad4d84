"""The sentences at the top: each says the figure first, its doubt in the same breath, and is true."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from igen.document import Lines
from igen.judge.result import Figure, Finding, Level, Result, System
from igen.judge.trust.finding import Runs, finding
from igen.judge.trust.trust import Trust
from igen.layout.level import LoadAxis
from igen.report.curves import throughput_picture
from igen.report.points_table import points_table
from igen.say.sentence import sentence as sentence_of
from report import sample
from report.shown import every_format
from tests.said import banner, headline, pair_statement, say


def only(result: Result, **changes: object) -> Result:
    """The result with its one system changed."""
    (system,) = result.systems
    return replace(result, systems=[replace(system, **changes)])  # type: ignore[arg-type]


def one_level(**changes: object) -> Result:
    (level,) = sample.one_level().systems[0].levels
    return only(sample.one_level(), levels=[replace(level, **changes)])  # type: ignore[arg-type]


def test_one_level_has_figure_and_doubt_too() -> None:
    wide = Figure(value=15_444.0, low=15_444 * 0.29, high=15_444 * 1.71, n=3)
    (sentence,) = headline(
        only(one_level(throughput_per_s=wide), transaction="I/Os", workload="io", name="disk")
    )
    assert sentence == "15,444 I/Os a second at 1 user, ±71 %: disk (io). 1 level, VALID."


def test_one_run_has_no_interval_and_says_so() -> None:
    (sentence,) = headline(one_level(throughput_per_s=Figure(value=100.0)))
    assert sentence.startswith("100.0 transactions a second at 1 user, 1 run, no interval: ")


def test_a_suspect_level_says_why_beside_its_figure() -> None:
    found = [sample.STOLEN, finding("driver-busy", used_percent=60.0), finding("too-short")]
    (sentence,) = headline(one_level(trust=sample.trusted("SUSPECT"), findings=found))
    assert sentence.endswith(f" 1 level, SUSPECT: {say(sample.STOLEN)} and 2 further reasons.")
    assert "SUSPECT" not in headline(one_level())[0]
    both = sample.comparison()
    doubted = [
        replace(
            system,
            levels=[
                replace(each, trust=sample.trusted("SUSPECT"), findings=[sample.STOLEN])
                for each in system.levels
            ],
        )
        for system in both.systems
    ]
    for sentence in headline(replace(both, systems=doubted))[1:]:
        assert " That level is SUSPECT. " in sentence
        assert sentence.endswith(" 4 levels, all SUSPECT.")


def test_an_invalid_level_gives_no_figure() -> None:
    result = one_level(trust=sample.trusted("INVALID"), findings=[sample.NOT_SENT])
    (sentence,) = headline(result)
    assert sentence == "shop-sqlite (oltp): no figure can be used. 1 level, INVALID."
    assert banner(result) == [
        "Do not use these figures: the only level is INVALID.",
        say(sample.NOT_SENT),
    ]


def test_the_figure_is_that_of_the_peak_with_its_own_doubt() -> None:
    result = sample.one_system()
    (sentence,) = headline(result)
    assert sentence == (
        "Levels off at 9,752 transactions a second from 2 users on, ±1.5 %: shop-sqlite (oltp); "
        "2 to 4 users do the same within ±9.7 %. 4 levels: 2 VALID, 1 SUSPECT, 1 INVALID."
    )
    (system,) = result.systems
    assert system.peak is not None
    loose = replace(system.peak, confirmed=False)
    assert "(oltp) (not confirmed)" in headline(only(result, peak=loose))[0]
    alone = replace(system.peak, alike_levels=[], alike_percent=None)
    assert headline(only(result, peak=alone))[0].startswith(
        "9,752 transactions a second at 2 users, ±1.5 %: "
    )
    assert "sweet spot" in headline(only(result, peak=alone))[0]
    assert "sweet spot" not in headline(only(result, peak=alone, sweet_spot=None))[0]
    edge = headline(only(result, peak=alone, levels=system.levels[: 1 + system.peak.level]))[0]
    assert "±1.5 %: the most of shop-sqlite (oltp), at the highest load tried" in edge


def test_no_point_is_called_peak_beyond_which_nobody_has_looked() -> None:
    def labels(result: Result) -> list[str]:
        """Return the names in the first row of the table of points, and on the note in the chart."""
        picture = throughput_picture(result)
        assert picture is not None
        assert isinstance(picture.chart, Lines)
        return [str(points_table(result).columns[0].cells[0]), picture.chart.notes[0].text]

    whole = sample.one_system()
    (system,) = whole.systems
    assert system.peak is not None
    assert labels(whole) == ["levels off", "levels off · sweet spot"]
    alone = replace(system.peak, alike_levels=[], alike_percent=None)
    assert labels(only(whole, peak=alone)) == ["peak", "peak · sweet spot"]
    edge = only(whole, peak=alone, levels=system.levels[: 1 + system.peak.level])
    assert labels(edge) == ["highest load tried"] * 2


def test_without_a_peak_the_most_that_may_be_used_is_told() -> None:
    levels = sample.one_system().systems[0].levels
    highest = replace(levels[3], throughput_per_s=Figure(value=99_999.0, low=1.0, high=2e5, n=3))
    result = only(sample.one_system(), peak=None, sweet_spot=None, knee=None, levels=[*levels[:3], highest])
    assert headline(result)[0].startswith("9,752 transactions a second at 2 users, ±1.5 %: the most of ")


def test_an_open_load_is_told_by_its_response_time_at_the_highest_rate_that_held() -> None:
    (sentence,) = headline(sample.open_load())
    (system,) = sample.open_load().systems
    held = system.levels[1]
    assert held.trust.verdict == "ONE RUN"
    assert system.levels[2].trust.verdict == "INVALID"
    assert held.response_time_ms is not None
    assert (held.response_time_ms.mean, round(held.response_time_ms.p99, 1)) == (10.0, 54.1)
    assert sentence.startswith("Mean response time 10 ms at 150/s, 1 run, no interval (p99 54.1 ms)")
    assert ": the highest load that queue (model) held." in sentence
    assert "peak" not in sentence


def test_a_higher_load_that_was_held_is_not_passed_over() -> None:
    """Late wake-ups spoil the times at 150/s, and leave the throughput."""
    result = sample.open_load()
    low, held, _ = result.systems[0].levels
    spoiled = replace(held, trust=Trust(times="INVALID"))
    (sentence,) = headline(only(result, levels=[low, spoiled]))
    assert sentence.startswith("Mean response time ")
    assert " held." not in sentence
    assert ": the highest load of queue (model) whose times can be used; 150/s was held too." in sentence
    failed = replace(held, trust=sample.trusted("INVALID"))
    assert ": the highest load that queue (model) held." in headline(only(result, levels=[low, failed]))[0]


def test_nothing_measured_is_said() -> None:
    killed, nothing = headline(sample.broken())
    assert killed == "killed (oltp): no figure can be used. 1 level, INVALID."
    assert nothing == "nothing (oltp): nothing was measured."


@pytest.mark.parametrize(("number", "outcome"), [(0, "faster"), (1, None), (3, "slower")])
def test_a_pair_has_one_statement_in_all_formats(number: int, outcome: str | None) -> None:
    result = sample.comparison()
    deciding = [each for each in result.ratios if each.decides]
    ratio = deciding[number]
    sentence = pair_statement(ratio, LoadAxis.of(result))
    value = f"{abs(100 * (ratio.ratio.value - 1)):.1f} %"
    if outcome is None:
        assert sentence.startswith("xfs and ext4 cannot be told apart at 2 users")
        assert value not in sentence
    else:
        assert sentence.startswith(f"xfs is {value} {outcome} than ext4 at ")
        assert (ratio.ratio.value > 1) == (outcome == "faster")
    at_peak = pair_statement(deciding[1], LoadAxis.of(result))
    for text in every_format(result):
        assert " ".join(text.split()).count(at_peak) == 1


def test_the_banner_names_what_cannot_be_used_and_folds_equal_reasons() -> None:
    shop = sample.system("shop", (1.0, 2.0, 3.0, 4.0), valid=True)

    def invalid(level: Level, percent: float) -> Level:
        found = finding("errors", share_percent=percent, limit=0.1, unit="percent")
        return replace(level, trust=sample.trusted("INVALID"), findings=[found])

    levels = [*shop.levels[:2], invalid(shop.levels[2], 0.5), invalid(shop.levels[3], 7.5)]
    assert banner(only(sample.one_system(), levels=levels, name="shop")) == [
        "Do not use the figures of 4 users, 8 users: INVALID (2 of 4 levels).",
        sentence_of([found for level in levels for found in level.findings]),
    ]
    assert banner(sample.comparison()) == []


def test_an_overloaded_level_beside_one_that_was_held_is_a_result() -> None:
    """A search goes on until loads are not held: nothing is wrong, and the headline has its load."""
    shop = sample.system("shop", (1.0, 2.0, 3.0, 4.0), valid=True)
    served = finding("rate-not-served", served_per_s=900.0, offered_per_s=1000.0, limit=1.0, unit="percent")
    *held, high, highest = shop.levels
    over = [replace(each, trust=sample.trusted("INVALID"), findings=[served]) for each in (high, highest)]
    one = sample.one_system()
    assert banner(only(one, levels=[*held, *over])) == []
    all_over = ["Do not use these figures: all 2 levels are INVALID and overloaded.", say(served)]
    assert banner(only(one, levels=over)) == all_over
    failed = replace(over[0], findings=[finding("agent-died", signal=9.0)])
    (head, *_) = banner(only(one, levels=[failed, over[1]]))
    assert head.endswith("all 2 levels are INVALID.")
    (head, *_) = banner(only(one, levels=[*held, failed, over[1]]))
    assert "INVALID (1 of 4 levels)" in head


def test_the_banner_names_a_system_once() -> None:
    systems = [sample.system(name, (1.0, 2.0, 3.0, 4.0)) for name in ("A", "B")]
    (head, *_) = banner(replace(sample.one_system(), systems=systems))
    named = re.search(r"the figures of (.*): INVALID", head)
    assert named is not None
    assert named[1].count("A at ") == named[1].count("B at ") == 1


def test_the_banner_says_where_and_why_the_load_itself_failed() -> None:
    shop = sample.system("shop", (1.0, 2.0, 3.0, 4.0), valid=True)
    lost = finding("device-failed", ios=1.0)

    def often(runs: int) -> str:
        return say(replace(lost, runs=Runs(number=runs, of=runs)))

    def failed(level: Level, *also: Finding) -> Level:
        repeats = [replace(repeat, findings=[lost]) for repeat in level.repeats]
        return replace(level, findings=[lost, *also], repeats=repeats)

    levels = [
        replace(failed(level, sample.STOLEN), trust=sample.trusted("INVALID")) for level in shop.levels[2:]
    ]
    result = only(sample.one_system(), levels=[*shop.levels[:2], *levels], name="shop")
    head, *rest = banner(result)
    assert head.startswith("Do not use the figures of 4 users, 8 users")
    assert rest == [f"The load itself failed at 4 users, 8 users: {often(6)}.", say(sample.STOLEN)]
    for text in every_format(result):
        assert " ".join(text.split()).count("The load itself failed at 4 users, 8 users") == 1
    later = replace(failed(shop.levels[0]), findings=[])
    assert banner(only(result, levels=[later])) == [f"The load itself failed at 1 user: {often(3)}."]


def test_many_invalid_levels_are_counted() -> None:
    def systems(number: int) -> System:
        system = sample.system(f"s{number}", (1.0, 2.0, 3.0, 4.0))
        return replace(system, levels=system.levels[2:])

    several = replace(sample.one_system(), systems=[systems(number) for number in range(8)])
    (head, *_) = banner(several)
    assert "s5 at 8 users and 2 more: INVALID (8 of 16 levels)" in head
