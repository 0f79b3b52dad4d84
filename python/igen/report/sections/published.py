"""Published figures, in words and beside the run's, where a study names some."""

from __future__ import annotations

from collections.abc import Callable

from igen.aspects.published.parts import Published, published_beside
from igen.aspects.slamd.columns import published_table, ratio_to_published_table
from igen.document import Block, Heading, Items, Section, Table, Text
from igen.judge.result import Result, System
from igen.report.sections.words import section
from igen.report.subject import published_title, references

CONTRADICTIONS = "The published table does not close:"
RECOMPUTED = "What follows from the published figures, and where they do not agree:"


def published(result: Result) -> Section | None:
    """With every column that was published."""
    return _published(result, lambda each, system: published_table(each, system.name))


def published_on_terminal(result: Result) -> Section | None:
    """Rates and mean times alone."""
    return _published(result, lambda each, system: ratio_to_published_table(each))


def _published(result: Result, table_of: Callable[[Published, System], Table]) -> Section | None:
    blocks: list[Block] = [Text(words) for words in references(result)]
    for system in result.systems:
        for each in published_beside(system).tables:
            blocks += [Heading(published_title(system, each)), table_of(each, system)]
            if each.contradictions:
                blocks += [Text(CONTRADICTIONS), Items(each.contradictions)]
    follows = [text for system in result.systems for text in published_beside(system).recomputed]
    if follows:
        blocks += [Text(RECOMPUTED), Items(list(dict.fromkeys(follows)))]
    return section("published", "Published", blocks)
