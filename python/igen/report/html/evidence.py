"""The end of the page: SLAMD's columns, the environment, and how it was measured."""

from __future__ import annotations

from igen.analysis.result import Result, System
from igen.report.detail_tables import facts_tables, runs_table, settings_tables
from igen.report.html.element import Html, join, tag
from igen.report.html.overview import swatch
from igen.report.html.table import render_table
from igen.report.level import is_comparison
from igen.report.method import floor_sentence, method
from igen.report.reproduce import command
from igen.report.sentence import all_warnings
from igen.report.slamd_table import slamd_table
from igen.report.table import Table


def _listing(title: str, texts: list[str], anchor: str) -> Html:
    if not texts:
        return Html("")
    return tag("div", tag("h3", title), tag("ul", *(tag("li", text) for text in texts)), id=anchor)


def _name(result: Result, system: System) -> Html:
    return join(swatch(result, system), tag("span", system.name)) if is_comparison(result) else Html("")


def _groups(tables: list[tuple[str, Table]]) -> Html:
    """Small tables with a heading each, in as many columns as there is room for."""
    parts = [tag("div", tag("h4", group), render_table(table), class_="facts") for group, table in tables]
    return tag("div", *parts, class_="fact-groups") if parts else Html("")


def _slamd(result: Result) -> Html:
    tables = [
        join(tag("p", _name(result, system)), render_table(slamd_table(system)))
        for system in result.systems
        if system.slamd_table
    ]
    if not tables:
        return Html("")
    summary = tag("summary", "Statistics in SLAMD's columns ", tag("span", "times in ms", class_="rate"))
    return tag("details", summary, *tables)


def environment_section(result: Result) -> Html:
    """Section 8: warnings, differences, facts, SLAMD's columns."""
    facts = _groups(facts_tables(result))
    return tag(
        "section",
        tag("h2", "Environment and statistics"),
        _slamd(result),
        join(tag("h3", "Hardware and software"), facts) if facts else Html(""),
        _listing("The systems differ in", result.differences, "differences"),
        _listing("Warnings", all_warnings(result), "warnings"),
        id="environment",
    )


def _system(result: Result, system: System) -> Html:
    floor = Html("")
    if system.floor_ns is not None:
        floor = tag("p", floor_sentence(system.floor_ns))
    summary = tag("summary", "Runs and their files ", tag("span", system.run, class_="rate"))
    return join(
        tag("h3", _name(result, system)) if is_comparison(result) else Html(""),
        join(tag("p", "Run it again:"), tag("pre", command(system), tabindex="0")) if system.levels else "",
        floor,
        _groups(settings_tables(system)),
        tag("details", summary, render_table(runs_table(system))),
    )


def disclosure_section(result: Result) -> Html:
    """Section 9: how to run it again, from which files the figures come, and what they mean."""
    terms = [join(tag("dt", term), tag("dd", text)) for term, text in method(result)]
    return tag(
        "section",
        tag("h2", "How it was measured"),
        *(_system(result, system) for system in result.systems),
        tag("h3", "What the figures mean"),
        tag("dl", *terms),
        id="disclosure",
    )
