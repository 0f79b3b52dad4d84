"""The judge's sentences and warnings as a report shows them: each once, with the systems it is about."""

from __future__ import annotations

from dataclasses import replace

from igen.judge.result import Observation, Result
from igen.layout.level import is_comparison, points
from igen.report.subject import are_many


def bottleneck(result: Result) -> list[Observation]:
    """Observations that name the bottleneck; they have a place of their own in the report."""
    return [each for each in all_observations(result) if each.topic == "bottleneck"]


def observations(result: Result) -> list[Observation]:
    """All other observations."""
    return [each for each in all_observations(result) if each.topic != "bottleneck"]


def all_observations(result: Result) -> list[Observation]:
    """Sentences about the result and each system, each once; compared systems are named in theirs.

    Of many systems only those that have a topic: the others say what is in the tables.
    """
    owners: dict[str, list[str]] = {}
    for system in result.systems:
        for each in system.observations:
            owners.setdefault(each.text, []).append(system.name)
    found: dict[str, Observation] = {}
    many = are_many(result)
    for each in [*result.observations, *(each for system in result.systems for each in system.observations)]:
        if many and each.text in owners and not each.topic:
            continue
        names = owners.get(each.text, []) if is_comparison(result) else []
        told = all(name in each.text for name in names)
        text = each.text if told else f"{', '.join(names)}: {each.text}"
        found[text] = replace(each, text=text)
    return list(found.values())


def all_warnings(result: Result) -> list[str]:
    """Warnings of the result, of each system and of the named points, each once."""
    compared = is_comparison(result)
    found = list(result.warnings)
    for system in result.systems:
        prefix = f"{system.name}: " if compared else ""
        found += [f"{prefix}{text}" for text in system.warnings]
        found += [f"{prefix}{name}: {text}" for name, point in points(system) for text in point.warnings]
    found += [text for ratio in result.ratios for text in ratio.warnings]
    return list(dict.fromkeys(found))
