"""The middle of the page: scaling, published figures, ratios, tables by level, timelines."""

from __future__ import annotations

from collections.abc import Sequence

from igen.analysis.result import Level, Result, System
from igen.report.charts import Picture, Pictures
from igen.report.detail_tables import counters_table, operations_table
from igen.report.device_tables import devices_table
from igen.report.html.element import Html, join, tag
from igen.report.html.overview import swatch
from igen.report.html.table import render_table, verdict_word
from igen.report.level import LoadAxis, is_comparison, level_name
from igen.report.level_tables import resources_table, results_table
from igen.report.scaling_tables import scaling_table, spread_table, targets_table
from igen.report.sentence import CONTRADICTIONS, estimate_text, published_title, references
from igen.report.server_tables import server_table, waits_table
from igen.report.slamd_table import published_table
from igen.report.tests_table import overall_table, tables_by_test
from igen.report.timeline import merged_intervals
from igen.report.workload_tables import workload_tables

MOST_OPEN = 6
"""With more levels than this only the named ones and those in doubt are unfolded."""
MEMORY_CAPTION = (
    "The best width of each kernel at each place. Bytes by STREAM's rule; dashed: non-temporal stores, which "
    "are not to be laid beside STREAM's figures. Bars: 95 % interval over repeats."
)
SCALING_CAPTION = (
    "Bands and bars: 95 % interval over repeats. Filled: VALID; diamond: SUSPECT; hollow: INVALID, kept out "
    "of the line. Dotted: ideal scaling from the lowest load, or the offered rate. Axes begin at 0 unless "
    "marked as logarithmic."
)
GRID_CAPTION = "A cell for each system: its peak, or the level with the highest throughput; none if INVALID."
RATIO_CAPTION = (
    "Dot: ratio; bar: its 95 % interval. Grey with ~ where the interval spans 1: cannot be told apart."
)
TIMELINE_CAPTION = (
    "Repeats from left to right, each from its warm-up to its end; what does not count is grey. "
    "Heat map: the darker, the more transactions (log scale); all levels of a system share one response "
    "time axis."
)
MERGED_CAPTION = " A column may stand for {} intervals: mean throughput, highest percentiles."


def figures(pictures: Sequence[Picture], caption: str) -> Html:
    """Pictures side by side where there is room, with a caption below."""
    drawn = [tag("div", Html(picture.inline()), class_="picture") for picture in pictures]
    return tag("figure", tag("div", *drawn, class_="pictures"), tag("figcaption", caption))


def grid_section(pictures: Pictures) -> Html:
    """Heat maps over two settings; only of systems that differ in these alone."""
    if not pictures.grid:
        return Html("")
    return tag("section", tag("h2", "Over two settings"), figures(pictures.grid, GRID_CAPTION), id="grid")


def memory_section(pictures: Pictures) -> Html:
    """Bandwidth and latency over size and threads; only of the workload `mem`."""
    if not pictures.memory:
        return Html("")
    return tag("section", tag("h2", "Memory"), figures(pictures.memory, MEMORY_CAPTION), id="memory")


def scaling_section(pictures: Pictures) -> Html:
    """Section 3: throughput and response time over the load."""
    if not pictures.scaling:
        return Html("")
    return tag("section", tag("h2", "Scaling"), figures(pictures.scaling, SCALING_CAPTION), id="scaling")


def tests_section(result: Result) -> Html:
    """One ratio for each test, and each test load by load; only of a study that names tests."""
    if not result.overall:
        return Html("")
    tables = [join(tag("h3", title), render_table(table)) for title, table in tables_by_test(result)]
    return tag("section", tag("h2", "Tests"), render_table(overall_table(result)), *tables, id="tests")


def instances_section(result: Result, pictures: Pictures) -> Html:
    """Throughput and response time over the number of targets; only of a study that varies it."""
    found = [system for system in result.systems if system.scaling]
    if not found:
        return Html("")
    tables = [
        join(
            tag("p", swatch(result, system), system.name) if len(found) > 1 else Html(""),
            render_table(scaling_table(system)),
        )
        for system in found
    ]
    drawn = figures(pictures.instances, SCALING_CAPTION)
    return tag("section", tag("h2", "Scaling over instances"), *tables, drawn, id="instances")


def reference_section(result: Result) -> Html:
    """Published figures, in words and beside the run's, where a study names some."""
    parts = [tag("p", text) for text in references(result)]
    for system in result.systems:
        for each in system.published:
            contradictions = tag("ul", *(tag("li", text) for text in each.contradictions))
            parts += [
                tag("h3", swatch(result, system), published_title(system, each)),
                render_table(published_table(each, system.name)),
                join(tag("p", f"{CONTRADICTIONS}:"), contradictions) if each.contradictions else Html(""),
            ]
    return tag("section", tag("h2", "Published"), *parts, id="published") if parts else Html("")


def ratio_section(pictures: Pictures) -> Html:
    """Section 4: the ratio at each level; only where systems are compared."""
    if not pictures.ratios:
        return Html("")
    drawn = figures(pictures.ratios, RATIO_CAPTION)
    return tag("section", tag("h2", "Ratio at each level"), drawn, id="ratios")


def _title(result: Result, system: System, level: Level, axis: LoadAxis) -> Html:
    who = join(swatch(result, system), f"{system.name}, ") if is_comparison(result) else Html("")
    rate = tag("span", f"{estimate_text(level.throughput_per_s)} {system.transaction}/s", class_="rate")
    return tag("summary", who, level_name(system, level, axis), " ", rate, " ", verdict_word(level.verdict))


def _unfolded(system: System, level: Level) -> bool:
    named = [point.level for point in (system.peak, system.sweet_spot, system.knee) if point is not None]
    return len(system.levels) <= MOST_OPEN or level.level in named or level.verdict != "VALID"


def _operations(result: Result, system: System, axis: LoadAxis) -> list[Html]:
    """A fold for each level with its operations, counters and targets; the peak's is open."""
    first = system.levels[0].level if system.levels else 0
    shown = system.peak.level if system.peak is not None else first
    return [
        tag(
            "details",
            _title(result, system, level, axis),
            render_table(operations_table(level)),
            render_table(counters_table(level)),
            render_table(targets_table(level)),
            render_table(waits_table(level)),
            render_table(devices_table(level)),
            open=level.level == shown,
        )
        for level in system.levels
        if level.operations or level.counters or level.targets
    ]


def levels_section(result: Result) -> Html:
    """Section 5: results and resources by level, operations below."""
    axis = LoadAxis.of(result)
    spread = render_table(spread_table(result))
    servers = render_table(server_table(result))
    resources = resources_table(result)
    keys = 2 if is_comparison(result) else 1
    operations = [fold for system in result.systems for fold in _operations(result, system, axis)]
    return tag(
        "section",
        tag("h2", "Levels"),
        render_table(results_table(result)),
        *(join(tag("h3", title), render_table(table)) for title, table in workload_tables(result)),
        join(tag("h3", "Resources"), render_table(resources)) if len(resources.columns) > keys else Html(""),
        join(tag("h3", "Server"), servers) if servers else Html(""),
        join(tag("h3", "Targets"), spread) if spread else Html(""),
        join(tag("h3", "Operations"), *operations) if operations else Html(""),
        id="levels",
    )


def timeline_section(result: Result, pictures: Pictures) -> Html:
    """Section 7: what happened over time at each level."""
    axis = LoadAxis.of(result)
    parts = []
    for system, levels in zip(result.systems, pictures.timelines, strict=True):
        for level, strips in zip(system.levels, levels, strict=True):
            drawn = [Html(picture.inline()) for picture in strips]
            if drawn:
                parts.append(
                    tag("details", _title(result, system, level, axis), *drawn, open=_unfolded(system, level))
                )
    if not parts:
        return Html("")
    step = merged_intervals(result)
    merged = MERGED_CAPTION.format(step) if step > 1 else ""
    return tag(
        "section",
        tag("h2", "Timeline"),
        tag("p", TIMELINE_CAPTION + merged, class_="note"),
        tag("div", *parts, class_="timelines"),
        id="timeline",
    )
