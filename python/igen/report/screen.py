"""One screen: what a command prints when it has measured or compared, in 25 lines for up to six loads.

    WORKLOAD  sqlite:///shop.db  5 runs × 10 s  VALID 2 of 3

    users  transactions/s  95 %    mean ms  p50    p99    verdict
        …
      Levels off at 4,828 transactions/s from 1 user on; more users only wait.
      [1] others used 31 % of all processors (xz, cc1) in 2 of 5 runs

Everything else is in `igen show --all`, in the report and in the JSON. What does not fit is left out from the
least important on, and the last line says how much that was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from igen.document import Banner, Block, Column, Document, Paragraph, Section, Table, Words
from igen.judge.result import Figure, Level, Result, System
from igen.judge.trust.finding import reasons
from igen.judge.trust.rules import GRAVITY
from igen.layout.columns import load_columns
from igen.layout.level import LevelRow, LoadAxis, best_level, is_comparison, level_rows, shorten, verdict_text
from igen.layout.number import ABSENT, column, half_width, significant, time_unit
from igen.report.aspects import speaking_for
from igen.report.curve_words import shape_of
from igen.report.observation import all_notes, bottleneck
from igen.report.pair import common_load, headline_ratios
from igen.report.sections.thresholds import not_slower, thresholds
from igen.report.statement import banner, headline
from igen.report.subject import are_many, targets_text
from igen.say import footnotes, say
from igen.say.change import signed_change, signed_ends
from igen.say.words import level_text
from igen.text import Text
from igen.units import counted, format_duration

ONE, SEVERAL = 21, 26
"""Lines for one system and for several; the command adds up to four about what comes next."""
MOST_SENTENCES = 4
MOST_ROWS, MOST_OF_MANY = 16, 10
"""More levels than these are counted, and of many systems, which need more lines for warnings, these."""


def screen(result: Result, sentences: int = MOST_SENTENCES, remarks: Sequence[str] = ()) -> Document:
    """Return the screen with at most so many sentences and as many reasons."""
    sections = [Section("verdict", "", [Paragraph(line) for line in _subjects(result)])]
    sections += [Section("answer", "", answer)] if (answer := _answer(result, sentences)) else []
    table, told, rest = _levels(result, sentences)
    lines: list[Words] = [*_shapes(result, sentences), *told, *_failures(result)]
    blocks: list[Block] = [*([table] if table else []), *map(Paragraph, [*lines, *remarks])]
    if rest:
        more = counted(rest, "further reason")
        blocks.append(Paragraph(f"{more}: igen show {_runs(result)} --all", "note"))
    if blocks:
        sections.append(Section("levels", "", blocks))
    # What somebody has asked for is never left out.
    sections += [each for each in (thresholds(result), not_slower(result)) if each]
    return Document(result.title, [], sections, f"iGen {result.igen_version}")


def _runs(result: Result) -> str:
    return " ".join(dict.fromkeys(system.run for system in result.systems))


def _subjects(result: Result) -> list[str]:
    """Return what ran, for how long, and how many of its levels are VALID; of many systems one line."""
    if are_many(result):
        return [f"{counted(len(result.systems), 'system')}  {_valid(result.systems)}"]
    return [_subject(system, named=is_comparison(result)) for system in result.systems]


def _subject(system: System, *, named: bool) -> str:
    facts = [*([system.name] if named else []), system.workload, *targets_text(system.targets)]
    runs = [run for level in system.levels for run in level.repeats if run.used]
    if runs:
        most = max(level.throughput_per_s.n for level in system.levels)
        facts.append(f"{counted(most, 'run')} × {format_duration(max(run.measured_s for run in runs))}")
    return "  ".join([*facts, _valid([system])])


def _valid(systems: Sequence[System]) -> str:
    verdicts = [level.trust.verdict for system in systems for level in system.levels]
    return f"VALID {verdicts.count('VALID')} of {len(verdicts)}"


def _answer(result: Result, sentences: int) -> list[Block]:
    """Return what must not be used, and of compared systems the answer."""
    said = banner(result, reasons=False)
    warnings: list[Block] = [Banner(said)] if said else []
    speaking = any(speaking_for(system) or not system.levels for system in result.systems)
    told: list[Text] = []
    if result.overall or is_comparison(result) or speaking:
        pairs = 0 if speaking else len(headline_ratios(result))
        told = headline(result)[: max(min(sentences, pairs or sentences), 1)]
        if not any(system.levels for system in result.systems):
            told += all_notes(result)
    return [*warnings, *(Paragraph(sentence, "headline") for sentence in told)]


def _failures(result: Result) -> list[str]:
    """Return the most frequent reason why transactions failed."""
    found = Counter[str]()
    for system in result.systems:
        for level in system.levels:
            for each in level.failures:
                found[each.text] += each.count
    return [f"{counted(count, 'failure')}: {text}" for text, count in found.most_common(1)]


def _shapes(result: Result, sentences: int) -> list[Text]:
    """Return how the curve goes, and what limits it."""
    if is_comparison(result) or not result.systems:
        return []
    (system,) = result.systems
    said = [say(found) for found in shape_of(system)]
    return [*said, *(each.text for each in bottleneck(result))][:sentences]


def _levels(result: Result, sentences: int) -> tuple[Table | None, list[Text], int]:
    """Return the table of the levels, the first reasons of their verdicts, and how many more there are."""
    many = are_many(result)
    rows, most = (_one_of_each(result), MOST_OF_MANY) if many else (level_rows(result), MOST_ROWS)
    if not rows:
        return None, [], 0
    axis = LoadAxis.of(result)
    names = [system.name for system in result.systems]
    lines = _side_by_side(rows, axis) if len(names) == 2 else [[row] for row in rows]
    hidden, lines = len(lines[most:]), lines[:most]
    found = footnotes([[each for row in line for each in reasons(row.level.findings)] for line in lines])
    shown = found.lines()[:sentences]
    marks = [found.mark(place, len(shown)) for place in range(len(lines))]
    worst = [max((row.level for row in line), key=_gravity) for line in lines]
    # A row of many systems has the throughput alone.
    told = [level.trust.throughput if many else verdict_text(level) for level in worst]
    cells = [f"{text} {mark}".rstrip() for text, mark in zip(told, marks, strict=True)]
    verdicts = [level.trust.throughput if many else level.trust.verdict for level in worst]
    verdict = Column("verdict", cells, "text", verdicts=verdicts)
    columns = _of_two(lines, names, axis) if len(names) == 2 else _of_each(result, rows[:most])
    more = [f"{counted(hidden, 'more row')}: igen show {_runs(result)} --all"] if hidden else []
    return Table([*columns, verdict], more), shown, len(found.notes) - len(shown)


def _one_of_each(result: Result) -> list[LevelRow]:
    """Return one level of each of many systems: at the load at which they are compared, or else the best one.

    Nothing if an aspect stands for the throughput.
    """
    if speaking_for(*result.systems):
        return []
    axis, common = LoadAxis.of(result), common_load(result)
    chosen = []
    for system in result.systems:
        at_common = [level for level in system.levels if axis.value(level) == common]
        chosen += [id(level) for level in (*at_common, best_level(system)) if level is not None][:1]
    return [row for row in level_rows(result) if id(row.level) in chosen]


def _side_by_side(rows: Sequence[LevelRow], axis: LoadAxis) -> list[list[LevelRow]]:
    """Return the rows of each load together."""
    return [[*of_load] for _, of_load in groupby(rows, key=lambda row: axis.value(row.level))]


def _gravity(level: Level) -> int:
    return GRAVITY.index(level.trust.verdict)


def _of_each(result: Result, rows: Sequence[LevelRow]) -> list[Column]:
    """Return the columns of a table that has one line for each level."""
    levels = [row.level for row in rows]
    columns = load_columns(result, rows)
    rates = [significant(level.throughput_per_s.value, 4) for level in levels]
    columns += [
        Column(f"{rows[0].system.transaction}/s", rates),
        Column("95 %", [half_width(level.throughput_per_s) for level in levels]),
    ]
    if is_comparison(result):
        ratios = [row.ratio.shown if row.ratio else None for row in rows]
        columns.append(Column("change", [signed_change(each) if each else "" for each in ratios]))
        if are_many(result):
            return columns
        return [*columns, *_times(levels, ("mean",)), *_failed(levels)]
    return [*columns, *_times(levels, ("mean", "p50", "p99")), *_failed(levels)]


def _of_two(lines: Sequence[Sequence[LevelRow]], names: Sequence[str], axis: LoadAxis) -> list[Column]:
    """Return the columns of a table that has one line for each load of two systems."""
    found = [{row.system.name: row for row in line} for line in lines]
    transaction = lines[0][0].system.transaction
    rates = [
        [row.level.throughput_per_s.value if (row := of.get(name)) else None for name in names]
        for of in found
    ]
    cells = [significant(rate, 4) for each in rates for rate in each]
    ratios = [next((row.ratio.shown for row in line if row.ratio), None) for line in lines]
    times = [of[name].level.response_time_ms if name in of else None for of in found for name in names]
    unit, per_ms = time_unit(time.p99 for time in times if time)
    p99s = column([per_ms * time.p99 if time else None for time in times])
    return [
        Column(axis.title, [axis.short(line[0].level) for line in lines], key=True),
        *(Column(shorten(name, 16), cells[at::2], group=f"{transaction}/s") for at, name in enumerate(names)),
        Column("change", [signed_change(each) if each else "" for each in ratios]),
        Column(_level_of(ratios), [signed_ends(each) or ABSENT if each else "" for each in ratios]),
        *(Column(shorten(name, 16), p99s[at::2], group=f"p99, {unit}") for at, name in enumerate(names)),
    ]


def _level_of(ratios: Sequence[Figure | None]) -> str:
    """Return the level of their intervals; `interval` if they have several."""
    levels = {level_text(each.level) for each in ratios if each and each.low is not None}
    return levels.pop() if len(levels) == 1 else "interval"


def _times(levels: Sequence[Level], names: Sequence[str]) -> list[Column]:
    times = [level.response_time_ms for level in levels]
    unit, per_ms = time_unit(getattr(time, name) for time in times if time for name in names)
    return [
        Column(
            f"{name} {unit}" if name == names[0] else name,
            column([None if time is None else per_ms * getattr(time, name) for time in times]),
        )
        for name in names
    ]


def _failed(levels: Sequence[Level]) -> list[Column]:
    """Return errors, and arrivals that nobody sent, if there were any."""
    counts = {"errors": [level.errors for level in levels], "unsent": [level.unsent for level in levels]}
    return [Column(name, [f"{each:,}" for each in of]) for name, of in counts.items() if any(of)]
