"""Checks of a planned study for common benchmarking mistakes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from igen.ask.tables import merged
from igen.judge import analyse
from igen.judge.compare.shape import Names, shape_of
from igen.judge.record.recording import Recording
from igen.judge.result import System
from igen.lint.checks import of_systems
from igen.lint.finding import Doubt, doubts
from igen.lint.plan import differing_paths, factor_finding, repeats_finding
from igen.study.study import Study


def study_findings(study: Study) -> list[Doubt]:
    """Return the findings that need no measurement."""
    named = {each.name: merged(study.job, each.job) for each in study.systems}
    systems = [_planned(name, job) for name, job in (named or {study.name: study.job}).items()]
    found = [*of_systems(systems), *doubts("one run", repeats_finding(study.plan.repeats))]
    for name, base in [] if _has_shape([*named.values()]) else _pairs(study):
        found += doubts("factors", factor_finding((name, base), named[name], named[base]))
    return [each for each in found if each.is_known]


def _has_shape(jobs: Sequence[dict[str, Any]]) -> bool:
    """Return True if the result will say which part of a ratio each factor has."""
    return bool(jobs) and shape_of(range(len(jobs)), lambda *of: _names(*(jobs[at] for at in of))) is not None


def _names(base: dict[str, Any], job: dict[str, Any]) -> Names:
    return frozenset(differing_paths(job, base))


def _pairs(study: Study) -> list[tuple[str, str]]:
    """Yield each system with its base."""
    if not (study.compare and study.systems):
        return []
    bases = {each.against for each in study.systems}
    first = study.systems[0].name
    pairs = [
        (each.name, each.against or first) for each in study.systems if each.against or each.name not in bases
    ]
    return [(name, base) for name, base in pairs if name != base]


def _planned(name: str, job: dict[str, Any]) -> System:
    (system,) = analyse([], planned=Recording(system=name, job=job))
    return system
