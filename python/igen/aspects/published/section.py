"""Published figures, in words and next to the run's, if a study names some."""

from __future__ import annotations

from collections.abc import Callable

from igen.aspects.published.parts import Published, published_beside
from igen.aspects.slamd.columns import published_table, ratio_to_published_table
from igen.document import Block, Heading, Items, Paragraph, Section, Table
from igen.judge.result import Result, System
from igen.layout.blocks import section
from igen.layout.level import LoadAxis
from igen.say import say
from igen.text import Text

CONTRADICTIONS = "The published table does not close:"
RECOMPUTED = "What follows from the published figures, and where they do not agree:"


def published(result: Result) -> Section | None:
    """Return the section with every column that was published."""
    return _published(result, lambda each, system: published_table(each, system.name))


def published_on_terminal(result: Result) -> Section | None:
    """Return the section with rates and mean times alone."""
    return _published(result, lambda each, system: ratio_to_published_table(each))


def _published(result: Result, table_of: Callable[[Published, System], Table]) -> Section | None:
    named = dict.fromkeys(system.reference for system in result.systems if system.reference)
    blocks: list[Block] = [Paragraph(words) for words in named]
    for system in result.systems:
        for each in published_beside(system).tables:
            blocks += [Heading(_title(system, each)), table_of(each, system)]
            if each.contradictions:
                blocks += [
                    Paragraph(CONTRADICTIONS),
                    Items([Text.of(say(found), ".") for found in each.contradictions]),
                ]
    follows = dict.fromkeys(
        found for system in result.systems for found in published_beside(system).recomputed
    )
    if follows:
        blocks += [Paragraph(RECOMPUTED), Items([Text.of(say(found), ".") for found in follows])]
    return section("published", "Published", blocks)


def _title(system: System, published: Published) -> str:
    """Return which level of the system stands next to which published table."""
    level = next((level for level in system.levels if level.level == published.level), None)
    if level is None:
        return f"{published.title}, as published; no level of {system.name} may stand beside it"
    axis = LoadAxis.over([system])
    return f"{published.title}, as published, and {system.name} at {axis.name(level)}"
