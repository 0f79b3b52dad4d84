"""What `igen run`, `igen show` and `igen compare` print: a result as plain text for a terminal."""

from __future__ import annotations

from igen.analysis.result import Result
from igen.report.detail_tables import points_table
from igen.report.level import LoadAxis, is_comparison, level_name, level_rows
from igen.report.level_tables import one_base, ratio_table, terminal_table
from igen.report.scaling_tables import scaling_table
from igen.report.sentence import (
    CONTRADICTIONS,
    all_observations,
    all_warnings,
    headline,
    published_title,
    references,
)
from igen.report.slamd_table import ratio_to_published_table, slamd_table
from igen.report.terminal import Terminal, draw, listing, paragraph
from igen.report.tests_table import overall_table, tables_by_test
from igen.report.workload_tables import workload_tables


def levels_table(result: Result, terminal: Terminal | None = None) -> str:
    """The level table; the reasons of every verdict that is not VALID stand below it as footnotes."""
    terminal = terminal or Terminal.detect()
    axis = LoadAxis.of(result)
    marks: list[str] = []
    footnotes: list[str] = []
    for row in level_rows(result):
        reasons = row.level.reasons + row.level.warnings
        marks.append(f"[{sum(map(bool, marks)) + 1}]" if reasons else "")
        who = f"{row.system.name}, " if is_comparison(result) else ""
        lead = f"{marks[-1]} "
        for text in reasons[:1]:
            footnotes += paragraph(
                f"{who}{level_name(row.system, row.level, axis)}: {text}", terminal, lead=lead
            )
        for text in reasons[1:]:
            footnotes += paragraph(text, terminal, lead=" " * len(lead))
    return "\n".join([*draw(terminal_table(result, marks), terminal), *footnotes])


def ratios_text(result: Result, terminal: Terminal | None = None) -> str:
    """Absolutes and ratios to the base at each common level; empty without ratios."""
    if not result.ratios:
        return ""
    terminal = terminal or Terminal.detect()
    base = one_base(result)
    title = paragraph(f"Ratios to {base}" if base else "Ratios", terminal)
    return "\n".join([*title, *draw(ratio_table(result), terminal)])


def by_test_text(result: Result, terminal: Terminal | None = None) -> str:
    """One ratio for each test, and each test load by load; empty without tests."""
    terminal = terminal or Terminal.detect()
    lines = draw(overall_table(result), terminal)
    for title, table in tables_by_test(result):
        lines += ["", *paragraph(title, terminal), *draw(table, terminal)]
    return "\n".join(lines)


def points_text(result: Result, terminal: Terminal | None = None) -> str:
    """Peak, sweet spot and knee of each system as a table; empty where none could be told."""
    return "\n".join(draw(points_table(result), terminal or Terminal.detect()))


def scaling_text(result: Result, terminal: Terminal | None = None) -> str:
    """Throughput, response time and efficiency by number of instances; empty without such a curve."""
    terminal = terminal or Terminal.detect()
    lines = []
    for system in result.systems:
        if system.scaling:
            lines += [*paragraph(system.name, terminal), *draw(scaling_table(system), terminal)]
    return "\n".join(lines)


def published_text(result: Result, terminal: Terminal | None = None) -> str:
    """Published figures in words and beside the run's, and where they contradict each other."""
    terminal = terminal or Terminal.detect()
    lines = listing("Published", references(result), terminal).splitlines()
    for system in result.systems:
        for each in system.published:
            lines += paragraph(published_title(system, each), terminal)
            lines += draw(ratio_to_published_table(each), terminal)
            lines += listing(CONTRADICTIONS, each.contradictions, terminal).splitlines()
    return "\n".join(lines)


def slamd_text(result: Result, terminal: Terminal | None = None) -> str:
    """The statistics in SLAMD's columns, a table for each system that has them."""
    terminal = terminal or Terminal.detect()
    lines = []
    for system in result.systems:
        if system.slamd_table:
            lines += paragraph(f"{system.name}, in SLAMD's columns (times in ms)", terminal)
            lines += draw(slamd_table(system), terminal)
    return "\n".join(lines)


def summary_text(result: Result, *, slamd: bool = False, terminal: Terminal | None = None) -> str:
    """A result for a terminal: verdict, ratios, levels, points, sentences, each where there is any.

    Ratios have their intervals at each common level, and `~` where they cannot be told from 1.
    """
    terminal = terminal or Terminal.detect()
    observed = [f"{each.text} ({each.evidence})" for each in all_observations(result)]
    parts = (
        "\n".join(line for sentence in headline(result) for line in paragraph(sentence, terminal)),
        by_test_text(result, terminal) or ratios_text(result, terminal),
        scaling_text(result, terminal),
        levels_table(result, terminal),
        *("\n".join(draw(table, terminal)) for _, table in workload_tables(result)),
        points_text(result, terminal),
        listing("The systems differ in", result.differences, terminal),
        published_text(result, terminal),
        listing("Observations", observed, terminal),
        listing("Warnings", all_warnings(result), terminal),
        slamd_text(result, terminal) if slamd else "",
    )
    return "\n\n".join(part for part in parts if part) + "\n"
