"""What a reader should know before a figure is published: a line each, and nothing that was said above."""

from __future__ import annotations

from typing import TYPE_CHECKING

from igen.document import Items, Phrase, Section, Words
from igen.judge.result import Result
from igen.layout.level import is_comparison
from igen.units import counted

if TYPE_CHECKING:
    from igen.lint.finding import Finding

MOST_NAMED = 3


def lint(result: Result) -> Section | None:
    """A line for each finding."""
    from igen.lint.checks import findings, unsaid  # with numpy, which a terminal does not need

    found = unsaid(result, findings(result))
    if not found:
        return None
    return Section("lint", "Before it is published", [Items([_line(result, each) for each in found])])


def _line(result: Result, each: Finding) -> Words:
    names = each.of if is_comparison(result) else ()
    who = ", ".join(names) if len(names) <= MOST_NAMED else counted(len(names), "system")
    said = f"{who}: {each.found}" if who else f"{each.found[:1].upper()}{each.found[1:]}"
    return [said, " ", Phrase(f"({each.matters})", "muted")]
