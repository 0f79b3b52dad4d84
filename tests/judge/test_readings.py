from __future__ import annotations

from dataclasses import replace

import pytest

from igen.aspects.aspects import ASPECTS
from igen.document import Lines
from igen.judge import analyse, result_of
from igen.judge.record.recording import Reading, Recording
from igen.judge.result import Result
from igen.judge.run.readings import metric_and_unit
from igen.report.printers.terminal import Terminal
from igen.report.text import summary_text
from tests.judge.synthetic import MEASURE_BEGIN_S, recording
from tests.report.shown import pictures

PER_S = 300.0
QUEUED = 7.0


def made_up(repeat: int, per_s: float) -> Recording:
    """A recording with a monitor that no line of Python knows."""
    made = recording(repeat=repeat)
    end_s = made.snapshots[-1].end_s
    moments = [MEASURE_BEGIN_S, (MEASURE_BEGIN_S + end_s) / 2, end_s]
    made.readings["made_up", "lane 1"] = [
        Reading(at_s, {"moved_bytes": 50 + per_s * (at_s - MEASURE_BEGIN_S)}, {"queued": QUEUED})
        for at_s in moments
    ]
    return made


def shown(*made: Recording) -> Result:
    return result_of(analyse(made, aspects=ASPECTS), aspects=ASPECTS)


def test_a_monitor_that_nobody_knows_is_in_the_result() -> None:
    result = shown(*(made_up(repeat, PER_S + 10 * (repeat - 1)) for repeat in range(3)))
    moved, queued = result.systems[0].levels[0].readings
    assert (moved.source, moved.subject, moved.metric, moved.unit) == ("made_up", "lane 1", "moved", "bytes")
    assert (moved.kind, queued.kind) == ("counter", "gauge")
    assert moved.mean.value == pytest.approx(PER_S)
    assert moved.mean.n == 3
    assert moved.mean.low is not None
    assert moved.mean.low < PER_S
    assert (queued.metric, queued.unit, queued.mean.value) == ("queued", "", QUEUED)
    # Over time, of the first run: a rate from each reading to the next.
    assert [value for _, value in moved.timeline] == pytest.approx([PER_S - 10] * 2)
    assert [value for _, value in queued.timeline] == [QUEUED] * 3
    assert queued.timeline[0][0] == 0


def test_and_in_the_text_of_the_report() -> None:
    text = summary_text(shown(made_up(0, PER_S)), terminal=Terminal(width=120))
    (line,) = [line for line in text.splitlines() if "moved" in line]
    assert all(word in line for word in ("made_up", "lane 1", "300", "bytes/s")), line
    assert "made_up" not in summary_text(shown(recording()), terminal=Terminal(width=120))


def test_and_drawn_over_time_in_the_page() -> None:
    """A picture has the subjects of one metric, and where there are many the largest."""
    made = made_up(0, PER_S)
    for lane in range(2, 10):
        made.readings["made_up", f"lane {lane}"] = [
            Reading(each.at_s, {}, {"queued": float(lane)}) for each in made.readings["made_up", "lane 1"]
        ]
    moved, queued = pictures(shown(made))["readings"]
    assert (moved.title, queued.title) == (
        "made_up: moved, bytes/s",
        "made_up: queued, the 6 largest of 9",
    )
    assert isinstance(moved.chart, Lines)
    (line,) = moved.chart.series
    assert (line.label, [dot.y for dot in line.dots]) == ("lane 1", pytest.approx([PER_S] * 2))
    assert isinstance(queued.chart, Lines)
    assert [line.label for line in queued.chart.series] == [
        "lane 9",
        "lane 8",
        "lane 1",
        "lane 7",
        "lane 6",
        "lane 5",
    ]
    assert queued.description == f"{queued.title}, over the time of the first run."
    assert "readings" not in pictures(shown(recording()))


def test_monitors_that_are_told_elsewhere_are_not_told_twice() -> None:
    made = made_up(0, PER_S)
    (readings,) = made.readings.values()
    for monitor in ("cpu", "device", "postgresql", "power"):
        made.readings[monitor, "x"] = readings
    (level,) = shown(made).systems[0].levels
    assert {series.source for series in level.readings} == {"made_up"}


def test_a_monitor_that_ends_at_once_has_no_counter() -> None:
    made = made_up(0, PER_S)
    made.readings["made_up", "lane 1"] = made.readings["made_up", "lane 1"][:1]
    (level,) = shown(made).systems[0].levels
    assert [series.metric for series in level.readings] == ["queued"], "one reading tells no growth"


def test_a_run_that_measured_nothing_has_no_readings() -> None:
    made = replace(made_up(0, PER_S), snapshots=[])
    (level,) = shown(made).systems[0].levels
    assert level.readings == []


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("queued_bytes", ("queued", "bytes")),
        ("energy_j", ("energy", "j")),
        ("busy_s", ("busy", "s")),
        ("context_switches", ("context_switches", "")),
        ("_s", ("_s", "")),
        ("reads", ("reads", "")),
    ],
)
def test_the_end_of_a_name_is_its_unit(name: str, parts: tuple[str, str]) -> None:
    assert metric_and_unit(name) == parts
