"""Observations of a system by their rules, and the parts of a finding."""

from __future__ import annotations

from igen.judge.result import Finding, System


def observed(system: System, *rules: str) -> list[Finding]:
    """Return the observations of these rules."""
    return [each for each in system.observations if each.rule in rules]


def texts(found: Finding, name: str) -> list[str]:
    """Return the texts of all parts of that name."""
    return [part.text for part in found.parts if part.name == name]


def has(found: Finding, name: str) -> bool:
    """Return True if a finding has a part of that name."""
    return any(part.name == name for part in found.parts)
