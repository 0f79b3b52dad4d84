"""What the figures rest on: statistics, the environment, how it was measured, which files."""

from __future__ import annotations

from collections.abc import Sequence

from igen.document import Block, Fold, Heading, Items, Panes, Paragraph, Phrase, Section, Table, run_file
from igen.judge.result import Result, System
from igen.layout.blocks import name, present, section
from igen.layout.level import is_comparison
from igen.report.detail_tables import facts_tables, runs_table, settings_tables
from igen.report.method import floor_sentence, method
from igen.report.observation import all_notes
from igen.report.reproduce import command
from igen.say import difference_text
from igen.text import Text

FOR_OTHERS = (
    "Pack the run for others: they check it with `igen publish verify` and measure it again with "
    "`igen publish reproduce`:"
)


def environment(result: Result) -> Section | None:
    """Facts, and differences between systems."""
    blocks: list[Block] = []
    facts = _small(facts_tables(result))
    if facts is not None:
        blocks += [Heading("Hardware and software"), facts]
    if result.differences:
        blocks += [Heading("The systems differ in"), Items(_differences(result))]
    return section("environment", "Environment", blocks)


def differences(result: Result) -> Section | None:
    """Facts and parameters in which the compared systems differ."""
    found = _differences(result)
    return section("differences", "The systems differ in", [Items(found)] if found else [])


def _differences(result: Result) -> list[Text]:
    return [difference_text(each) for each in result.differences]


def warnings(result: Result) -> Section | None:
    """What a reader must know before using the figures."""
    found = all_notes(result)
    return section("warnings", "Warnings", [Items(found)] if found else [])


def disclosure(result: Result) -> Section | None:
    """How to run it again, from which files the figures come, and what they mean."""
    blocks: list[Block] = [each for system in result.systems for each in _of_system(result, system)]
    blocks.append(Heading("What the figures mean"))
    blocks += [Paragraph([Phrase(f"{term}. ", "strong"), text]) for term, text in method(result)]
    return section("disclosure", "How it was measured", blocks)


def _of_system(result: Result, system: System) -> list[Block]:
    blocks: list[Block] = [Heading([name(result, system)])] if is_comparison(result) else []
    if system.levels:
        blocks += [Paragraph("Run it again:"), Paragraph(command(system), "code")]
        blocks += [
            Paragraph(FOR_OTHERS),
            Paragraph(f"igen publish bundle {system.run} -o result.igen", "code"),
        ]
    if system.floor_ns is not None:
        blocks.append(Paragraph(floor_sentence(system.floor_ns)))
    folder = Phrase(system.run, link=run_file(system.run))
    blocks.append(Paragraph(["Raw data: ", folder, "; each run's file is linked below."]))
    settings = _small(settings_tables(system))
    runs = Fold("Runs and their files", present([runs_table(system)]))
    return [*blocks, *([settings] if settings else []), runs]


def _small(tables: Sequence[tuple[str, Table]]) -> Panes | None:
    """Small tables with a heading each, side by side."""
    found: list[list[Block]] = [[Heading(group, 4), table] for group, table in tables if table]
    return Panes(found) if found else None
