"""A table as HTML: two header lines where columns have groups, numbers to the right, its own scroll box."""

from __future__ import annotations

from igen.report.html.element import Html, join, tag
from igen.report.table import Column, Table

CLASSES = {"text": "text", "number": "number", "verdict": "text", "prose": "prose"}


def verdict_word(verdict: str) -> Html:
    """The verdict as a small coloured word."""
    return tag("span", verdict, class_=f"verdict {verdict.lower()}")


def _cell(text: str, column: Column, first: bool) -> Html:
    content: str = verdict_word(text) if column.kind == "verdict" else text
    if first:
        return tag("th", content, class_=CLASSES[column.kind], scope="row")
    return tag("td", content, class_=CLASSES[column.kind])


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


def render_table(table: Table, caption: str = "") -> Html:
    """The table in a box that scrolls by itself when the page is too narrow; nothing for one without rows."""
    if not table.columns or not table.columns[0].cells:
        return Html("")
    rows = []
    for number, cells in enumerate(table.rows()):
        pairs = zip(cells, table.columns, strict=True)
        rows.append(
            tag("tr", *(_cell(text, column, place == 0) for place, (text, column) in enumerate(pairs)))
        )
        if number in table.remarks:
            texts = tag("ul", *(tag("li", text) for text in table.remarks[number]))
            rows.append(tag("tr", tag("td", texts, colspan=str(len(table.columns))), class_="remarks"))
    head = tag("caption", caption) if caption else Html("")
    body = tag("table", head, _head(table), tag("tbody", *rows))
    notes = [tag("p", note, class_="note") for note in table.notes]
    return join(tag("div", body, class_="scroll", tabindex="0"), *notes)
