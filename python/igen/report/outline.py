"""The outline of a report: ONE list of its sections. A new section is a function and a line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from igen.aspects.aspects import ASPECTS
from igen.document import Document, Phrase, Section, Words
from igen.judge.result import Result
from igen.layout.level import colour_places, is_comparison
from igen.report.sections import (
    curves,
    disclosure,
    levels,
    lint,
    notes,
    observations,
    published,
    thresholds,
    verdict,
)
from igen.report.subject import are_many, what_ran

Make = Callable[[Result], Section | None]


@dataclass(frozen=True, slots=True)
class Part:
    """A section as a page has it and as a terminal has it; None where one of them is without it."""

    page: Make | None
    terminal: Make | None = None


OUTLINE = (
    Part(verdict.verdict, verdict.verdict_on_terminal),
    Part(thresholds.thresholds, thresholds.thresholds),
    Part(thresholds.not_slower, thresholds.not_slower),
    Part(observations.observations, observations.observations),
    Part(curves.tests, curves.tests),
    Part(curves.instances, curves.instances_on_terminal),
    Part(published.published, published.published_on_terminal),
    Part(curves.grid),
    Part(curves.scaling),
    *(Part(aspect.pictures) for aspect in ASPECTS),
    Part(curves.distribution),
    Part(curves.ratios, curves.ratios_on_terminal),
    Part(levels.levels, levels.levels_on_terminal),
    Part(levels.readings, levels.readings),
    Part(None, verdict.named_points),
    Part(observations.bottleneck, observations.bottleneck),
    Part(levels.timeline),
    Part(disclosure.environment, disclosure.differences),
    Part(disclosure.warnings, disclosure.warnings),
    Part(lint.lint),
    Part(disclosure.disclosure),
)
"""In the order in which a reader asks: what, how sure, why, from what."""


def page(result: Result, remarks: Sequence[str] = ()) -> Document:
    """Everything, for a page; `remarks`: what people have written down of the runs."""
    return _document(result, [part.page for part in OUTLINE], remarks)


def summary(result: Result, *, slamd: bool = False, remarks: Sequence[str] = ()) -> Document:
    """What fits a terminal; `slamd`: with the statistics in SLAMD's columns."""
    more = [disclosure.statistics] if slamd else []
    return _document(result, [*(part.terminal for part in OUTLINE), *more], remarks)


def _document(result: Result, makers: list[Make | None], remarks: Sequence[str]) -> Document:
    made = [make(result) for make in makers if make is not None]
    # Behind the verdict, which they mostly explain.
    sections = [each for each in (made[0], notes.notes(remarks), *made[1:]) if each is not None]
    return Document(result.title, _lines(result), sections, f"iGen {result.igen_version}")


def _lines(result: Result) -> list[Words]:
    """What ran against what, and when."""
    places = colour_places(result)
    coloured = is_comparison(result) and not are_many(result)
    return [
        [Phrase(name, "strong", colour=places[system.name] if coloured else None), f" · {' · '.join(facts)}"]
        for system, name, facts in what_ran(result)
    ]
