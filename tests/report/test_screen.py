"""What fits one screen: few lines, whatever was measured, and the answer at once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from igen.judge.result import FailureCount, Result
from igen.judge.trust.trust import Trust
from igen.report.printers.terminal import Terminal
from igen.report.screen import MOST_OF_MANY, MOST_ROWS, ONE, SEVERAL
from igen.report.text import screen_text
from tests.report import sample

COLUMNS = 80


def shown(result: Result) -> list[str]:
    return screen_text(result, terminal=Terminal(COLUMNS)).splitlines()


def with_levels(result: Result, number: int) -> Result:
    """Return the result with so many levels of each system, all like those that it has."""
    systems = []
    for system in result.systems:
        levels = [
            replace(system.levels[at % len(system.levels)], level=at, users=2**at) for at in range(number)
        ]
        systems.append(replace(system, levels=levels))
    return replace(result, systems=systems)


@pytest.mark.parametrize("levels", [1, 2, 4, 6])
def test_one_system_with_up_to_six_loads_fits_a_screen(levels: int) -> None:
    lines = shown(with_levels(sample.one_system(), levels))
    assert len(lines) <= ONE
    assert max(map(len, lines)) <= COLUMNS
    assert sum(line.split()[:1] == [str(2**at)] for at in range(levels) for line in lines) == levels


@pytest.mark.parametrize("levels", [1, 2, 4, 6])
def test_two_systems_with_up_to_six_loads_fit_a_screen(levels: int) -> None:
    lines = shown(with_levels(sample.comparison(), levels))
    assert len(lines) <= SEVERAL
    assert max(map(len, lines)) <= COLUMNS


@pytest.mark.parametrize("number", [9, 14, 20])
def test_many_systems_fit_a_screen_with_a_row_each(number: int) -> None:
    (first,) = sample.one_system().systems
    doubted = [replace(level, trust=Trust(throughput="INVALID", times="SUSPECT")) for level in first.levels]
    systems = [
        replace(first, name=f"cache={at} MiB", levels=doubted if at % 2 else first.levels)
        for at in range(number)
    ]
    lines = shown(replace(sample.one_system(), systems=systems))
    assert len(lines) <= SEVERAL
    assert max(map(len, lines)) <= COLUMNS
    rows = [line for line in lines if " cache=" in line and line.split()[0].isdigit()]
    assert len(rows) == min(number, MOST_OF_MANY)


@pytest.mark.parametrize("make", [sample.one_level, sample.open_load, sample.hostile, sample.broken])
def test_whatever_was_measured_fits_a_screen(make: object) -> None:
    result: Result = make()  # type: ignore[operator]
    assert len(shown(result)) <= (ONE if len(result.systems) == 1 else SEVERAL)


def test_rows_that_do_not_fit_are_counted() -> None:
    lines = shown(with_levels(sample.one_system(), MOST_ROWS + 3))
    assert f"3 more rows: igen show {sample.one_system().systems[0].run} --all" in lines
    assert not [line for line in shown(with_levels(sample.one_system(), MOST_ROWS)) if "more row" in line]


def test_failures_of_one_text_are_added_up() -> None:
    (system,) = sample.one_system().systems
    failures = [FailureCount(kind=kind, step="", text="gone", count=2) for kind in ("lost", "refused")]
    level = replace(system.levels[0], failures=failures)
    lines = shown(replace(sample.one_system(), systems=[replace(system, levels=[level])]))
    assert "4 failures: gone" in lines


def test_a_reason_is_told_once_and_left_out_ones_are_counted() -> None:
    lines = shown(sample.one_system())
    notes = [line for line in lines if line.startswith("[")]
    assert len(notes) == len(set(notes))
    few = screen_text(sample.broken(), terminal=Terminal(COLUMNS))
    assert few.count("further reason") <= 1
