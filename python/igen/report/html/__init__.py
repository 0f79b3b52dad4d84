"""The report as one HTML file that needs nothing else: no network, no files beside it, no script."""

from __future__ import annotations

from importlib import resources

from igen.analysis.result import Result
from igen.report.charts import draw_pictures
from igen.report.html.element import Html, join, tag
from igen.report.html.evidence import disclosure_section, environment_section
from igen.report.html.overview import bottleneck_section, header, observations_section, verdict
from igen.report.html.results import (
    grid_section,
    instances_section,
    levels_section,
    memory_section,
    ratio_section,
    reference_section,
    scaling_section,
    tests_section,
    timeline_section,
)


def _asset(name: str) -> Html:
    return Html(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"))


def render_html(result: Result) -> str:
    """The whole page, in the order in which a reader asks: what, how sure, why, from what."""
    pictures = draw_pictures(result)
    sections = join(
        verdict(result),
        observations_section(result),
        tests_section(result),
        instances_section(result, pictures),
        reference_section(result),
        grid_section(pictures),
        memory_section(pictures),
        scaling_section(pictures),
        ratio_section(pictures),
        levels_section(result),
        bottleneck_section(result),
        timeline_section(result, pictures),
        environment_section(result),
        disclosure_section(result),
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="generator", content=f"iGen {result.igen_version}"),
        tag("title", result.title),
        tag("style", _asset("page.css")),
    )
    footer = tag("footer", f"iGen {result.igen_version}")
    body = tag("body", header(result), tag("main", sections), footer, tag("script", _asset("page.js")))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"
