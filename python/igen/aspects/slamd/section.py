"""The statistics in SLAMD's columns, a table for each system that has them."""

from __future__ import annotations

from igen.aspects.slamd.columns import slamd_table
from igen.aspects.slamd.rows import slamd_rows_of
from igen.document import Block, Fold, Paragraph, Phrase, Section, Words
from igen.judge.result import Result
from igen.layout.blocks import name, section

TITLE: Words = ["Statistics in SLAMD's columns ", Phrase("times in ms", "muted")]


def statistics(result: Result) -> Section | None:
    """Return the tables behind a title that opens them."""
    return section("statistics", "", [Fold(TITLE, _tables(result))])


def statistics_on_terminal(result: Result) -> Section | None:
    """Return the tables."""
    return section("statistics", "In SLAMD's columns (times in ms)", _tables(result))


def _tables(result: Result) -> list[Block]:
    found = [system for system in result.systems if slamd_rows_of(system)]
    return [block for system in found for block in (Paragraph([name(result, system)]), slamd_table(system))]
