"""The top of a report: what must not be read over, the sentences to remember, and the figures."""

from __future__ import annotations

from igen.document import Banner, Block, Fold, Paragraph, Section
from igen.judge.result import Result
from igen.layout.blocks import present
from igen.report.level_tables import results_table
from igen.report.points_table import points_table
from igen.report.statement import banner, headline
from igen.report.subject import are_many
from igen.units import counted


def verdict(result: Result) -> Section:
    """Return the first sentence, the figures of all levels below it, and the other sentences.

    The figures of many systems are folded.
    """
    tables: list[Block] = [results_table(result), points_table(result)]
    if are_many(result):
        tables = [Fold(f"The figures of {counted(len(result.systems), 'system')}", present(tables))]
    first, *others = _sentences(result)
    return Section("verdict", "", present([*_banner(result), first, *tables, *others]))


def verdict_on_terminal(result: Result) -> Section:
    """The sentences alone."""
    return Section("verdict", "", [*_banner(result), *_sentences(result)])


def named_points(result: Result) -> Section | None:
    """Peak, sweet spot and knee as a table."""
    table = points_table(result)
    return Section("points", "", [table]) if table else None


def _banner(result: Result) -> list[Block]:
    said = banner(result)
    return [Banner(said)] if said else []


def _sentences(result: Result) -> list[Block]:
    return [Paragraph(sentence, "headline") for sentence in headline(result)]
