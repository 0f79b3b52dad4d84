"""The blocks of a document as HTML."""

from __future__ import annotations

from dataclasses import dataclass

from igen.document import (
    Banner,
    Block,
    Column,
    Fold,
    Heading,
    Items,
    Panes,
    Paragraph,
    Phrase,
    Picture,
    Pictures,
    Table,
    Verdict,
    Words,
)
from igen.printed import printed
from igen.report.draw import draw
from igen.report.palette import SYSTEM_COLOURS
from igen.report.printers.address import Address
from igen.report.printers.html.element import Html, join, tag
from igen.text import Text

MOST_LOOSE = 14
"""Tables of more columns than these are set closer, to fit 1,400 pixels."""
CLASSES = {"text": "text", "number": "number", "prose": "prose"}


@dataclass(frozen=True, slots=True)
class Page:
    """Writes blocks whose links lead to files seen from one place."""

    address: Address

    def words(self, words: Words) -> Html:
        """A line of text with its phrases."""
        if isinstance(words, str | Text):
            return join(printed(words))
        return join(*(self._phrase(each) if isinstance(each, Phrase) else printed(each) for each in words))

    def _phrase(self, phrase: Phrase) -> Html:
        square = Html("")
        if phrase.colour is not None:
            square = tag("span", class_=f"swatch c{phrase.colour % len(SYSTEM_COLOURS)}")
        where = self.address(phrase.link) if phrase.link else ""
        text = printed(phrase.text)
        if where:
            text = tag("a", text, href=where)
        if phrase.style == "strong":
            text = tag("strong", text)
        elif phrase.style == "muted":
            text = tag("span", text, class_="muted")
        elif phrase.style == "code":
            text = tag("code", text)
        elif phrase.verdict:
            text = verdict_word(phrase.verdict, printed(phrase.text))
        return join(square, text)

    def block(self, block: Block) -> Html:
        """Any block."""
        if isinstance(block, Paragraph):
            return self._text(block)
        if isinstance(block, Banner):
            return self._banner(block)
        if isinstance(block, Heading):
            return tag(f"h{block.level}", self.words(block.words))
        if isinstance(block, Items):
            return tag("ul", *(tag("li", self.words(each)) for each in block.entries))
        if isinstance(block, Table):
            return self.table(block)
        if isinstance(block, Pictures):
            return _figure(block)
        if isinstance(block, Fold):
            title = tag("summary", self.words(block.title))
            return tag("details", title, *map(self.block, block.blocks), open=block.open)
        return self._panes(block)

    def _text(self, text: Paragraph) -> Html:
        if text.role == "code":
            return tag("pre", self.words(text.words), tabindex="0")
        return tag("p", self.words(text.words), class_=text.role if text.role != "plain" else False)

    def _banner(self, banner: Banner) -> Html:
        first, *reasons = map(self.words, banner.lines)
        lines = [tag("div", each) for each in reasons]
        return tag("div", tag("strong", first), *lines, class_="banner", role="alert")

    def _panes(self, panes: Panes) -> Html:
        """Return folds in a grid, groups of small tables in columns like a newspaper's."""
        kinds = {type(pane[0]) for pane in panes.panes if pane}
        groups = [tag("div", *map(self.block, pane), class_="pane") for pane in panes.panes]
        return tag("div", *groups, class_="folds" if kinds == {Fold} else "columns")

    def table(self, table: Table) -> Html:
        """The table in a box that scrolls by itself when the page is too narrow; nothing without rows."""
        if not table:
            return Html("")
        rows = [
            tag("tr", *(self._cell(column, number, place == 0) for place, column in enumerate(table.columns)))
            for number in range(len(table.columns[0].cells))
        ]
        dense = "dense" if len(table.columns) > MOST_LOOSE else False
        body = tag("table", _head(table), tag("tbody", *rows), class_=dense)
        notes = [tag("p", printed(note), class_="note") for note in table.notes]
        return join(tag("div", body, class_="scroll", tabindex="0"), *notes)

    def _cell(self, column: Column, row: int, first: bool) -> Html:
        text = printed(column.cells[row])
        content: str = verdict_word(column.verdicts[row], text) if column.verdicts else text
        where = self.address(column.links[row]) if column.links else ""
        if where:
            content = tag("a", content, href=where)
        if first:
            return tag("th", content, class_=CLASSES[column.kind], scope="row")
        return tag("td", content, class_=CLASSES[column.kind])


def verdict_word(verdict: Verdict, text: str) -> Html:
    """Return a text that begins with a verdict: the verdict small and coloured, the rest quiet."""
    rest = text.removeprefix(verdict)
    kind = verdict.lower().replace(" ", "-")
    after = tag("span", rest, class_="muted") if rest else Html("")
    return join(tag("span", verdict, class_=f"verdict {kind}"), after)


def _head(table: Table) -> Html:
    if not any(column.title for column in table.columns):
        return Html("")
    titles = [tag("th", column.title, class_=CLASSES[column.kind], scope="col") for column in table.columns]
    lines = [tag("tr", *titles)]
    if any(column.group for column in table.columns):
        groups = [
            tag("th", name, class_="group" if name else "", colspan=str(span), scope="colgroup")
            for name, span in table.groups()
        ]
        lines.insert(0, tag("tr", *groups))
    return tag("thead", *lines)


def _figure(figure: Pictures) -> Html:
    drawn = [tag("div", _inline(picture), class_="picture") for picture in figure.pictures]
    caption = tag("figcaption", figure.caption) if figure.caption else Html("")
    return tag("figure", tag("div", *drawn, class_="pictures"), caption)


def _inline(picture: Picture) -> Html:
    return Html(draw(picture).inline(printed(picture.description)))
