"""Reasons that say the same of several runs or levels become one line, and lose nothing that differs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.report.reasons import fold


def test_equal_reasons_are_told_once_with_the_range_of_their_figures() -> None:
    folded = fold(
        [
            ["steal 1.7 % of all processor time (limit 1 %); in 1 of 3 runs", "errors 0.42 % (limit 0.1 %)"],
            [],
            ["steal 12.5 % of all processor time (limit 1 %); in 3 of 3 runs"],
            ["steal 4 % of all processor time (limit 1 %); in 2 of 3 runs"],
        ]
    )
    assert folded.footnotes() == [
        "[1] steal 1.7 to 12.5 % of all processor time (limit 1 %); in 6 of 9 runs",
        "[2] errors 0.42 % (limit 0.1 %)",
    ]
    assert [folded.mark(row) for row in range(4)] == ["[1, 2]", "", "[1]", "[1]"]


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["a -40.1 % off", "a 3 % off"], ["a -40.1 to 3 % off"]),
        (["1,200 lost", "9 lost"], ["9 to 1,200 lost"]),
        (["the p99 of io1", "the p95 of io1"], ["the p99 of io1", "the p95 of io1"]),
        (["limit 1 %", "limit 1 %"], ["limit 1 %"]),
        (
            [
                "repeat 2 was left out: off 3 %",
                "repeat 5 was left out: off 4 %",
                "repeat 3 was left out: off 1 %",
            ],
            ["repeats 2, 3 and 5 were left out: off 1 to 4 %"],
        ),
        (
            ["repeat 2 was left out: off 3 %", "repeat 2 was left out: off 4 %"],
            ["repeat 2 was left out: off 3 to 4 %"],
        ),
        (
            ["others used 6 % (limit 5 %): rustc 4 %", "others used 60 % (limit 5 %): mypy 58 %"],
            ["others used 6 to 60 % (limit 5 %): mypy 58 %"],
        ),
        (["off -0.58 to +2.4 %, 1 x", "off -0.34 to +2.9 %, 2 x"], ["off -0.58 to +2.9 %, 1 to 2 x"]),
        (["2 to 3 users, 1 x", "2 to 3 users, 2 x"], ["2 to 3 users, 1 to 2 x"]),
        (["slower after", "slower before"], ["slower after", "slower before"]),
        ([f"no pass of copy_{kind}" for kind in "abc"], ["no pass of copy_a, copy_b, copy_c"]),
        (
            [f"no pass of copy_{kind} in 1 s" for kind in "abcdef"],
            ["no pass of copy_a, copy_b, copy_c, copy_d and 2 more in 1 s"],
        ),
    ],
    ids=[
        "signs",
        "thousands",
        "names",
        "equal",
        "several repeats",
        "one repeat",
        "details of the worst",
        "ranges",
        "equal ranges",
        "words",
        "identifiers",
        "many",
    ],
)
def test_only_figures_become_ranges(texts: list[str], told: list[str]) -> None:
    assert fold([[text] for text in texts]).notes == told


def test_marks_that_follow_each_other_are_a_span() -> None:
    reasons = ["a", "b", "c", "d", "e"]
    folded = fold([reasons, ["a", "c", "d", "e"], ["a", "b"], ["e"]])
    assert [folded.mark(row) for row in range(4)] == ["[1-5]", "[1, 3-5]", "[1, 2]", "[5]"]


@given(st.lists(st.lists(st.sampled_from(["a 1 %", "a 2 %", "b", "c 3", "c (limit 1): x 2"]))))
def test_every_row_points_to_its_own_reasons_and_to_no_others(rows: list[list[str]]) -> None:
    folded = fold(rows)
    assert len(folded.notes) == len(set(folded.notes))
    for texts, numbers in zip(rows, folded.numbers, strict=True):
        assert len(numbers) <= len(texts)
        assert {folded.notes[number - 1][0] for number in numbers} == {text[0] for text in texts}
    assert {number for numbers in folded.numbers for number in numbers} == set(
        range(1, len(folded.notes) + 1)
    )
