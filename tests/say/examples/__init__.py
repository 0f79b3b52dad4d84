"""A finding of each rule, as the judge and the aspects make it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from igen.judge.trust.finding import Finding, Part
from tests.say.examples.comparisons import OF_COMPARISONS
from tests.say.examples.estates import OF_ESTATES
from tests.say.examples.headlines import OF_HEADLINES
from tests.say.examples.machines import OF_MACHINES
from tests.say.examples.publication import OF_PUBLICATIONS
from tests.say.examples.published import OF_PUBLISHED
from tests.say.examples.runs import OF_RUNS
from tests.say.examples.systems import OF_SYSTEMS
from tests.say.examples.workloads import OF_WORKLOADS


def all_of(found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield findings and what explains them."""
    for each in found:
        yield each
        yield from all_of(each.because)


FOOTNOTES = tuple(dict.fromkeys(all_of(OF_RUNS)))
"""Findings that a table reports as footnotes, several in one sentence."""
ALL = tuple(
    dict.fromkeys(
        (
            *FOOTNOTES,
            *all_of((*OF_SYSTEMS, *OF_WORKLOADS, *OF_COMPARISONS)),
            *all_of(OF_HEADLINES),
            *all_of((*OF_PUBLISHED, *OF_PUBLICATIONS)),
            *OF_ESTATES,
            *OF_MACHINES,
        )
    )
)


def with_other_figures(found: Finding) -> Finding:
    """Return the same finding of a run in which everything was twice as much, and 5 s later."""
    return replace(
        found,
        parts=tuple(map(_other, found.parts)),
        because=tuple(map(with_other_figures, found.because)),
    )


def _other(part: Part) -> Part:
    if part.figure is None:
        return replace(part, span=part.span and (part.span[0] + 5, part.span[1] and part.span[1] + 5))
    span = part.span and (2 * part.span[0], part.span[1] and 2 * part.span[1])
    return replace(part, figure=2 * part.figure, span=span)


def names_by_rule() -> Mapping[str, set[str]]:
    """Return the names of all parts that the examples of a rule have."""
    names: dict[str, set[str]] = {}
    for each in ALL:
        names.setdefault(each.rule, set()).update(part.name for part in each.parts)
    return names
