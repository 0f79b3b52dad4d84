"""What disturbed the machine, what was cut and why a point is missing stand beside the figures."""

from __future__ import annotations

from dataclasses import replace

import pytest

from igen.document import Forest
from igen.judge.compare.ratio import Answer
from igen.judge.result import Figure, Ratio, Result, Series
from igen.judge.trust.disturbance import Bound, Cause, Disturbance, WarmUp
from igen.judge.trust.finding import finding
from igen.judge.trust.rules import Verdict
from igen.judge.trust.trust import Trust
from igen.layout.level import LoadAxis, best_level, verdict_text
from igen.printed import printed
from igen.report.disturbance_tables import disturbance_table, warm_up_table
from igen.report.level_tables import MACHINE_NOTE, results_table
from igen.report.points_table import points_table
from igen.report.ratio_table import SIGNS_NOTE, ratio_table
from report import sample
from report.shown import every_format, pictures, terminal
from tests.said import headline, pair_statement, say

SLOWED = Bound(low_percent=0.0, high_percent=9.13)
LENGTHENED = Bound(low_percent=-8.4, high_percent=0.0)
BACKUP = Cause(finding=finding("foreign-cpu", used_percent=15.0), throughput=SLOWED, times=LENGTHENED)
LONGER = finding("foreign-cpu", used_percent=40.0)
DISTURBED = Disturbance(throughput=SLOWED, times=LENGTHENED, causes=[BACKUP])


def one(of: Result, **changes: object) -> Result:
    """The result with its one system changed."""
    (system,) = of.systems
    return replace(of, systems=[replace(system, **changes)])  # type: ignore[arg-type]


def one_level(**changes: object) -> Result:
    (level,) = sample.one_level().systems[0].levels
    return one(sample.one_level(), levels=[replace(level, **changes)])  # type: ignore[arg-type]


def cells(result: Result) -> dict[str, list[str]]:
    return {column.full_title: list(column.cells) for column in results_table(result).columns}


def test_the_systematic_error_stands_beside_the_interval() -> None:
    disturbed = one_level(trust=Trust(disturbance=DISTURBED))
    assert "1 user, ±1.5 %, machine 0 to +9.1 %: " in headline(disturbed)[0]
    assert cells(disturbed)["throughput machine"] == ["0 to +9.1 %"]
    assert cells(disturbed)["response time machine"] == ["-8.4 to 0 %"]
    page, markdown, terminal = every_format(disturbed)
    for text in (page, markdown, terminal):
        assert "0 to +9.1 %" in text
        assert MACHINE_NOTE in " ".join(text.split())
    assert all("15 % of the CPU" in text for text in (page, markdown))
    for text in every_format(sample.one_level()):
        assert "machine: by how much" not in text
    assert disturbance_table(sample.one_level()).columns == []


def test_a_cause_has_its_price() -> None:
    table = disturbance_table(one_level(trust=Trust(disturbance=DISTURBED)))
    _, *cells = map(printed, next(table.rows()))
    assert cells == [BACKUP.rule, say(BACKUP.finding), "0 to +9.1 %", "-8.4 to 0 %"]


def test_equal_causes_of_several_levels_have_one_row() -> None:
    (system,) = sample.one_system().systems
    other = replace(DISTURBED, causes=[replace(BACKUP, finding=LONGER)])
    levels = [replace(level, trust=replace(level.trust, disturbance=DISTURBED)) for level in system.levels]
    levels[2] = replace(levels[2], trust=Trust(disturbance=other))
    table = disturbance_table(one(sample.one_system(), levels=levels))
    rows = [tuple(map(printed, row[:4])) for row in table.rows()]
    assert rows == [
        ("1", str(len(levels) - 1), BACKUP.rule, say(BACKUP.finding)),
        (f"{levels[2].users}", "1", BACKUP.rule, say(LONGER)),
    ]


def test_an_open_load_has_the_error_of_its_times() -> None:
    (system,) = sample.open_load().systems
    levels = [replace(level, trust=replace(level.trust, disturbance=DISTURBED)) for level in system.levels]
    (sentence, *_) = headline(one(sample.open_load(), levels=levels))
    assert "1 run, no interval, machine -8.4 to 0 % (p99 54.1 ms" in sentence


def test_what_was_cut_stands_beside_what_it_changed() -> None:
    cut = WarmUp(given=False, cut_s=1.5, uncut_throughput_per_s=7000.0)
    table = warm_up_table(one_level(warm_up=cut))
    assert next(table.rows()) == ("1", "1.5", "7,532", "7,000")
    assert warm_up_table(one_level(warm_up=replace(cut, cut_s=0.0))).columns == []


@pytest.mark.parametrize(
    ("throughput", "times", "text"),
    [
        ("VALID", "VALID", "VALID"),
        ("VALID", "SUSPECT", "SUSPECT (times)"),
        ("VALID", "INVALID", "SUSPECT (times INVALID)"),
        ("INVALID", "SUSPECT", "SUSPECT (throughput INVALID)"),
    ],
)
def test_a_verdict_says_which_part_is_the_worse(throughput: Verdict, times: Verdict, text: str) -> None:
    result = one_level(trust=Trust(throughput=throughput, times=times))
    assert verdict_text(result.systems[0].levels[0]) == text
    assert cells(result)["verdict"] == [text]


def test_a_figure_that_is_invalid_is_not_in_the_headline() -> None:
    (system,) = sample.open_load().systems
    levels = [replace(each, trust=Trust(times="INVALID")) for each in system.levels]
    (sentence,) = headline(one(sample.open_load(), levels=levels))
    assert "response time" not in sentence
    assert "a second at " in sentence
    slowed = one_level(trust=Trust(throughput="INVALID"))
    assert best_level(slowed.systems[0]) is None
    assert headline(slowed)[0].startswith("Mean response time 133 µs at 1 user")


def test_why_a_point_is_missing_is_told() -> None:
    why = finding("few-valid-loads")
    result = one(sample.one_system(), peak=None, sweet_spot=None, unnamed={"peak": why})
    assert f"; no peak is named: {say(why)}." in headline(result)[0]
    assert [*map(printed, points_table(result).notes)] == [f"no peak is named: {say(why)}"]


def test_in_the_place_of_a_peak_stands_the_highest_load_within_the_limit() -> None:
    (system,) = sample.one_system().systems
    within = sample.point(system.levels[0])
    result = one(
        sample.one_system(), peak=None, sweet_spot=None, within_limit=within, response_time_limit_ms=0.2
    )
    sentence = headline(result)[0]
    assert sentence.startswith("7,532 transactions a second at 1 user, ")
    assert "the highest load of shop-sqlite (oltp) with a mean response time below 200 µs." in sentence


def test_the_interval_of_the_p99_is_in_the_table() -> None:
    (level,) = sample.one_level().systems[0].levels
    assert level.response_time_ms is not None
    tail = Figure(value=0.245, low=0.231, high=0.26, n=5)
    result = one_level(response_time_ms=replace(level.response_time_ms, p99_interval=tail))
    assert cells(result)["response time 95 % of p99, ms"] == ["0.2310 to 0.2600"]


def asked(answer: Answer, **changes: object) -> tuple[Result, Ratio]:
    """A comparison whose first answer is another one."""
    result = sample.comparison()
    ratio = replace(result.ratios[0], answer=answer, **changes)  # type: ignore[arg-type]
    return replace(result, ratios=[ratio, *result.ratios[1:]]), ratio


def test_equivalent_is_an_answer_with_its_margin() -> None:
    result, ratio = asked("equivalent")
    sentence = pair_statement(ratio, LoadAxis.of(result))
    assert sentence.startswith("xfs and ext4 are equivalent within ±3 % at ")
    chart = pictures(result)["ratios"][0].chart
    assert isinstance(chart, Forest)
    assert (chart.rows[0].told, chart.rows[0].words[-1]) == (False, "=")


def test_noise_between_sessions_that_nobody_measured_is_told_beside_the_interval() -> None:
    noise = {"session_noise_percent": 4.0, "session_noise_is_assumed": True}
    result, ratio = asked("slower", **noise)
    assert "with 4 % of noise between sessions assumed)" in pair_statement(ratio, LoadAxis.of(result))
    result, ratio = asked("slower", **noise | {"session_noise_is_assumed": False})
    assert "assumed" not in pair_statement(ratio, LoadAxis.of(result))


def test_cannot_tell_says_what_could_have_been_seen_and_what_disturbed() -> None:
    result, ratio = asked("cannot tell", disturbance_percent=4.0)
    sentence = pair_statement(ratio, LoadAxis.of(result))
    disturbed = "disturbance of the machine up to 4.0 %, which may be the whole difference"
    assert f"{disturbed}; a difference of 6.2 % would have been seen" in sentence
    (_, blind) = asked("cannot tell", visible_percent=None)
    assert "no difference could have been seen" in pair_statement(blind, LoadAxis.of(result))


def test_an_interval_that_leaves_out_1_is_not_left_alone_with_cannot_tell() -> None:
    result, ratio = asked("cannot tell", p=0.091, disturbance_percent=4.0)
    assert ratio.ratio.low is not None
    assert ratio.ratio.low > 1
    assert "which may be the whole difference" in pair_statement(ratio, LoadAxis.of(result))
    assert "an interval that leaves out 1" in " ".join(terminal(result).split())
    assert "leaves out 1" not in terminal(sample.comparison())


def test_each_quantity_has_its_ratios_and_the_answer_is_the_last_column() -> None:
    result = sample.comparison()
    tail = replace(
        result.ratios[1], quantity="p99 response time", restates_throughput=False, answer="cannot tell"
    )
    compared = replace(result, ratios=[*result.ratios, tail])
    assert [picture.name for picture in pictures(compared)["ratios"]] == [
        "ratio-throughput",
        "ratio-response-time",
        "ratio-p99",
    ]
    table = ratio_table(compared)
    assert table.columns[-1].title == "outcome"
    beside = next(column for column in table.columns if column.full_title == "p99 response time ratio")
    assert "~0.928" in beside.cells
    assert SIGNS_NOTE in table.notes
    assert SIGNS_NOTE not in ratio_table(result).notes


def test_a_ratio_of_an_invalid_level_is_no_figure() -> None:
    without = Figure(value=sample.comparison().ratios[0].ratio.value, n=3)
    invalid = finding(
        "level-invalid",
        scope="comparison",
        because=[finding("share-failed", error="xfs is full")],
        system="xfs",
    )
    result, ratio = asked("cannot tell", ratio=without, of_invalid=True, findings=[invalid])
    value = f"{without.value:.3f}"

    def shown(of: Result) -> list[str]:
        (column,) = (each for each in ratio_table(of).columns if each.full_title == "throughput ratio")
        return column.cells

    assert value in shown(sample.comparison())
    assert value not in shown(result)
    (drawn, *_) = pictures(result)["ratios"]
    assert isinstance(drawn.chart, Forest)
    assert len(drawn.chart.rows) == 3
    assert value not in drawn.description
    assert say(invalid) in pair_statement(ratio, LoadAxis.of(result))


def test_what_a_monitor_reads_without_a_table_of_its_own_is_shown() -> None:
    queue = Series(
        source="nvme",
        host="local",
        subject="nvme0",
        metric="queue_depth",
        unit="",
        kind="gauge",
        mean=Figure(value=12.5),
        timeline=[],
    )
    never = replace(queue, metric="media_errors", mean=Figure(value=0.0, low=0.0, high=0.0))
    for text in every_format(one_level(readings=[queue, never])):
        assert "Other readings" in text
        assert "queue depth" in text
        assert "media errors" not in text
        assert "what was 0 at every level is left out" in text
    assert all("Other readings" not in text for text in every_format(sample.one_level()))
