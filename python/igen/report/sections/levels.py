"""The tables by level, and what happened over time at each."""

from __future__ import annotations

from igen.aspects.aspects import ASPECTS
from igen.document import Block, Fold, Heading, Panes, Paragraph, Pictures, Section, Table
from igen.judge.result import Level, Result, System
from igen.layout.blocks import present, section, titled
from igen.layout.level import is_comparison
from igen.report.detail_tables import counters_table, operations_table
from igen.report.disturbance_tables import disturbance_table, warm_up_table
from igen.report.level_tables import resources_table, terminal_table
from igen.report.readings_pictures import readings_pictures
from igen.report.readings_table import readings_table
from igen.report.sections.words import level_title, unfolded
from igen.report.timeline import edges_of, level_pictures, merged_intervals
from igen.report.workload_tables import workload_tables

TIMELINE_CAPTION = (
    "Runs from left to right, each from its warm-up to its end; what does not count is grey. "
    "Heat map: the darker, the more transactions (log scale); all levels of a system share one response "
    "time axis."
)
MERGED_CAPTION = " A column may stand for {} intervals: mean throughput, highest percentiles."


def levels(result: Result) -> Section | None:
    """Return what the table of results at the top leaves out: disturbances, resources, operations."""
    blocks: list[Block] = []
    for title, table in workload_tables(result):
        blocks += titled(Heading(title), table)
    blocks += titled(Heading("What disturbed the machine"), disturbance_table(result))
    blocks += titled(Heading("Cut as warm-up"), warm_up_table(result))
    blocks += titled(Heading("Resources"), _resources(result))
    blocks += titled(
        Heading("Operations"), *(each for system in result.systems for each in _parts(result, system))
    )
    return section("levels", "Levels", blocks)


def levels_on_terminal(result: Result) -> Section | None:
    """Narrower, without resources and operations."""
    blocks: list[Block] = [terminal_table(result)]
    for title, table in workload_tables(result):
        blocks += titled(Heading(title), table)
    return section("levels", "", blocks)


def readings(result: Result) -> Section | None:
    """What monitors read that no other table tells, and over time at the level of each system that is shown
    first."""
    folds = [
        Fold(level_title(result, system, level), [Pictures(drawn)])
        for place, system in enumerate(result.systems, start=1)
        for level in system.levels
        if level.level == _shown(system) and (drawn := readings_pictures(level, str(place)))
    ]
    return section("readings", "Other readings", [readings_table(result), *folds])


def _resources(result: Result) -> Table:
    """Nothing where it would tell the loads alone."""
    table = resources_table(result)
    return table if len(table.columns) > (2 if is_comparison(result) else 1) else Table([])


def _parts(result: Result, system: System) -> list[Fold]:
    """A fold for each level: operations, counters, what aspects know of it; that of the peak is open."""
    return [
        Fold(level_title(result, system, level), present(_tables(level)), open=level.level == _shown(system))
        for level in system.levels
    ]


def _shown(system: System) -> int:
    """Number of the peak, else of the first level."""
    first = system.levels[0].level if system.levels else 0
    return system.peak.level if system.peak is not None else first


def _tables(level: Level) -> list[Table]:
    return [
        operations_table(level),
        counters_table(level),
        *(table(level) for aspect in ASPECTS for table in aspect.tables_of_level),
    ]


def timeline(result: Result) -> Section | None:
    """What happened over time at each level."""
    folds = []
    for system in result.systems:
        edges_ms = edges_of(system)
        for level in system.levels:
            drawn = level_pictures(result, system, level, edges_ms)
            if drawn:
                shown = unfolded(system, level)
                folds.append(Fold(level_title(result, system, level), [Pictures(drawn)], open=shown))
    if not folds:
        return None
    step = merged_intervals(result)
    merged = MERGED_CAPTION.format(step) if step > 1 else ""
    return section(
        "timeline",
        "Timeline",
        [Paragraph(TIMELINE_CAPTION + merged, "note"), Panes([[fold] for fold in folds])],
    )
