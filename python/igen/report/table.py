"""A table as a value: columns of finished text, which every format draws in its own way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["text", "number", "verdict", "prose"]
"""How a cell is drawn: left, right, as a coloured word, or as text that may wrap."""


@dataclass(frozen=True, slots=True)
class Column:
    """A header and its cells; neighbours with the same `group` share a header above their own."""

    title: str
    cells: Sequence[str]
    kind: Kind = "number"
    group: str = ""

    @property
    def full_title(self) -> str:
        """Group and header in one, for formats with one header line: `response time p99, ms`."""
        noun, comma, unit = self.group.partition(", ")
        return f"{noun} {self.title}{comma}{unit}".strip()


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length, what is to be said about single rows, and notes that stand below all."""

    columns: list[Column]
    notes: list[str] = field(default_factory=list)
    remarks: dict[int, list[str]] = field(default_factory=dict)
    """By number of the row: texts too long for a cell."""

    def rows(self) -> Iterator[tuple[str, ...]]:
        """The cells row by row."""
        return zip(*(column.cells for column in self.columns), strict=True)

    def groups(self) -> list[tuple[str, int]]:
        """The upper header line: each group with the number of columns it spans."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            if spans and spans[-1][0] == column.group:
                spans[-1] = (column.group, spans[-1][1] + 1)
            else:
                spans.append((column.group, 1))
        return spans
