"""The history of a workload as a document: a chart and a table for each series, and where it changes."""

from __future__ import annotations

from igen.document import (
    Axis,
    Block,
    ChartLine,
    Column,
    Document,
    Dot,
    Items,
    Lines,
    Note,
    Paragraph,
    Picture,
    Pictures,
    Section,
    Table,
)
from igen.judge.compare.history import History, RunSeries
from igen.layout.number import interval, significant
from igen.loads import THROUGHPUT
from igen.say import say
from igen.say.history import change_text, history_text, unchanged_text
from igen.units import counted
from igen.version import VERSION

DAY_S = 86_400.0
MOST_ROWS = 40
"""Rows of a table: the latest runs."""
METHOD = (
    "A series changes at the cut or around the stretch of runs that differs most, if this is rare among its "
    "runs in random order (Olshen and others 2004, Kirch and Steinebach 2006). An odd run counts as the "
    "median of the runs around it. The ratio of a change compares the runs between it and its neighbours; "
    "its place was chosen where this ratio is largest, so it flatters."
)


def history_document(history: History) -> Document:
    """Return everything, for every format."""
    sections = [_section(number, each) for number, each in enumerate(history.series)]
    method = Section("method", "How changes are found", [Paragraph(METHOD)])
    title = f"{history.workload} over time"
    summary = Section("summary", "", [Paragraph(history_text(history), "headline")])
    return Document(title, [], [summary, *sections, method], f"iGen {VERSION}")


def _section(number: int, series: RunSeries) -> Section:
    blocks: list[Block] = []
    if series.changes:
        blocks.append(Items([change_text(series, each) for each in series.changes]))
    elif not series.notes:
        blocks.append(Paragraph(unchanged_text(series)))
    if series.odd:
        blocks.append(Items([say(each) for each in series.odd]))
    blocks += [Paragraph(say(note), "note") for note in series.notes]
    if len(series.points) > 1:
        blocks.append(Pictures([_picture(number, series)]))
    blocks.append(_table(series))
    return Section(f"series-{number + 1}", series.title, blocks)


def _unit(series: RunSeries) -> str:
    return "per s" if series.quantity == THROUGHPUT else "ms"


def _picture(number: int, series: RunSeries) -> Picture:
    first_s = series.points[0].started_unix_s
    dots = [
        Dot(
            x=(point.started_unix_s - first_s) / DAY_S,
            y=point.value.value,
            low=point.value.low,
            high=point.value.high,
            tip=f"{point.run}: {significant(point.value.value, 4)} {_unit(series)}",
        )
        for point in series.points
    ]
    by_run = {point.run: dot for point, dot in zip(series.points, dots, strict=True)}
    notes = [
        Note(by_run[change.run].x, by_run[change.run].y, f"{change.ratio.value:.3f} ×")
        for change in series.changes
    ]
    y_title = f"{series.quantity}, {_unit(series)}"
    chart = Lines(Axis("days since the first run"), Axis(y_title), [ChartLine("", 0, dots)], notes)
    description = f"{series.quantity} of {counted(len(dots), 'run')} over time, with suspected changes"
    return Picture(f"history-{number + 1}", y_title, description, chart)


def _table(series: RunSeries) -> Table:
    marks = {found.part("run").text: "odd" for found in series.odd}
    marks |= {change.run: "from here on" for change in series.changes}
    points = series.points[-MOST_ROWS:]
    left = len(series.points) - len(points)
    return Table(
        [
            Column("run", [point.run for point in points], "text", key=True),
            Column("system", [point.system for point in points], "text"),
            Column(_unit(series), [significant(point.value.value, 4) for point in points]),
            Column("95 %", [interval(point.value) for point in points]),
            Column("change", [marks.get(point.run, "") for point in points], "text"),
        ],
        [f"and {counted(left, 'earlier run')}: --json has all"] if left else [],
    )
