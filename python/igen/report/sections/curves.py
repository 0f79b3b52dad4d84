"""The figures over the load, over instances, over two settings, over tests, and their ratios."""

from __future__ import annotations

from igen.document import Block, Heading, Paragraph, Phrase, Pictures, Section, Words
from igen.judge.result import Result
from igen.layout.blocks import name, section, titled
from igen.layout.level import LoadAxis
from igen.report.aspects import speaking_for
from igen.report.attribution_table import attribution_table
from igen.report.curves import load_pictures
from igen.report.distribution import distribution_pictures
from igen.report.grid import grid_pictures
from igen.report.pair import of_tests
from igen.report.ratio_table import one_base, ratio_table
from igen.report.ratios import ratio_pictures
from igen.report.scaling_tables import scaling_table
from igen.report.tests_table import overall_table, tables_by_test

SCALING_CAPTION = (
    "Bands and bars: 95 % interval over runs; small dots: the runs. Circle: VALID; diamond: SUSPECT or ONE "
    "RUN; hollow: INVALID, kept out of the line. Axes begin at 0 unless marked as logarithmic."
)
IDEAL_CAPTION = "Dotted: ideal scaling from the lowest load, or the offered rate."
GRID_CAPTION = "A cell for each system: its peak, or the level with the highest throughput; none if INVALID."
RATIO_CAPTION = (
    "Dot: ratio; bar: the interval that its answer used. Grey with ~: the two cannot be told apart at this "
    "load; grey with =: they are equivalent within the margin."
)
DISTRIBUTION_CAPTION = (
    "Each further nine of the percentile has the same room. Small dots: the runs; bars: 95 % interval over "
    "them. The distribution is that of all measured intervals of the runs that are used."
)


def attribution(result: Result) -> Section | None:
    """The part of each factor in a ratio; only of systems that form a 2 × 2 or a chain."""
    table = attribution_table(result)
    return section("attribution", "The part of each factor", [table]) if table else None


def tests(result: Result) -> Section | None:
    """One ratio for each test, and each test load by load; only of a study that names tests."""
    if not of_tests(result):
        return None
    blocks: list[Block] = [overall_table(result)]
    for title, table in tables_by_test(result):
        blocks += titled(Heading(title), table)
    return section("tests", "Tests", blocks)


def instances(result: Result) -> Section | None:
    """Throughput and response time over the number of targets; only of a study that varies it."""
    found = instances_on_terminal(result)
    if found is None:
        return None
    drawn = Pictures(load_pictures(result, along_targets=True), _caption(result))
    return section(found.name, found.title, [*found.blocks, *([drawn] if drawn.pictures else [])])


def instances_on_terminal(result: Result) -> Section | None:
    """The same without pictures."""
    found = [system for system in result.systems if system.scaling]
    blocks: list[Block] = []
    for system in found:
        blocks += [Paragraph([name(result, system)]), scaling_table(system)]
    return section("instances", "Scaling over instances", blocks)


def grid(result: Result) -> Section | None:
    """Heat maps over two settings; only of systems that differ in these alone."""
    found = grid_pictures(result)
    return section("grid", "Over two settings", [Pictures(found, GRID_CAPTION)]) if found else None


def scaling(result: Result) -> Section | None:
    """Throughput and response time over the load; not where an aspect stands for the throughput."""
    if speaking_for(*result.systems):
        return None
    found = load_pictures(result, along_targets=False)
    return section("scaling", "Scaling", [Pictures(found, _caption(result))]) if found else None


def _caption(result: Result) -> str:
    """What the pictures show; the line of several loads at once has no ideal."""
    return SCALING_CAPTION if LoadAxis.of(result).several else f"{SCALING_CAPTION} {IDEAL_CAPTION}"


def distribution(result: Result) -> Section | None:
    """Percentiles and distribution of response times where there is no curve over the load."""
    found = distribution_pictures(result)
    if not found:
        return None
    return section("distribution", "Response times", [Pictures(found, DISTRIBUTION_CAPTION)])


def ratios(result: Result) -> Section | None:
    """The ratio at each level; only where systems are compared."""
    found = ratio_pictures(result)
    if not found:
        return None
    blocks: list[Block] = [Pictures(found, RATIO_CAPTION)]
    if _has_ratio_table(result):
        blocks.append(ratio_table(result))
    return section("ratios", "Ratio at each level", blocks)


def ratios_on_terminal(result: Result) -> Section | None:
    """Ratios with the figures that they divide as a table."""
    if not _has_ratio_table(result):
        return None
    table = ratio_table(result)
    if not table:
        return None
    base = one_base(result)
    title: Words = ["Ratios to ", Phrase(base, "strong")] if base else "Ratios"
    return section("ratios", "", [Paragraph(title), table])


def _has_ratio_table(result: Result) -> bool:
    """True if there are ratios that stand in no other table: tests and several loads have their own."""
    return not of_tests(result) and any(ratio.decides and not ratio.load for ratio in result.ratios)
