"""What the terminal shows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from igen.document import Column, Table
from igen.judge.result import Figure, Result
from igen.judge.trust.finding import finding
from igen.printed import printed
from igen.report.printers.terminal import Terminal, draw, print_section
from igen.report.sections.levels import levels_on_terminal
from igen.report.text import summary_text
from igen.say import observe
from report import sample
from report.snapshot import check
from tests.said import say

PLAIN = Terminal(width=100)


def levels_table(result: Result, terminal: Terminal) -> str:
    section = levels_on_terminal(result)
    assert section is not None
    return print_section(section, terminal)


@pytest.mark.parametrize("name", ["one_system", "open_load", "broken"])
def test_summary(name: str) -> None:
    check(f"{name}.txt", summary_text(getattr(sample, name)(), statistics=True, terminal=PLAIN))


def test_comparison() -> None:
    check("comparison.txt", summary_text(sample.comparison(), terminal=PLAIN))


def test_lines_keep_to_the_width_of_the_terminal() -> None:
    text = summary_text(sample.one_system(), terminal=Terminal(width=60))
    prose = text.partition("Bottleneck")[2]
    assert max(len(line) for line in prose.splitlines()) <= 60


def test_colour_adds_nothing_but_colour() -> None:
    plain = levels_table(sample.one_system(), PLAIN)
    coloured = levels_table(sample.one_system(), replace(PLAIN, colour=True))
    assert "\x1b" not in plain
    assert "\x1b[31mINVALID" in coloured
    for code in ("\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert [line.rstrip() for line in coloured.splitlines()] == plain.splitlines()


def test_no_colour_without_a_terminal_or_against_the_users_wish(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert not Terminal.detect().colour
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert Terminal.detect().colour
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Terminal.detect().colour


def test_names_cannot_steer_the_terminal() -> None:
    shop = replace(
        sample.system("a\x1b[2Jb", (1.0, 2.0, 3.0, 4.0)),
        findings=[finding("agent-warning", jobs=1, text="x\x1b]0;y\x07")],
    )
    text = summary_text(replace(sample.comparison(), systems=[shop, shop]), statistics=True, terminal=PLAIN)
    assert not any(ord(sign) < 32 and sign != "\n" for sign in text)


def test_groups_stand_above_their_columns_and_numbers_end_with_them() -> None:
    table = Table(
        [
            Column("name", ["a", "bcd"], "text"),
            Column("p50", ["1", "10"], group="time, ms"),
            Column("p99", ["100", "5"], group="time, ms"),
            Column("per s", ["7", "8"], group="a group wider than its column"),
        ]
    )
    lines = draw(table, PLAIN)
    assert (
        len({line.rindex(end) + len(end) for line, end in zip(lines[1:], ("p99", "100", "5"), strict=True)})
        == 1
    )
    assert lines[1].endswith("per s")
    assert len({len(line) for line in lines[1:]}) == 1
    assert "a group wider than its column" in lines[0]


def test_each_reason_has_a_line_of_its_own() -> None:
    lines = levels_table(sample.one_system(), PLAIN).splitlines()
    assert any(line.endswith("INVALID [2, 3]") for line in lines)
    assert f"[2] {say(sample.ERRORS)}" in lines
    assert any(line.startswith("[3] ") for line in lines)


def test_compared_systems_are_named_in_their_observations() -> None:
    both = sample.comparison()
    said = finding("cpu-bound", limit=90, load="2 users", cpu_percent=97.0)
    other = replace(both.systems[1], observations=[said])
    text = summary_text(replace(both, systems=[both.systems[0], other]), terminal=PLAIN)
    assert f"- xfs: {printed(observe(said).text)}" in text


def test_a_sentence_that_two_systems_share_names_both() -> None:
    both = sample.comparison()
    said = finding("cpu-bound", limit=90, load="2 users", cpu_percent=97.0)
    systems = [replace(system, observations=[said]) for system in both.systems]
    text = summary_text(replace(both, systems=systems), terminal=PLAIN)
    assert text.count(printed(observe(said).text)) == 1
    assert f"- ext4, xfs: {printed(observe(said).text)}" in text


def test_tables_that_are_too_wide_are_cut_between_groups_and_name_their_rows_again() -> None:
    for width in (60, 80):
        for result in (sample.one_system(), sample.comparison(), sample.open_load()):
            lines = levels_table(result, Terminal(width=width)).splitlines()
            assert max(map(len, lines)) <= width
    both = levels_table(sample.comparison(), Terminal(width=60))
    heads = [line for line in both.splitlines() if line.startswith("users  system")]
    assert len(heads) > 1
    rows = len(sample.comparison().systems) * len(sample.comparison().systems[0].levels)
    assert sum(line.split()[1:2] in (["ext4"], ["xfs"]) for line in both.splitlines()) == rows * len(heads)
    groups = [line for line in both.splitlines() if " response time, ms " in line]
    assert len(groups) == 1, "the columns of a group stay together"


def test_a_table_that_fits_is_one() -> None:
    table = Table([Column("name", ["a"], "text"), Column("p50", ["1"]), Column("p99", ["2"])])
    assert draw(table, Terminal(width=14)) == ["name  p50  p99", "a       1    2"]
    assert draw(table, Terminal(width=13)) == ["name  p50", "a       1", "", "name  p99", "a       2"]


def test_a_table_without_columns_is_nothing() -> None:
    assert draw(Table([]), PLAIN) == []


def test_rates_of_the_workload_are_shown_where_it_defines_any() -> None:
    result = sample.one_system()
    system = result.systems[0]
    rates = {"tickets_per_ms": Figure(value=15_000.0, low=14_900.0, high=15_100.0, n=3)}
    levels = [replace(system.levels[0], rates=rates), *system.levels[1:]]
    text = summary_text(replace(result, systems=[replace(system, levels=levels)]), terminal=PLAIN)
    assert "tickets_per_ms" in text
    assert "15,000  14,900 to 15,100" in text
    assert "tickets_per_ms" not in summary_text(result, terminal=PLAIN)
