"""The HTML file: complete, in order, small, without a network, safe against the texts it shows."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

import igen
from igen.report.outline import page as document
from igen.report.palette import SYSTEM_COLOURS
from igen.report.printers.address import addresses
from igen.report.printers.html import print_html
from igen.report.printers.html.element import Html, tag
from report import sample
from tests.said import say

MOST_BYTES = 2_000_000
SECTIONS = [
    "verdict",
    "warnings",
    "observations",
    "scaling",
    "distribution",
    "ratios",
    "levels",
    "bottleneck",
    "timeline",
    "environment",
    "lint",
    "disclosure",
]
ALL = ["one_system", "one_level", "comparison", "open_load", "hostile", "broken"]
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
    address = addresses(Path("/a/runs/x/report.html"), {"20261121-014903-oltp-3fa9": Path("/a/runs/x")})
    return print_html(document(getattr(sample, name)()), address)


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
    assert {"verdict", "disclosure"} <= set(found)


def test_every_section_but_those_of_other_results_is_there() -> None:
    assert [each["id"] for each in page("one_system").of("section")] == [
        section for section in SECTIONS if section not in ("ratios", "distribution")
    ]
    assert "ratios" in [each["id"] for each in page("comparison").of("section")]
    found = [each["id"] for each in page("one_level").of("section")]
    assert "distribution" in found
    assert "scaling" not in found


@pytest.mark.parametrize("name", ALL)
def test_the_contents_lead_to_every_section_with_a_title(name: str) -> None:
    inside = [str(each["href"])[1:] for each in page(name).of("a") if str(each["href"]).startswith("#")]
    assert set(inside) <= {each["id"] for each in page(name).of("section")}
    (contents,) = re.findall(r"<nav.*?</nav>", html(name))
    titled = [each["id"] for each in page(name).of("section")][1:]
    assert re.findall(r'href="#([^"]+)"', contents) == titled


def test_runs_lead_to_their_files_from_where_the_page_stands() -> None:
    links = [each["href"] for each in page("one_system").of("a")]
    assert [f"jobs/{number:04}.jsonl" for number in range(1, 13)] == [
        link for link in links if str(link).startswith("jobs/")
    ]
    assert "." in links, "the folder of the run"
    elsewhere = addresses(Path("/a/out/r.html"), {"x": Path("/a/runs/x y")})
    assert elsewhere("run:x/jobs/0001.jsonl") == "../runs/x%20y/jobs/0001.jsonl"
    assert elsewhere("run:unknown/jobs/0001.jsonl") == ""
    assert elsewhere("#levels") == "#levels"


def test_a_banner_stands_above_all_where_levels_cannot_be_used() -> None:
    assert page("one_system").text.index("the figures of 8 users") < page("one_system").text.index(
        "transactions a second"
    )
    assert not [each for each in page("comparison").of("div") if each.get("class") == "banner"]


def test_what_is_wrong_is_bold_to_its_end_and_the_reasons_are_not() -> None:
    form = r'<div class="banner"[^>]*><strong>([^<]*)</strong>((?:<div>[^<]*</div>)+)</div>'
    ((first, _),) = re.findall(form, html("one_system"))
    assert first.endswith("(1 of 4 levels).")
    assert "reject" not in first


def test_the_style_says_each_thing_once() -> None:
    """A second rule of the same selector contradicts the first, or repeats it."""
    style = (Path(print_html.__code__.co_filename).parent / "page.css").read_text(encoding="utf-8")
    for part in style.split("@media"):
        selectors = re.findall(r"^ *([.a-z#][^{}@;]*?) \{", part, re.MULTILINE)
        assert len(selectors) == len(set(selectors)), [
            each for each in selectors if selectors.count(each) > 1
        ]


def test_a_pair_that_cannot_be_told_apart_begins_with_no_figure() -> None:
    assert "cannot be told apart at 2 users" in page("comparison").text
    (sentence,) = re.findall(r'<p class="headline">([^<]*told apart[^<]*)</p>', html("comparison"))
    assert not sentence[0].isdigit()


@pytest.mark.parametrize("name", ALL)
def test_machine_versions_command_and_figures_stand_before_all_pictures(name: str) -> None:
    top, contents, rest = html(name).partition("<nav")
    assert contents
    assert "iGen 0" in top.partition("<h1>")[2]
    assert "<code>igen run " in top
    before = rest.partition("<svg")[0]
    assert before.count("<table") >= 1
    if "warnings" in [each["id"] for each in page(name).of("section")]:
        assert 'id="warnings"' in before


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_empty(name: str) -> None:
    assert not re.search(r"<(tbody|section|figure|details|ul|p|h\d|div)(?: [^>]*)?></\1>", html(name))
    assert not re.search(r"</h[234]>(?=<h[2]|</section)", html(name)), "a title of nothing"


@pytest.mark.parametrize("style", ["report/printers/html/page.css", "console/static/console.css"])
def test_every_page_knows_the_colour_of_every_system(style: str) -> None:
    rules = (Path(igen.__file__).parent / style).read_text(encoding="utf-8")
    swatches = dict(re.findall(r"\.c(\d) \{ background: (#\w+)", rules))
    assert [*swatches] == [str(place) for place in range(len(SYSTEM_COLOURS))]
    for colour, known in zip(swatches.values(), SYSTEM_COLOURS, strict=True):
        assert known.lower() in (colour, colour + colour[1:]), colour


def test_dark_mode_turns_charts_and_swatches_together() -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", html("comparison"), re.S)
    dark = style.partition("prefers-color-scheme: dark")[2].partition("@media")[0]
    assert "svg, .swatch { filter: invert(1)" in dark
    assert set(re.findall(r"(--[\w-]+):", dark)) == set(
        re.findall(r"(--[\w-]+):", style.partition("@media")[0])
    )


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_fetched(name: str) -> None:
    for element, attributes in page(name).elements:
        assert element not in ("link", "iframe", "object", "embed", "base"), element
        for attribute in ("src", "href", "xlink:href", "data", "srcset", "action", "poster"):
            value = attributes.get(attribute)
            assert value is None or re.match(r"#|data:image/png;base64,|jobs/\d+\.jsonl$|\.$", value), value
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
            assert level.trust.verdict in shown
            assert f"{level.throughput_per_s.value:,.0f}" in shown
            for each in level.findings:
                assert say(each) in shown


@pytest.mark.parametrize("name", ALL)
def test_pictures_are_described_and_ids_are_unique(name: str) -> None:
    pictures = page(name).of("svg")
    assert pictures or name == "broken", "nothing was measured there"
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
