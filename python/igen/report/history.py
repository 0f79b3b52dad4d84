"""The history of a workload as a document: a chart and a table for each series, and where it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

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
from igen.judge.compare.history import History, RunSeries, SeriesChange
from igen.judge.curve.load import side_name
from igen.layout.number import interval, significant
from igen.loads import THROUGHPUT
from igen.say import difference_text, say
from igen.say.words import ratio_with_interval
from igen.text import Text
from igen.units import counted, date_text
from igen.version import VERSION

DAY_S = 86_400.0
MOST_ROWS = 40
"""Rows of a table: the latest runs."""
MOST_DIFFERENCES = 6
SUSPECTED, CONFIRMED, REFUTED = "suspected", "confirmed", "not confirmed"
WHAT_CONFIRMS = "only a fresh run of both side by side confirms it (`igen ab`)"
METHOD = (
    "A series changes at the cut or around the stretch of runs that differs most, if this is rare among its "
    "runs in random order (Olshen and others 2004, Kirch and Steinebach 2006). An odd run counts as the "
    "median of the runs around it. The ratio of a change compares the runs between it and its neighbours; "
    "its place was chosen where this ratio is largest, so it flatters."
)


def history_document(history: History) -> Document:
    """Everything, for every format."""
    changes = [change for each in history.series for change in each.changes]
    runs = f"{counted(history.runs, 'run')} on {history.host}"
    line = f"{runs}: too few of the same settings and load to look for changes."
    if any(each.looked for each in history.series):
        said = f"{counted(len(changes), 'change')}{_states(changes)}" if changes else "no change found"
        share = f"{100 * history.false_alarms:g} % of histories without a change show one by chance"
        line = f"{runs}: {said}; at most {share}."
    sections = [_section(number, each) for number, each in enumerate(history.series)]
    method = Section("method", "How changes are found", [Paragraph(METHOD)])
    title = f"{history.workload} over time"
    summary = Section("summary", "", [Paragraph(line, "headline")])
    return Document(title, [], [summary, *sections, method], f"iGen {VERSION}")


def _states(changes: Sequence[SeriesChange]) -> str:
    """` suspected`, ` confirmed`; of several in different states `: 1 confirmed, 2 suspected`."""
    states = Counter(_state(change) for change in changes)
    if len(states) == 1:
        return f" {next(iter(states))}"
    told = [f"{states[state]} {state}" for state in (CONFIRMED, REFUTED, SUSPECTED) if states[state]]
    return f": {', '.join(told)}"


def _state(change: SeriesChange) -> str:
    if change.confirmation is None:
        return SUSPECTED
    return CONFIRMED if change.confirmation.confirmed else REFUTED


def _section(number: int, series: RunSeries) -> Section:
    blocks: list[Block] = []
    if series.changes:
        blocks.append(Items([_change(series, each) for each in series.changes]))
    elif not series.notes:
        blocks.append(Paragraph(f"No change in {counted(len(series.points), 'run')}."))
    if series.odd:
        blocks.append(Items([say(each) for each in series.odd]))
    blocks += [Paragraph(note, "note") for note in series.notes]
    if len(series.points) > 1:
        blocks.append(Pictures([_picture(number, series)]))
    blocks.append(_table(series))
    return Section(f"series-{number + 1}", series.title, blocks)


def _change(series: RunSeries, change: SeriesChange) -> Text:
    shown = change.differences[:MOST_DIFFERENCES]
    more = len(change.differences) - len(shown)
    differ = Text.of(*map(difference_text, shown), between="; ")
    between = Text("no fact and no setting differs between them")
    if shown:
        between = Text.of("between these two differ: ", differ, f" and {more} more" if more else "")
    return Text.of(
        f"From {change.run} on ({date_text(change.started_unix_s)}): {ratio_with_interval(change.ratio)} the "
        f"{series.quantity} of before, up to {change.before}; ",
        _confirmed(change),
        "; ",
        between,
    )


def _confirmed(change: SeriesChange) -> Text:
    """What a run of both side by side says of it, or that there is none."""
    found = change.confirmation
    if found is None:
        return Text(f"{SUSPECTED}: {WHAT_CONFIRMS}")
    ratio = found.ratio
    system, base = (side_name(name, ratio.load) for name in (ratio.system, ratio.base))
    answer = {
        "faster": f"{system} is faster than {base}",
        "slower": f"{system} is slower than {base}",
        "equivalent": f"{system} and {base} are equivalent within ±{ratio.margin_percent:g} %",
        "cannot tell": f"{system} and {base} cannot be told apart",
    }[ratio.answer]
    # What a system is, it is for each of its loads.
    sides = (
        f"{ratio.base} is as it was after it" if found.after_is_base else f"{ratio.base} is as it was before"
    )
    text = f"{_state(change)} by {found.run}, where {sides} and {answer}: {ratio_with_interval(ratio.ratio)}"
    shown = found.other_differences[:MOST_DIFFERENCES]
    if not shown:
        return Text(text)
    return Text.of(
        f"{text} (besides, these differ there: ", Text.of(*map(difference_text, shown), between="; "), ")"
    )


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
