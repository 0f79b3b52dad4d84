"""Findings of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from igen.judge.result import Result, System
from igen.judge.trust.finding import Finding

Found = Iterator[Finding]
"""Findings about a publication, and unknown facts that a check needs."""
OfSystem = Callable[[System], Found]
"""A check of one system."""
OfResult = Callable[[Result], Found]
"""A check of all systems together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """A finding with the check that has it."""

    subject: str
    """The check."""
    of: tuple[str, ...] = ()
    """Systems with this finding; empty for all systems."""
    finding: Finding

    @property
    def is_known(self) -> bool:
        """False if it says that a fact is unknown."""
        return self.finding.row.about != "unknown fact"


def doubts(subject: str, found: Found) -> Iterator[Doubt]:
    """Yield what a check found, with the names of the pair that it is about."""
    for each in found:
        of = tuple(part.text for part in each.parts if part.name in ("of", "base"))
        yield Doubt(subject=subject, of=of, finding=each)
