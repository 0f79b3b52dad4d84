"""What a reader sees of a result, without drawing a picture; and its pictures, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from igen.document import Block, Document, Fold, Panes, Picture, Pictures
from igen.judge.result import Result
from igen.report.outline import page
from igen.report.printers.address import addresses
from igen.report.printers.html import print_html
from igen.report.printers.markdown import print_markdown
from igen.report.printers.terminal import Terminal
from igen.report.text import summary_text

PLAIN = Terminal(width=100)


def without_figures(document: Document) -> Document:
    sections = [replace(each, blocks=_words_of(each.blocks)) for each in document.sections]
    return replace(document, sections=sections)


def _words_of(blocks: Sequence[Block]) -> list[Block]:
    kept: list[Block] = []
    for block in blocks:
        if isinstance(block, Fold):
            kept.append(replace(block, blocks=_words_of(block.blocks)))
        elif isinstance(block, Panes):
            kept.append(Panes([_words_of(pane) for pane in block.panes]))
        elif not isinstance(block, Pictures):
            kept.append(block)
    return kept


def html(result: Result) -> str:
    return print_html(without_figures(page(result)), addresses(Path("r.html"), {}))


def markdown(result: Result) -> str:
    path = Path("r.md")
    return print_markdown(without_figures(page(result)), path, addresses(path, {}))[path].decode()


def terminal(result: Result) -> str:
    return summary_text(result, terminal=PLAIN)


def every_format(result: Result) -> tuple[str, str, str]:
    return html(result), markdown(result), terminal(result)


def pictures(result: Result) -> dict[str, list[Picture]]:
    """By the section that shows them."""
    return {
        section.name: found for section in page(result).sections if (found := _pictures_of(section.blocks))
    }


def _pictures_of(blocks: Sequence[Block]) -> list[Picture]:
    found: list[Picture] = []
    for block in blocks:
        if isinstance(block, Pictures):
            found += block.pictures
        elif isinstance(block, Fold):
            found += _pictures_of(block.blocks)
        elif isinstance(block, Panes):
            found += [picture for pane in block.panes for picture in _pictures_of(pane)]
    return found
