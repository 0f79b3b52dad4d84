"""Systems side by side: the ratio at each common load, and what else differs between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from igen.facts import WORKLOAD_VERSION
from igen.judge.compare.attributed import Attribution
from igen.judge.compare.attribution import attributions
from igen.judge.compare.attribution_observations import attributed
from igen.judge.compare.differences import differing, other_work
from igen.judge.compare.pair_observations import pair_observations
from igen.judge.compare.questions import without_work
from igen.judge.compare.ratios import PairQuestions, PairRatios, pair_questions, ratios_of
from igen.judge.compare.session_note import session_note
from igen.judge.compare.terms import Terms
from igen.judge.curve.load import load_key, load_manner
from igen.judge.record.settings import value_text
from igen.judge.result import Difference, Finding, Level, OverallRatio, Part, Ratio, System
from igen.judge.trust.finding import finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a comparison adds to the systems."""

    ratios: list[Ratio] = field(default_factory=list)
    overall: list[OverallRatio] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    observations: list[Finding] = field(default_factory=list)
    attributions: list[Attribution] = field(default_factory=list)


def compare(systems: Sequence[System], terms: Terms | None = None) -> Comparison:
    """Compare each system with its base."""
    terms, together = terms or Terms(), pairs_of(systems)
    parted = attributions(systems, together, terms)
    shapes = [{*each.systems} for each in parted]
    questions = [pair_questions(*both, _common(*both), terms) for both in together]
    pairs = [
        _compared(each, found, terms, parted=any({each.base.name, each.system.name} <= of for of in shapes))
        for each, found in zip(questions, ratios_of(questions, terms), strict=True)
    ]
    return Comparison(
        ratios=[ratio for pair in pairs for ratio in pair.ratios],
        overall=[ratio for pair in pairs for ratio in pair.overall],
        differences=list(dict.fromkeys(each for pair in pairs for each in pair.differences)),
        findings=list(dict.fromkeys(each for pair in pairs for each in pair.findings)),
        observations=[*attributed(systems, parted), *(each for pair in pairs for each in pair.observations)],
        attributions=parted,
    )


def pairs_of(systems: Sequence[System]) -> list[tuple[System, System]]:
    """Base and system of each comparison.

    The base is the system that the study names; else the first one of the same kind (in the same test; along
    the load, or along the number of targets), and none for a system that others are compared with or that is
    its own base. Systems of one run whose load is offered in another manner, such as another think time, have
    no load in common, and each manner has a base of its own.
    """
    by_name = {system.name: system for system in systems}
    named = {system.against for system in systems}
    pairs = []
    for system in systems:
        first = next(other for other in systems if _kind(other) == _kind(system))
        if first.run == system.run and first.levels and system.levels:
            first = next(
                other
                for other in systems
                if _kind(other) == _kind(system) and _manners(other) == _manners(system)
            )
        base = by_name.get(system.against, None if system.name in named else first)
        if base is not None and base is not system:
            pairs.append((base, system))
    return pairs


def _manners(system: System) -> set[tuple[str, ...]]:
    return {load_manner(level) for level in system.levels}


def _kind(system: System) -> tuple[str, bool]:
    return system.test, bool(system.scaling)


def _common(base: System, system: System) -> list[tuple[Level, Level]]:
    """Return the levels of both at each common load; none if they are not to be compared."""
    if _why_not(base, system) is not None:
        return []
    levels = _by_load(system)
    return [(level, levels[value]) for value, level in _by_load(base).items() if value in levels]


def _why_not(base: System, system: System) -> Comparison | None:
    """Return why two systems are not to be compared; None if they are."""
    if not (base.levels and system.levels):
        return Comparison(findings=[_note(base, system, "nothing-in-common")])
    if base.workload != system.workload:
        workloads = [Part(name="workload", text=each.workload) for each in (system, base)]
        return Comparison(findings=[_note(base, system, "other-workload", *workloads)])
    if work := [*other_work(base, system)]:
        return Comparison(differences=_of_pair(base, system, [*differing(base, system), *work]))
    versions = [each.facts.get(WORKLOAD_VERSION) for each in (system, base)]
    if versions[0] != versions[1]:
        parts = [Part(name="version", text=value_text(version)) for version in versions]
        workload = Part(name="workload", text=base.workload)
        return Comparison(findings=[_note(base, system, "other-version", *parts, workload)])
    return None


def _compared(pair: PairQuestions, found: PairRatios, terms: Terms, *, parted: bool) -> Comparison:
    """Return the comparison of two systems; `parted`: their ratio is attributed to factors elsewhere."""
    base, system = pair.base, pair.system
    if (why_not := _why_not(base, system)) is not None:
        return why_not
    common, ratios = _common(base, system), found.ratios
    differences = _of_pair(base, system, differing(base, system))
    notes = []
    if idle := [name for both in common for name in without_work(base, *both)]:
        loads = [Part(name="load", text=name) for name in idle]
        notes.append(_note(base, system, "loads-without-work", *loads))
    if not common:
        notes.append(_note(base, system, "nothing-in-common"))
    if len(differences) > 1 and not parted:
        notes.append(_note(base, system, "several-factors", Part(name="factors", figure=len(differences))))
    if ratios and base.run != system.run:
        notes.append(session_note(base, system, ratios, terms))
    return Comparison(
        ratios=ratios,
        overall=found.overall,
        differences=differences,
        findings=notes,
        observations=pair_observations(base, system, ratios, found.overall),
    )


def _note(base: System, system: System, rule: str, *parts: Part) -> Finding:
    """Return a note on a comparison."""
    names = (Part(name="system", text=system.name), Part(name="base", text=base.name))
    return finding(rule, *names, *parts, scope="comparison")


def _of_pair(base: System, system: System, found: Iterable[Difference]) -> list[Difference]:
    """Name the pair without the test: what differs does so in all of them."""
    names = [each.system if each.test else each.name for each in (system, base)]
    return [replace(each, system=names[0], base=names[1]) for each in found]


def _by_load(system: System) -> dict[object, Level]:
    return {load_key(level): level for level in system.levels}
