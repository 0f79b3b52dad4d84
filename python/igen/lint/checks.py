"""THE list of checks: a subject, and a function that says what is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from igen.judge.result import Finding as Judged
from igen.judge.result import Result, System
from igen.lint.answers import few_attributes, few_keys, nothing_returned
from igen.lint.claims import closed_percentile
from igen.lint.comparison import factors, interleaved, machines
from igen.lint.data import accessed, hit_ratio, working_set
from igen.lint.durability import durability, in_memory
from igen.lint.finding import Finding, Found, NotKnown, OfResult, OfSystem
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
"""Checks of one system, by subject: what makes figures incomparable before what makes them uncertain."""
OF_RESULT: dict[str, OfResult] = {
    "machines": machines,
    "factors": factors,
    "interleaved": interleaved,
    "percentile": closed_percentile,
}
"""Checks of all systems together."""


def findings(result: Result) -> list[Finding]:
    """All that is found, in the order of the list; what holds for several systems is told once."""
    return [each for each in _all(result) if isinstance(each, Finding)]


def not_known(result: Result) -> list[NotKnown]:
    """What could not be checked, and why."""
    return [each for each in _all(result) if isinstance(each, NotKnown)]


def of_systems(systems: Sequence[System]) -> list[Finding | NotKnown]:
    """What the checks of one system find."""
    found: list[Finding | NotKnown] = []
    for subject, check in OF_SYSTEM.items():
        for system in systems:
            names = (system.name,) if len(systems) > 1 else ()
            found += (replace(each, of=names) for each in _named(subject, check(system)))
    return _merged(found)


def _all(result: Result) -> list[Finding | NotKnown]:
    found = of_systems(result.systems)
    for subject, check in OF_RESULT.items():
        found += _named(subject, check(result))
    return found


def _named(subject: str, found: Found) -> Iterator[Finding | NotKnown]:
    return (replace(each, subject=subject) for each in found)


def _merged(found: Iterable[Finding | NotKnown]) -> list[Finding | NotKnown]:
    """Those that say the same of several systems as one."""
    merged: dict[Finding | NotKnown, tuple[str, ...]] = {}
    for each in found:
        key = replace(each, of=())
        merged[key] = (*merged.get(key, ()), *each.of)
    return [replace(each, of=of) for each, of in merged.items()]


def unsaid(result: Result, found: Iterable[Finding]) -> list[Finding]:
    """Return the findings without those that a finding of the judge says in the same report."""
    rules = {each.rule for each in _judged(result)}
    return [each for each in found if rules.isdisjoint(each.said_by)]


def _judged(result: Result) -> Iterator[Judged]:
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
