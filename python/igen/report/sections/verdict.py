"""The top of a report: what must not be read over, the sentences to remember, and the figures."""

from __future__ import annotations

from igen.document import Banner, Block, Fold, Paragraph, Section
from igen.judge.result import Result
from igen.layout.blocks import present
from igen.report.detail_tables import points_table
from igen.report.level_tables import results_table
from igen.report.statement import banner, headline
from igen.report.subject import are_many
from igen.units import counted


def verdict(result: Result) -> Section:
    """Return the verdict in sentences, and the figures of all levels, folded if there are many systems."""
    tables: list[Block] = [results_table(result), points_table(result)]
    if are_many(result):
        tables = [Fold(f"The figures of {counted(len(result.systems), 'system')}", present(tables))]
    return Section("verdict", "", present([*_sentences(result), *tables]))


def verdict_on_terminal(result: Result) -> Section:
    """The sentences alone."""
    return Section("verdict", "", _sentences(result))


def named_points(result: Result) -> Section | None:
    """Peak, sweet spot and knee as a table."""
    table = points_table(result)
    return Section("points", "", [table]) if table else None


def _sentences(result: Result) -> list[Block]:
    said = banner(result)
    warning: list[Block] = [Banner(said)] if said else []
    return [*warning, *(Paragraph(sentence, "headline") for sentence in headline(result))]
