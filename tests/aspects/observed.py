"""Observations of a system by their rules."""

from __future__ import annotations

from igen.judge.result import Finding, System
from tests.said import has as has
from tests.said import texts_of as texts

__all__ = ["has", "observed", "texts"]


def observed(system: System, *rules: str) -> list[Finding]:
    """Return the observations of these rules."""
    return [each for each in system.observations if each.rule in rules]
