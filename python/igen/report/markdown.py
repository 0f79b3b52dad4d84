"""The report as Markdown with its charts in a folder beside it: for wikis and repositories."""

from __future__ import annotations

import html
from pathlib import Path
from urllib.parse import quote

from igen.analysis.result import Level, Observation, Result, System
from igen.report.charts import Picture, Pictures, draw_pictures
from igen.report.detail_tables import (
    counters_table,
    facts_tables,
    operations_table,
    points_table,
    runs_table,
    settings_tables,
)
from igen.report.device_tables import devices_table
from igen.report.level import LoadAxis, is_comparison, level_name
from igen.report.level_tables import resources_table, results_table
from igen.report.method import floor_sentence, method
from igen.report.reproduce import command
from igen.report.scaling_tables import scaling_table, spread_table, targets_table
from igen.report.sentence import (
    CONTRADICTIONS,
    all_warnings,
    bottleneck,
    estimate_text,
    headline,
    observations,
    published_title,
    references,
    what_ran,
)
from igen.report.server_tables import server_table, waits_table
from igen.report.slamd_table import published_table, slamd_table
from igen.report.table import Table
from igen.report.tests_table import overall_table, tables_by_test
from igen.report.workload_tables import workload_tables

LEVEL_TABLES = (operations_table, counters_table, targets_table, waits_table, devices_table)


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    plain = html.escape(" ".join(text.split()), quote=False)
    return "".join(f"\\{sign}" if sign in "\\`*[]|" else sign for sign in plain)


def table_lines(table: Table) -> list[str]:
    """A pipe table; nothing for one without rows."""
    if not table.columns or not table.columns[0].cells:
        return []
    rules = ["---:" if column.kind == "number" else "---" for column in table.columns]
    lines = [[escape(column.full_title) for column in table.columns], rules]
    lines += [[escape(cell) for cell in row] for row in table.rows()]
    remarks = [
        f"{table.columns[0].title} {table.columns[0].cells[number]}: {text}"
        for number, texts in table.remarks.items()
        for text in texts
    ]
    return [
        "",
        *(f"| {' | '.join(cells)} |" for cells in lines),
        *_bullets(remarks),
        *_paragraphs(table.notes),
    ]


def _paragraphs(texts: list[str]) -> list[str]:
    return [line for text in texts for line in ("", escape(text))]


def _bullets(texts: list[str]) -> list[str]:
    return ["", *(f"- {escape(text)}" for text in texts)] if texts else []


def _observed(title: str, found: list[Observation]) -> list[str]:
    bullets = _bullets([f"{each.text} ({each.evidence})" for each in found])
    return ["", f"## {title}", *bullets] if found else []


class _Gallery:
    """The pictures that the text shows, as PNG with a link to the SVG."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: dict[Path, bytes] = {}

    def show(self, picture: Picture) -> list[str]:
        self.files[self.folder / f"{picture.name}.png"] = picture.png()
        self.files[self.folder / f"{picture.name}.svg"] = picture.svg.encode()
        address = quote(f"{self.folder.name}/{picture.name}")
        return ["", f"[![{escape(picture.description)}]({address}.png)]({address}.svg)"]


def _level_title(result: Result, system: System, level: Level) -> str:
    who = f"{system.name}, " if is_comparison(result) else ""
    rate = f"{estimate_text(level.throughput_per_s)} {system.transaction}/s"
    return escape(f"{who}{level_name(system, level, LoadAxis.of(result))}: {rate}, {level.verdict}")


def _tests(result: Result) -> list[str]:
    lines = ["", "## Tests", *table_lines(overall_table(result))] if result.overall else []
    for title, table in tables_by_test(result):
        lines += ["", f"### {escape(title)}", *table_lines(table)]
    return lines


def _instances(result: Result, pictures: Pictures, gallery: _Gallery) -> list[str]:
    found = [system for system in result.systems if system.scaling]
    lines = ["", "## Scaling over instances"] if found else []
    for system in found:
        lines += ["", escape(system.name), *table_lines(scaling_table(system))]
    return lines + [line for each in pictures.instances for line in gallery.show(each)]


def _operations(result: Result) -> list[str]:
    lines = []
    for system in result.systems:
        for level in system.levels:
            kinds = (each(level) for each in LEVEL_TABLES)
            tables = [line for table in kinds for line in table_lines(table)]
            if tables:
                lines += ["", f"#### {_level_title(result, system, level)}", *tables]
    return ["", "### Operations", *lines] if lines else []


def _published(result: Result) -> list[str]:
    words = references(result)
    lines = ["", "## Published", *_paragraphs(words)] if words else []
    for system in result.systems:
        for each in system.published:
            lines += ["", f"### {escape(published_title(system, each))}"]
            lines += table_lines(published_table(each, system.name))
            lines += ["", f"{CONTRADICTIONS}:", *_bullets(each.contradictions)] if each.contradictions else []
    return lines


def _environment(result: Result) -> list[str]:
    lines = ["", "## Environment and statistics"]
    for system in result.systems:
        if system.slamd_table:
            lines += ["", f"### SLAMD's columns, {escape(system.name)} (times in ms)"]
            lines += table_lines(slamd_table(system))
    lines += ["", "### Hardware and software"]
    for group, table in facts_tables(result):
        lines += ["", f"#### {escape(group)}", *table_lines(table)]
    for title, texts in (("The systems differ in", result.differences), ("Warnings", all_warnings(result))):
        lines += ["", f"### {title}", *_bullets(texts)] if texts else []
    return lines


def _disclosure(result: Result) -> list[str]:
    lines = ["", "## How it was measured"]
    for system in result.systems:
        lines += ["", f"### {escape(system.name)}"]
        if system.levels:
            lines += ["", "Run it again:", "", *(f"    {line}" for line in command(system).splitlines())]
        if system.floor_ns is not None:
            lines += ["", floor_sentence(system.floor_ns)]
        for group, table in settings_tables(system):
            lines += ["", f"#### {escape(group)}", *table_lines(table)]
        lines += ["", f"#### Runs of {escape(system.run)}", *table_lines(runs_table(system))]
    lines += ["", "### What the figures mean"]
    return lines + [line for term, text in method(result) for line in ("", f"**{term}.** {escape(text)}")]


def render_markdown(result: Result, path: Path) -> dict[Path, bytes]:
    """The text at `path` and the charts in the folder `<stem>-charts` beside it."""
    pictures = draw_pictures(result)
    gallery = _Gallery(path.with_name(f"{path.stem}-charts"))
    lines = [f"# {escape(result.title)}", ""]
    for _, name, facts in what_ran(result):
        lines.append(f"- {escape(' · '.join([name, *facts]))}")
    lines += _paragraphs(headline(result)) + table_lines(points_table(result))
    lines += _observed("Observations", observations(result))
    lines += _tests(result)
    lines += _instances(result, pictures, gallery)
    lines += _published(result)
    for title, drawn in (
        ("Over two settings", pictures.grid),
        ("Memory", pictures.memory),
        ("Scaling", pictures.scaling),
        ("Ratio at each level", pictures.ratios),
    ):
        lines += ["", f"## {title}"] if drawn else []
        lines += [line for each in drawn for line in gallery.show(each)]
    lines += ["", "## Levels", *table_lines(results_table(result))]
    for title, table in workload_tables(result):
        lines += ["", f"### {title}", *table_lines(table)]
    lines += ["", "### Resources", *table_lines(resources_table(result))]
    servers = table_lines(server_table(result))
    lines += ["", "### Server", *servers] if servers else []
    spread = table_lines(spread_table(result))
    lines += ["", "### Targets", *spread] if spread else []
    lines += _operations(result)
    lines += _observed("Bottleneck", bottleneck(result))
    lines += ["", "## Timeline"]
    for system, levels in zip(result.systems, pictures.timelines, strict=True):
        for level, strips in zip(system.levels, levels, strict=True):
            lines += ["", f"### {_level_title(result, system, level)}"]
            lines += [line for each in strips for line in gallery.show(each)]
    lines += [*_environment(result), *_disclosure(result), "", f"iGen {escape(result.igen_version)}"]
    return {path: ("\n".join(lines) + "\n").encode(), **gallery.files}
