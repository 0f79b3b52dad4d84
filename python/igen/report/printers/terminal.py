"""A document on a terminal: aligned columns, wrapped lines, no pictures, colour only where it is welcome."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from igen.document import (
    Banner,
    Block,
    Column,
    Document,
    Fold,
    Heading,
    Items,
    Panes,
    Paragraph,
    Section,
    Table,
    Verdict,
)
from igen.printed import printed

FOOTNOTE = re.compile(r"\[\d+\] ")
GAP = "  "
COLOURS: dict[Verdict, str] = {"VALID": "32", "SUSPECT": "33", "ONE RUN": "33", "INVALID": "31"}
"""ANSI colour of each verdict."""


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where text goes: how wide it may be and whether colour is understood there."""

    width: int = 100
    colour: bool = False

    @classmethod
    def detect(cls) -> Terminal:
        """Standard output as it is; plain when it is no terminal or `NO_COLOR` is set."""
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(shutil.get_terminal_size((100, 40)).columns, colour)

    def paint(self, verdict: Verdict, text: str) -> str:
        """Return the text in the colour of a verdict."""
        return f"\x1b[{COLOURS[verdict]}m{text}\x1b[0m" if self.colour else text


def clean(text: str) -> str:
    """Text without control characters: a name must not steer the reader's terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _pad(text: str, width: int, column: Column) -> str:
    return text.rjust(width) if column.kind == "number" else text.ljust(width)


def draw(table: Table, terminal: Terminal) -> list[str]:
    """The table as lines, groups of columns centred above them; no line for a table without columns.

    One that is too wide is cut into parts below each other, between groups of columns where that is possible;
    each part begins with the columns that tell the rows apart.
    """
    if not table.columns:
        return []
    lines: list[str] = []
    for part in _parts(table, terminal.width):
        lines += ["", *_drawn(part, terminal)] if lines else _drawn(part, terminal)
    return lines + [line for note in table.notes for line in _note(printed(note), terminal)]


def _parts(table: Table, width: int) -> list[Table]:
    """The table, or as many parts of it as it takes."""
    keys = [column for column in table.columns if column.key] or table.columns[:1]
    parts: list[list[Column]] = [[]]
    others = [column for column in table.columns if not any(column is key for key in keys)]
    for _, group in groupby(others, key=lambda column: column.group):
        columns = [*group]
        if parts[-1] and _width([*keys, *parts[-1], *columns]) > width >= _width([*keys, *columns]):
            parts.append([])
        for column in columns:
            if parts[-1] and _width([*keys, *parts[-1], column]) > width:
                parts.append([])
            parts[-1].append(column)
    if len(parts) == 1:
        return [table]
    return [Table([*keys, *part]) for part in parts]


def _width(columns: Sequence[Column]) -> int:
    """Width of the lines of a table with these columns."""
    return sum(map(_column_width, columns)) + len(GAP) * (len(columns) - 1)


def _column_width(column: Column) -> int:
    return max(len(column.title), *(len(printed(cell)) for cell in column.cells), 0)


def _drawn(table: Table, terminal: Terminal) -> list[str]:
    """The lines of a table that fits."""
    widths = [*map(_column_width, table.columns)]
    start = 0
    upper = ""
    for group, span in table.groups():
        room = sum(widths[start : start + span]) + len(GAP) * (span - 1)
        if len(group) > room:
            widths[start] += len(group) - room
            room = len(group)
        words = f" {group} " if len(group) + 2 <= room else group
        upper += words.center(room, "─" if group and span > 1 else " ") + GAP
        start += span
    columns = list(zip(table.columns, widths, strict=True))
    lines = [upper.rstrip()] if upper.strip() else []
    lines.append(GAP.join(_pad(column.title, width, column) for column, width in columns).rstrip())
    for number, row in enumerate(table.rows()):
        cells = []
        for cell, (column, width) in zip(map(printed, row), columns, strict=True):
            padded = _pad(clean(cell), width, column)
            cells.append(terminal.paint(column.verdicts[number], padded) if column.verdicts else padded)
        lines.append(GAP.join(cells).rstrip())
    return lines


def _note(note: str, terminal: Terminal) -> list[str]:
    """What follows the mark of a footnote is indented below it."""
    mark = FOOTNOTE.match(note)
    return paragraph(note[mark.end() :], terminal, lead=mark[0]) if mark else paragraph(note, terminal)


def paragraph(text: str, terminal: Terminal, *, lead: str = "") -> list[str]:
    """Text wrapped to the terminal; `lead` stands before it and what follows is indented below it."""
    return textwrap.wrap(
        clean(text),
        width=max(40, terminal.width),
        initial_indent=clean(lead),
        subsequent_indent=" " * len(lead),
        break_long_words=False,
        break_on_hyphens=False,
    )


def print_text(document: Document, terminal: Terminal) -> str:
    """The sections below each other, without the document's title."""
    return "\n\n".join(print_section(each, terminal) for each in document.sections) + "\n"


def print_section(section: Section, terminal: Terminal) -> str:
    """The section's title, where it has one, and its blocks."""
    lines = paragraph(section.title, terminal) if section.title else []
    tables = 0
    for block in section.blocks:
        # Tables that follow each other are kept apart.
        if isinstance(block, Table) and tables:
            lines.append("")
        tables = tables + 1 if isinstance(block, Table) else 0
        lines += _lines(block, terminal)
    return "\n".join(lines)


def _lines(block: Block, terminal: Terminal) -> list[str]:
    if isinstance(block, Paragraph):
        said = printed(block.words).splitlines()
        return [line for each in said for line in paragraph(each, terminal)]
    if isinstance(block, Banner):
        lines = [line for each in block.lines for line in paragraph(printed(each), terminal)]
        return [terminal.paint("INVALID", line) for line in lines]
    if isinstance(block, Heading):
        return ["", *paragraph(printed(block.words), terminal)]
    if isinstance(block, Items):
        texts = [printed(each) for each in block.entries]
        return [line for text in texts for line in paragraph(text, terminal, lead="  - ")]
    if isinstance(block, Table):
        return draw(block, terminal)
    if isinstance(block, Fold):
        inside = [line for each in block.blocks for line in _lines(each, terminal)]
        return [*paragraph(printed(block.title), terminal), *inside]
    if isinstance(block, Panes):
        return [line for pane in block.panes for each in pane for line in _lines(each, terminal)]
    return []
