"""A document as one HTML file that needs nothing else: no network, no files beside it, no script."""

from __future__ import annotations

from importlib import resources

from igen.document import Document
from igen.report.printers.address import Address
from igen.report.printers.html.blocks import Page
from igen.report.printers.html.element import Html, tag


def _asset(name: str) -> Html:
    return Html(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def print_html(document: Document, address: Address) -> str:
    """The whole page: title, contents, sections."""
    page = Page(address)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="generator", content=document.footer),
        tag("title", document.title),
        tag("style", _asset("page.css")),
    )
    lines = [tag("p", page.words(line), class_="meta") for line in document.lines]
    contents = [tag("a", each.title, href=f"#{each.name}") for each in document.sections if each.title]
    header = tag("header", tag("h1", document.title), *lines, tag("nav", *contents, aria_label="Contents"))
    sections = [
        tag(
            "section",
            tag("h2", each.title) if each.title else Html(""),
            *map(page.block, each.blocks),
            id=each.name,
        )
        for each in document.sections
    ]
    footer = tag("footer", document.footer)
    body = tag("body", header, tag("main", *sections), footer, tag("script", _asset("page.js")))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"
