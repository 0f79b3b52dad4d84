"""A document as Markdown with its pictures in a folder beside it: for wikis and repositories."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

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
    Phrase,
    Picture,
    Pictures,
    Section,
    Table,
    Words,
)
from igen.printed import printed
from igen.report.printers.address import Address
from igen.text import Text


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    plain = html.escape(" ".join(text.split()), quote=False)
    return "".join(f"\\{sign}" if sign in "\\`*[]|" else sign for sign in plain)


def print_markdown(document: Document, path: Path, address: Address) -> dict[Path, bytes]:
    """The text at `path` and the pictures, PNG and SVG, in the folder `<stem>-charts` beside it."""
    printer = _Printer(address, path.with_name(f"{path.stem}-charts"))
    lines = [f"# {escape(document.title)}", ""]
    lines += [f"- {printer.words(line)}" for line in document.lines]
    lines += ["", _contents(document.sections)]
    for each in document.sections:
        lines += ["", f"## {escape(each.title)}"] if each.title else []
        lines += [line for block in each.blocks for line in printer.block(block, 3)]
    lines += ["", escape(document.footer)]
    return {path: ("\n".join(lines) + "\n").encode(), **printer.files}


def _contents(sections: Sequence[Section]) -> str:
    return " · ".join(f"[{escape(each.title)}](#{_slug(each.title)})" for each in sections if each.title)


def _slug(title: str) -> str:
    """The address that GitHub and most others give a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@dataclass
class _Printer:
    address: Address
    folder: Path
    files: dict[Path, bytes] = field(default_factory=dict)

    def words(self, words: Words) -> str:
        if isinstance(words, str | Text):
            return escape(printed(words))
        # The spaces around a phrase must stay: only the text inside a line is brought to one line.
        parts = [
            self._phrase(each) if isinstance(each, Phrase) else _escaped(printed(each)) for each in words
        ]
        return "".join(parts).strip()

    def _phrase(self, phrase: Phrase) -> str:
        text = _escaped(printed(phrase.text))
        where = self.address(phrase.link) if phrase.link else ""
        if where and not where.startswith("#"):
            return f"[{text}]({where})"
        if phrase.style == "strong" and text.strip():
            ending = text[len(text.rstrip()) :]
            return f"**{text.strip()}**{ending}"
        return f"`{printed(phrase.text)}`" if phrase.style == "code" else text

    def block(self, block: Block, level: int) -> list[str]:
        """Lines, each block after an empty one; headings begin at this `level`."""
        if isinstance(block, Banner):
            return ["", *(f"> **{self.words(line)}**  " for line in block.lines)]
        if isinstance(block, Paragraph):
            return self._text(block)
        if isinstance(block, Heading):
            return ["", f"{'#' * max(level, block.level)} {self.words(block.words)}"]
        if isinstance(block, Items):
            return ["", *(f"- {self.words(each)}" for each in block.entries)]
        if isinstance(block, Table):
            return self.table(block)
        if isinstance(block, Pictures):
            shown = [line for picture in block.pictures for line in self._picture(picture)]
            return shown + (["", f"*{escape(block.caption)}*"] if block.caption else [])
        if isinstance(block, Fold):
            inside = [line for each in block.blocks for line in self.block(each, level + 1)]
            return ["", f"{'#' * (level + 1)} {self.words(block.title)}", *inside]
        return self._panes(block, level)

    def _panes(self, panes: Panes, level: int) -> list[str]:
        lines = [line for pane in panes.panes for each in pane for line in self.block(each, level)]
        return ["", *lines] if lines and lines[0] != "" else lines

    def _text(self, text: Paragraph) -> list[str]:
        if text.role == "code":
            return ["", *(f"    {line}" for line in printed(text.words).splitlines())]
        return ["", self.words(text.words)]

    def table(self, table: Table) -> list[str]:
        """A pipe table; nothing for one without rows."""
        if not table:
            return []
        rules = ["---:" if column.kind == "number" else "---" for column in table.columns]
        lines = [[escape(column.full_title) for column in table.columns], rules]
        lines += [
            [self._cell(column, row) for column in table.columns]
            for row in range(len(table.columns[0].cells))
        ]
        notes = [line for note in table.notes for line in ("", escape(printed(note)))]
        return ["", *(f"| {' | '.join(cells)} |" for cells in lines), *notes]

    def _cell(self, column: Column, row: int) -> str:
        where = self.address(column.links[row]) if column.links else ""
        text = escape(printed(column.cells[row]))
        return f"[{text}]({where})" if where else text

    def _picture(self, picture: Picture) -> list[str]:
        from igen.report.draw import draw

        drawing = draw(picture)
        self.files[self.folder / f"{picture.name}.png"] = drawing.png()
        self.files[self.folder / f"{picture.name}.svg"] = drawing.svg.encode()
        address = quote(f"{self.folder.name}/{picture.name}")
        return ["", f"[![{escape(printed(picture.description))}]({address}.png)]({address}.svg)"]


def _escaped(text: str) -> str:
    """Escaped, with a space at either end where there was one."""
    before, after = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' if before else ''}{escape(text)}{' ' if after and text.strip() else ''}"
