"""Findings of levels and runs as rules, which tests should go by, and as sentences."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from igen import say as igen_say
from igen.judge.compare.compare import Comparison
from igen.judge.result import Finding, Level, Ratio, Repeat, Result, System
from igen.judge.trust import validity
from igen.judge.trust.finding import notes as notes_of
from igen.judge.trust.finding import reasons as reasons_of
from igen.layout.level import LoadAxis
from igen.printed import printed
from igen.report import statement
from igen.say import pair

Observing = Comparison | Result | System
CLAIMS = {
    "faster",
    "slower",
    "times-shorter",
    "times-longer",
    "faster-overall",
    "slower-overall",
    "apart-shorter",
    "apart-longer",
}
"""Rules that call two systems different."""


def say(found: Finding) -> str:
    """Return the sentence of a finding."""
    return printed(igen_say.say(found))


def headline(result: Result) -> list[str]:
    """Return the sentences at the top of a report."""
    return [printed(each) for each in statement.headline(result)]


def banner(result: Result) -> list[str]:
    """Return what stands above them in red."""
    return [printed(each) for each in statement.banner(result)]


def pair_statement(ratio: Ratio, axis: LoadAxis, times: Ratio | None = None) -> str:
    """Return the sentence of two systems at a load."""
    return printed(pair.pair_statement(ratio, axis.name(ratio), times))


def rules(of: Level | Repeat) -> list[str]:
    """Return the rules that a level or a run broke, the gravest first."""
    return [each.rule for each in reasons_of(of.findings)]


def note_rules(of: Level | Repeat) -> list[str]:
    """Return the rules of the notes on a level."""
    return [each.rule for each in notes_of(of.findings)]


def reasons(of: Level | Repeat) -> list[str]:
    """Return the reasons of a verdict in sentences."""
    return [say(each) for each in reasons_of(of.findings)]


def notes(of: Level | Repeat) -> list[str]:
    """Return the notes in sentences."""
    return [say(each) for each in notes_of(of.findings)]


def load_failures(level: Level) -> list[str]:
    """Return why the load itself failed in sentences."""
    return [say(each) for each in validity.load_failures(level)]


def rules_in(document: dict[str, Any]) -> list[str]:
    """Return the rules of all findings of a level or run as `--json` prints it."""
    return [each["rule"] for each in document["findings"]]


def parts_in(document: dict[str, Any], rule: str) -> list[dict[str, Any]]:
    """Return the parts of the findings of a rule of a level or run as `--json` prints it."""
    return [part for each in document["findings"] if each["rule"] == rule for part in each.get("parts", [])]


def observed(of: Observing) -> list[str]:
    """Return the rules of the observations of a system, a comparison or a result."""
    return [each.rule for each in of.observations]


def observation(of: Observing, *rules: str) -> Finding:
    """Return the only observation of these rules."""
    (found,) = (each for each in of.observations if each.rule in rules)
    return found


def texts_of(found: Finding, name: str) -> list[str]:
    """Return the texts of all parts of that name."""
    return [part.text for part in found.parts if part.name == name]


def has(found: Finding, name: str) -> bool:
    """Return True if a finding has a part of that name."""
    return any(part.name == name for part in found.parts)


def reason(found: Finding, rule: str) -> Finding:
    """Return what explains a finding by that rule."""
    (because,) = (each for each in found.because if each.rule == rule)
    return because


def all_rules(found: Iterable[Finding]) -> set[str]:
    """Return the rules of findings and of all that explains them."""
    return {rule for each in found for rule in (each.rule, *all_rules(each.because))}


def warned(document: dict[str, Any]) -> list[str]:
    """Return the warnings of the agent about a system as `--json` prints it."""
    return [
        part["text"]
        for each in document["findings"]
        if each["rule"] == "agent-warning"
        for part in each.get("parts", [])
        if part["name"] == "text"
    ]
