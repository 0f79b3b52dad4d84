"""The HTML file: complete, in order, small, without a network, safe against the texts it shows."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser

import pytest

from igen.report.html import render_html
from igen.report.html.element import Html, tag
from report import sample

MOST_BYTES = 2_000_000
SECTIONS = [
    "verdict",
    "observations",
    "scaling",
    "ratios",
    "levels",
    "bottleneck",
    "timeline",
    "environment",
    "disclosure",
]
ALL = ["one_system", "comparison", "open_load", "hostile", "broken"]
VOID = {"meta", "br", "col"}


class Page(HTMLParser):
    """Elements, attributes and visible text; fails on elements that are not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@cache
def html(name: str) -> str:
    return render_html(getattr(sample, name)())


@cache
def page(name: str) -> Page:
    return Page(html(name))


@pytest.mark.parametrize("name", ALL)
def test_small(name: str) -> None:
    assert len(html(name).encode()) <= MOST_BYTES


@pytest.mark.parametrize("name", ALL)
def test_sections_stand_in_order(name: str) -> None:
    found = [attributes.get("id") for attributes in page(name).of("section")]
    assert found == [section for section in SECTIONS if section in found]
    assert {"verdict", "scaling", "levels", "environment", "disclosure"} <= set(found)


def test_one_system_has_all_sections_but_ratios_and_a_comparison_has_them() -> None:
    assert [each["id"] for each in page("one_system").of("section")] == [
        section for section in SECTIONS if section != "ratios"
    ]
    assert "ratios" in [each["id"] for each in page("comparison").of("section")]


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_fetched(name: str) -> None:
    for element, attributes in page(name).elements:
        assert element not in ("link", "iframe", "object", "embed", "base"), element
        for attribute in ("src", "href", "xlink:href", "data", "srcset", "action", "poster"):
            value = attributes.get(attribute)
            assert value is None or value.startswith(("#", "data:image/png;base64,")), value
    styles = re.findall(r"<style>(.*?)</style>", html(name), re.S)
    assert len(styles) == 1
    assert "url(" not in styles[0]
    assert "@import" not in styles[0]
    assert not re.search(r"\bfetch\(|XMLHttpRequest|import\(", html(name))


@pytest.mark.parametrize("name", ALL)
def test_scripts_are_ours_alone(name: str) -> None:
    assert html(name).count("<script") == 1
    assert not any(
        attribute.startswith("on") for _, attributes in page(name).elements for attribute in attributes
    )


def test_hostile_texts_are_shown_as_they_are() -> None:
    shown = page("hostile").text
    assert shown.count(sample.HOSTILE) > 10
    assert "a | b" in shown


@pytest.mark.parametrize("name", ["one_system", "comparison"])
def test_every_level_is_there_with_verdict_and_reasons(name: str) -> None:
    shown = page(name).text
    for system in getattr(sample, name)().systems:
        for level in system.levels:
            assert level.verdict in shown
            assert f"{level.throughput_per_s.value:,.0f}" in shown
            for reason in level.reasons:
                assert reason in shown


@pytest.mark.parametrize("name", ALL)
def test_pictures_are_described_and_ids_are_unique(name: str) -> None:
    pictures = page(name).of("svg")
    assert pictures
    assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in pictures)
    assert all("viewbox" in attributes and "width" not in attributes for attributes in pictures)
    ids = [attributes["id"] for _, attributes in page(name).elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    used = set(re.findall(r"url\(#([^)]+)\)", html(name)))
    assert used <= set(ids)


def test_each_level_has_a_timeline_and_a_heat_map() -> None:
    assert len(page("one_system").of("image")) == 4 * 3
    pictures = [str(each["aria-label"]) for each in page("one_system").of("svg")]
    assert sum(label.startswith("Heat map") for label in pictures) == 4


def test_points_have_tooltips() -> None:
    assert "8 users" in html("one_system")
    assert re.search(
        r"<title>shop-sqlite, 4 users\n8,934 transactions/s \(8,800 to 9,070\)", html("one_system")
    )


def test_a_comparison_draws_both_curves_in_one_picture() -> None:
    first = page("comparison").of("svg")[0]
    assert "ext4, xfs" in str(first["aria-label"])


def test_elements_escape_what_is_not_markup() -> None:
    assert tag("p", "<&>", Html("<br>"), title='"x"', hidden=True, open=False) == (
        '<p title="&quot;x&quot;" hidden>&lt;&amp;&gt;<br></p>'
    )
