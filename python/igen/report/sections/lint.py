"""What a reader should know before a figure is published: a line each, and nothing that was said above."""

from __future__ import annotations

from typing import TYPE_CHECKING

from igen.document import Items, Phrase, Section, Words
from igen.judge.result import Result
from igen.layout.level import is_comparison
from igen.say import advise
from igen.text import Text
from igen.units import counted

if TYPE_CHECKING:
    from igen.lint.finding import Doubt

MOST_NAMED = 3


def lint(result: Result) -> Section | None:
    """A line for each finding."""
    from igen.lint.checks import findings, unsaid  # with numpy, which a terminal does not need

    found = unsaid(result, findings(result))
    if not found:
        return None
    return Section("lint", "Before it is published", [Items([_line(result, each) for each in found])])


def _line(result: Result, each: Doubt) -> Words:
    names = each.of if is_comparison(result) else ()
    who = ", ".join(names) if len(names) <= MOST_NAMED else counted(len(names), "system")
    advice = advise(each.finding)
    said = [f"{who}: ", advice.found] if who else [advice.opening]
    return [*said, " ", Phrase(Text.of("(", advice.why, ")"), "muted")]
