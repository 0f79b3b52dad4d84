"""The landscape of a workload as a document: own results beside published ones, and where these disagree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from igen.aspects.published.landscape import Standing
from igen.document import Block, Column, Document, Heading, Items, Paragraph, Section, Table
from igen.judge.figure.figure import Figure
from igen.judge.trust.finding import Finding
from igen.layout.number import ABSENT, half_width, ratio, ratio_interval, significant, time_ms
from igen.say import say
from igen.text import Text
from igen.units import format_rate
from igen.version import VERSION

NOTES = [
    "ratio: the newest own result over this one, where both are rates of the same; with its 95 % interval.",
    "per W, rack unit and core: of published users, else of the rate; of all machines together.",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A result, and the ratio of one's own to it."""

    standing: Standing
    ratio: Figure | None
    per_watt: float | None
    per_rack_unit: float | None
    per_core: float | None
    per_chip: float | None
    per_1000_of_price: float | None

    @classmethod
    def of(cls, standing: Standing, ratio: Figure | None) -> Row:
        """With what follows from it."""
        by_price = standing.per("price")
        return cls(
            standing=standing,
            ratio=ratio,
            per_watt=standing.per("watts"),
            per_rack_unit=standing.per("rack_units"),
            per_core=standing.per("cores"),
            per_chip=standing.per("chips"),
            per_1000_of_price=None if by_price is None else 1000 * by_price,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Landscape:
    """All results of a workload."""

    workload: str
    rows: list[Row]
    contradictions: list[Finding]


def landscape_document(landscape: Landscape) -> Document:
    """Own results first."""
    blocks: list[Block] = [_table(landscape.rows)]
    if not any(not row.standing.published for row in landscape.rows):
        blocks.append(Paragraph(f"No own result yet: igen run {landscape.workload}", "note"))
    if landscape.contradictions:
        heading = Heading("What follows from the published figures, and where they do not agree")
        blocks += [heading, Items([Text.of(say(each), ".") for each in landscape.contradictions])]
    section = Section("landscape", "", blocks)
    return Document(f"{landscape.workload}: own and published", [], [section], f"iGen {VERSION}")


def _table(rows: Sequence[Row]) -> Table:
    of = [row.standing for row in rows]
    return Table(
        [
            Column("result", [each.name for each in of], "text", key=True),
            Column("from", [each.source if each.published else "own" for each in of], "text"),
            Column("rate", [_rate(each) for each in of]),
            Column("±", [half_width(each.per_s) if each.per_s else ABSENT for each in of]),
            Column("users", [f"{each.users:,}" if each.users else ABSENT for each in of]),
            Column("response", [time_ms(each.response_ms) for each in of]),
            Column("W", [significant(row.per_watt) for row in rows], group="per"),
            Column("rack unit", [significant(row.per_rack_unit) for row in rows], group="per"),
            Column("core", [significant(row.per_core) for row in rows], group="per"),
            Column("chip", [significant(row.per_chip) for row in rows], group="per"),
            *_by_price(rows),
            Column("ratio", [ratio(row.ratio) for row in rows]),
            Column("95 %", [ratio_interval(row.ratio) for row in rows]),
        ],
        NOTES,
    )


def _by_price(rows: Sequence[Row]) -> list[Column]:
    """Only where one is told: publications rarely do."""
    if all(row.per_1000_of_price is None for row in rows):
        return []
    return [Column("1,000 of price", [significant(row.per_1000_of_price) for row in rows], group="per")]


def _rate(standing: Standing) -> str:
    return ABSENT if standing.per_s is None else f"{format_rate(standing.per_s.value)} {standing.unit}"
