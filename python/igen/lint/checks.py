"""THE list of checks: a subject, and a function that yields findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from igen.judge.result import Finding, Result, System
from igen.lint.answers import few_attributes, few_keys, nothing_returned
from igen.lint.claims import closed_percentile
from igen.lint.comparison import factors, interleaved, machines
from igen.lint.data import accessed, hit_ratio, working_set
from igen.lint.durability import durability, in_memory
from igen.lint.finding import Doubt, OfResult, OfSystem, doubts
from igen.lint.machine import governor, shared_processors, turbo
from igen.lint.window import last_level, one_run, window

OF_SYSTEM: dict[str, OfSystem] = {
    "durability": durability,
    "in memory": in_memory,
    "working set": working_set,
    "hit ratio": hit_ratio,
    "accessed": accessed,
    "nothing returned": nothing_returned,
    "few keys": few_keys,
    "attributes": few_attributes,
    "window": window,
    "one run": one_run,
    "last level": last_level,
    "shared processors": shared_processors,
    "governor": governor,
    "turbo": turbo,
}
"""Checks of a system by subject: first those for incomparable figures, then those for uncertain figures."""
OF_RESULT: dict[str, OfResult] = {
    "machines": machines,
    "factors": factors,
    "interleaved": interleaved,
    "percentile": closed_percentile,
}
"""Checks of all systems together."""


def findings(result: Result) -> list[Doubt]:
    """Return all findings in the order of the list; a finding about several systems occurs once."""
    return [each for each in _all(result) if each.is_known]


def not_known(result: Result) -> list[Doubt]:
    """Return the checks that were impossible, and why."""
    return [each for each in _all(result) if not each.is_known]


def of_systems(systems: Sequence[System]) -> list[Doubt]:
    """Yield the findings about a system."""
    merged: dict[Doubt, tuple[str, ...]] = {}
    for subject, check in OF_SYSTEM.items():
        for system in systems:
            for each in doubts(subject, check(system)):
                names = (system.name,) if len(systems) > 1 else ()
                merged[each] = (*merged.get(each, ()), *names)
    return [replace(each, of=of) for each, of in merged.items()]


def _all(result: Result) -> list[Doubt]:
    together = (each for subject, check in OF_RESULT.items() for each in doubts(subject, check(result)))
    return [*of_systems(result.systems), *together]


def unsaid(result: Result, found: Iterable[Doubt]) -> list[Doubt]:
    """Return the findings without duplicates of the judge's findings in the same report."""
    rules = {each.rule for each in _judged(result)}
    return [each for each in found if rules.isdisjoint(each.finding.row.said_by)]


def _judged(result: Result) -> Iterator[Finding]:
    """Yield all findings of the judge, with those that explain them."""
    found = [*result.findings, *result.observations]
    for system in result.systems:
        found += [*system.findings, *system.observations]
        found += [each for point in (system.peak, system.sweet_spot) if point for each in point.findings]
        found += [each for level in system.levels for each in level.findings]
    while found:
        each = found.pop()
        found += each.because
        yield each
