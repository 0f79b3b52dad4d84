"""Observations and notes as a report shows them: each once, with the systems it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from igen.judge.result import Finding, Result
from igen.layout.level import is_comparison, points
from igen.report.subject import are_many
from igen.say import observe, say
from igen.text import Text


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation in words."""

    text: Text
    evidence: Text
    bottleneck: bool
    """It names what limits the system."""


def bottleneck(result: Result) -> list[Observed]:
    """Return the observations that name the bottleneck; they have a place of their own in the report."""
    return [each for each in all_observations(result) if each.bottleneck]


def observations(result: Result) -> list[Observed]:
    """Return all other observations."""
    return [each for each in all_observations(result) if not each.bottleneck]


def all_observations(result: Result) -> list[Observed]:
    """Return the observations of the result and of each system, each once.

    Compared systems are named in theirs. Of many systems only bottlenecks are shown: the other observations
    say what is in the tables.
    """
    names: dict[Text, list[str]] = {}
    found: dict[Text, tuple[Finding, Text]] = {}
    many, compared = are_many(result), is_comparison(result)
    for owner, each in _all(result):
        if many and owner and not each.row.bottleneck:
            continue
        said = observe(each)
        text, found[said.text] = said.text, (each, said.evidence)
        if owner and compared and not any(part.name == "system" for part in each.parts):
            names.setdefault(text, []).append(owner)
    return [
        Observed(
            text=Text.of(f"{', '.join(names[text])}: ", text) if text in names else text,
            evidence=evidence,
            bottleneck=each.row.bottleneck,
        )
        for text, (each, evidence) in found.items()
    ]


def _all(result: Result) -> Iterator[tuple[str, Finding]]:
    """Yield each observation with the system it is about: empty if it is about several."""
    yield from (("", each) for each in result.observations if each.scope == "study")
    yield from ((system.name, each) for system in result.systems for each in system.observations)
    yield from (("", each) for each in result.observations if each.scope != "study")


def all_notes(result: Result) -> list[Text]:
    """Return the notes on the result, on each system, its named points and its ratios, each once."""
    compared = is_comparison(result)
    found = [say(each) for each in result.findings]
    for system in result.systems:
        prefix = f"{system.name}: " if compared else ""
        found += [Text.of(prefix, say(each)) for each in system.findings]
        found += [
            Text.of(f"{prefix}{name}: ", say(each))
            for name, point in points(system)
            for each in point.findings
        ]
    found += [say(each) for ratio in result.ratios for each in ratio.findings]
    return list(dict.fromkeys(found))
