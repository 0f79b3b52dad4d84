"""Tables and paragraphs on a terminal: aligned columns, wrapped lines, colour only where it is welcome."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from igen.report.table import Column, Table

GAP = "  "
COLOURS = {"VALID": "32", "SUSPECT": "33", "INVALID": "31"}
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

    def paint(self, cell: str, padded: str) -> str:
        """`padded` in the colour of the verdict that `cell` begins with."""
        code = COLOURS.get(cell.partition(" ")[0])
        return f"\x1b[{code}m{padded}\x1b[0m" if self.colour and code else padded


def clean(text: str) -> str:
    """Text without control characters: a name must not steer the reader's terminal."""
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _pad(text: str, width: int, column: Column) -> str:
    return text.rjust(width) if column.kind == "number" else text.ljust(width)


def draw(table: Table, terminal: Terminal) -> list[str]:
    """The table as lines, groups of columns centred above them; no line for a table without columns."""
    if not table.columns:
        return []
    widths = [max(len(column.title), *map(len, column.cells), 0) for column in table.columns]
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
    for row in table.rows():
        cells = []
        for cell, (column, width) in zip(row, columns, strict=True):
            padded = _pad(clean(cell), width, column)
            cells.append(terminal.paint(cell, padded) if column.kind == "verdict" else padded)
        lines.append(GAP.join(cells).rstrip())
    return lines + [line for note in table.notes for line in paragraph(note, terminal)]


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


def listing(title: str, texts: Iterable[str], terminal: Terminal) -> str:
    """A titled list; nothing at all when it is empty."""
    lines = [line for text in texts for line in paragraph(text, terminal, lead="  - ")]
    return "\n".join([title, *lines]) if lines else ""
