"""Footnotes of rows: those of one rule in one sentence that loses and invents nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from igen.judge.run.steady import steadiness
from igen.judge.trust.finding import Finding, Part, Runs, finding
from igen.printed import printed
from igen.say import footnotes as footnotes_of
from tests.say.examples import FOOTNOTES, with_other_figures


@dataclass
class Printed:
    notes: list[str]
    lines: list[str]
    numbers: list[list[int]]
    marks: list[str]


def footnotes(rows: Sequence[Sequence[Finding]]) -> Printed:
    found = footnotes_of(rows)
    return Printed(
        notes=[*map(printed, found.notes)],
        lines=[*map(printed, found.lines())],
        numbers=found.numbers,
        marks=[*map(found.mark, range(len(rows)))],
    )


STEAL = finding("steal", stolen_percent=1.7)


def outage(begin: int, end: int) -> Finding:
    """Return what the judge finds in five runs of 10 s with an outage between these tenths of a second."""
    series = [100.0 + 0.3 * (tenth % 3) for tenth in range(100)]
    series[begin:end] = [0.0] * (end - begin)
    ((found,),) = steadiness([series], may_cut=False, interval_s=0.1).shapes
    return replace(found, scope="level", runs=Runs(number=5, of=5))


def test_outages_at_two_times_are_no_longer_one() -> None:
    """One of 1 s in each system was told as *2.4 to 8.4 s; in 10 of 10 runs*."""
    found = footnotes([[outage(24, 34)], [outage(74, 84)]])
    (note,) = found.notes
    assert "from 2.4 to 3.4 s" in note
    assert "from 7.4 to 8.4 s" in note
    assert "2.4 to 8.4" not in note
    assert note.endswith(", in all 10 runs")
    assert found.numbers == [[1], [1]]


def test_figures_of_several_runs_are_a_range_and_their_runs_a_sum() -> None:
    steal = [
        replace(finding("steal", stolen_percent=percent), runs=Runs(number=number, of=3))
        for percent, number in ((1.7, 1), (12.5, 3), (4.0, 2))
    ]
    errors = finding("errors", share_percent=0.42, limit=0.1, unit="percent")
    found = footnotes([[steal[0], errors], [], [steal[1]], [steal[2]]])
    first, second = found.lines
    assert first.startswith("[1] ")
    assert "1.7 to 12 %" in first
    assert first.endswith(", in 6 of 9 runs")
    assert second.startswith("[2] 0.42 %")
    assert found.marks == ["[1, 2]", "", "[1]", "[1]"]


def test_sizes_are_in_the_order_of_numbers() -> None:
    (note,) = footnotes(
        [[finding("steal", stolen_percent=9.5)], [finding("steal", stolen_percent=10.2)]]
    ).notes
    assert "9.5 to 10 %" in note


def test_repeats_are_named_and_no_range() -> None:
    rows = [[finding("run-left-out", because=[STEAL], repeat=repeat)] for repeat in (2, 5, 3, 2)]
    (note,) = footnotes(rows).notes
    assert note.startswith("repeats 2, 3 and 5 were left out: ")


def test_signals_are_named_and_no_range() -> None:
    (note,) = footnotes([[finding("agent-died", signal=15)], [finding("agent-died", signal=9)]]).notes
    assert note.endswith("signal 9 or 15")


def test_almost_all_is_no_power_of_ten() -> None:
    (note,) = footnotes([[finding("errors", limit=0.1, unit="percent", share_percent=99.7)]]).notes
    assert note.startswith("100 % of the transactions failed (limit 0.1 %)")


def test_programs_are_those_of_the_worst_run() -> None:
    used = {"rustc": 6.0, "mypy": 60.0}
    rows = [
        [finding("foreign-cpu", Part(name="program_percent", figure=each, text=name), used_percent=each)]
        for name, each in used.items()
    ]
    (note,) = footnotes(rows).notes
    assert "6 to 60 %" in note
    assert "mypy 60 %" in note
    assert "rustc" not in note


def test_names_keep_findings_apart() -> None:
    machines = [
        finding("unattributed", limit=5, unit="percent", used_percent=percent, **name)
        for percent, name in ((30.0, {}), (7.5, {"machine": "db1"}), (8.5, {"machine": "db2"}))
    ]
    found = footnotes([machines])
    assert found.numbers == [[1, 2, 3]]
    assert ["30.0 % of the host" in found.notes[0], "7.5 % of db1" in found.notes[1]] == [True, True]


def test_marks_that_follow_each_other_are_a_span() -> None:
    rules = ("one-run", "interrupted", "cut-off", "interval-unknown", "other-clients-hidden")
    five = [finding(rule) for rule in rules]
    found = footnotes([five, [five[0], *five[2:]], five[:2], five[4:]])
    assert found.marks == ["[1-5]", "[1, 3-5]", "[1, 2]", "[5]"]


PERCENT = st.floats(min_value=0.5, max_value=99)
ANY = st.one_of(
    st.builds(lambda of: finding("clock-drift", drift_ppm=of), PERCENT),
    st.builds(lambda of: finding("unattributed", limit=5, unit="percent", used_percent=of), PERCENT),
    st.builds(lambda times: finding("connections-lost", times=times), st.integers(1, 5000)),
    st.just(finding("one-run")),
)
FORMS = {
    "clock-drift": ("drift_ppm", "the clock drifted by {}", ".0f", " ppm"),
    "unattributed": ("used_percent", "{} of the host's processors", ".1f", " %"),
    "connections-lost": ("times", "connections to the server were lost or refused {}", ",", " time"),
    "one-run": ("", "no interval", "", ""),
}
LOADS = st.sampled_from(["", "clerks"])


def begin_of(found: list[Finding]) -> str:
    """Return how the sentence of findings of one rule and load must begin."""
    name, words, form, unit = FORMS[found[0].rule]
    of_load = f"{found[0].load}: " if found[0].load else ""
    if not name:
        return of_load + words
    values = [abs(each.figure(name)) for each in found]
    low, high = (format(int(value) if form == "," else value, form) for value in (min(values), max(values)))
    return of_load + words.format(f"{low}{unit}" if low == high else f"{low} to {high}{unit}")


@given(
    st.lists(
        st.lists(st.builds(lambda each, load: replace(each, load=load), ANY, LOADS), max_size=4), max_size=5
    )
)
def test_each_row_has_the_numbers_of_its_findings_whose_figures_span_from_least_to_most(
    rows: list[list[Finding]],
) -> None:
    told = footnotes(rows)
    alike: dict[tuple[str, str], list[Finding]] = {}
    for each in (each for row in rows for each in row):
        alike.setdefault((each.rule, each.load), []).append(each)
    assert len(told.notes) == len(alike)
    places = dict(zip(alike, range(1, len(alike) + 1), strict=True))
    for key, number in places.items():
        assert told.notes[number - 1].startswith(begin_of(alike[key])), told.notes
    for row, numbers in zip(rows, told.numbers, strict=True):
        assert numbers == sorted({places[each.rule, each.load] for each in row})


@given(st.lists(st.lists(st.sampled_from(FOOTNOTES), max_size=6), max_size=5), st.booleans())
def test_every_row_points_to_a_sentence_of_each_of_its_findings(
    rows: list[list[Finding]], twice: bool
) -> None:
    if twice:
        rows = [[each for found in row for each in (found, with_other_figures(found))] for row in rows]
    told = footnotes(rows)
    assert len(told.notes) == len(set(told.notes))
    assert {number for numbers in told.numbers for number in numbers} == set(range(1, len(told.notes) + 1))
    for row, numbers in zip(rows, told.numbers, strict=True):
        assert bool(row) == bool(numbers)
        assert len(numbers) <= len(row)
