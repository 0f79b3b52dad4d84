"""The outline of a report: ONE list of its sections. A new section is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from igen.document import Document, Phrase, Section, Words
from igen.judge.aspect import Views
from igen.judge.result import Result
from igen.layout.level import colour_places, is_comparison
from igen.report.aspects import of_aspects
from igen.report.measured_on import measured_on
from igen.report.sections import (
    curves,
    disclosure,
    levels,
    lint,
    notes,
    observations,
    thresholds,
    verdict,
)
from igen.report.subject import are_many, what_ran
from igen.text import Text

Make = Callable[[Result], Section | None]


OUTLINE = (
    Views(verdict.verdict, verdict.verdict_on_terminal),
    Views(thresholds.thresholds, thresholds.thresholds),
    Views(thresholds.not_slower, thresholds.not_slower),
    Views(disclosure.warnings),
    Views(observations.observations, observations.observations),
    Views(curves.attribution, curves.attribution),
    Views(curves.tests, curves.tests),
    Views(curves.instances, curves.instances_on_terminal),
    *of_aspects("references"),
    Views(curves.grid),
    Views(curves.scaling),
    *of_aspects("pictures"),
    Views(curves.distribution),
    Views(curves.ratios, curves.ratios_on_terminal),
    Views(levels.levels, levels.levels_on_terminal),
    Views(levels.readings, levels.readings),
    Views(None, verdict.named_points),
    Views(observations.bottleneck, observations.bottleneck),
    Views(levels.timeline),
    Views(disclosure.environment, disclosure.differences),
    Views(None, disclosure.warnings),
    Views(lint.lint),
    Views(disclosure.disclosure),
)
"""In the order in which a reader asks: what, how sure, why, from what."""


def page(result: Result, remarks: Sequence[str] = (), *, statistics: bool = False) -> Document:
    """Return everything, for a page.

    `remarks`: notes that people wrote on the runs; `statistics`: with tables of statistics.
    """
    more = [each.page for each in of_aspects("statistics")] if statistics else []
    document = _document(result, [*(each.page for each in OUTLINE), *more], remarks)
    return replace(document, lines=[*document.lines, *measured_on(result)])


def summary(result: Result, *, statistics: bool = False, remarks: Sequence[str] = ()) -> Document:
    """What fits a terminal; `statistics`: with tables of statistics."""
    more = [each.terminal for each in of_aspects("statistics")] if statistics else []
    return _document(result, [*(each.terminal for each in OUTLINE), *more], remarks)


def _document(result: Result, makers: list[Make | None], remarks: Sequence[str]) -> Document:
    made = [make(result) for make in makers if make is not None]
    # Behind the verdict, which they mostly explain.
    sections = [each for each in (made[0], notes.notes(remarks), *made[1:]) if each is not None]
    return Document(result.title, _lines(result), sections, f"iGen {result.igen_version}")


def _lines(result: Result) -> list[Words]:
    """Return what ran against what, and when: systems with the same facts on one line."""
    places = colour_places(result)
    coloured = is_comparison(result) and not are_many(result)
    by_facts: dict[str, list[str | Text | Phrase]] = {}
    for system, name, facts in what_ran(result):
        names = by_facts.setdefault(" · ".join(facts), [])
        names += [", "] * bool(names)
        names.append(Phrase(name, "strong", colour=places[system.name] if coloured else None))
    return [[*names, f" · {facts}"] for facts, names in by_facts.items()]
