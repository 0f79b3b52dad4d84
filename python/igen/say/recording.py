"""Sentences about a recording that is incomplete or damaged."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.say.load import SENTENCES as OF_LOAD
from igen.say.words import because
from igen.units import format_short


def _died(group: Group) -> str:
    words, name = ("signal", "signal") if group.has("signal") else ("exit code", "exit_code")
    why = f": {group.listed('error')}" if group.has("error") else ""
    return f"the agent died: {words} {' or '.join(group.numerals(name))}{why}"


def _failed(group: Group) -> str:
    return f"failed: {group.listed('error') or 'the agent did not report why'}"


def _share_lost(group: Group) -> str:
    are = "is" if group.number("lost") == "1" else "are"
    share = f"{group.number('lost')} of {group.number('shares')} shares of the load {are} missing"
    return f"{'; '.join(group.texts('loss'))}; from then on {share}"


def _damaged(group: Group) -> str:
    words = [because(group)] if group.because else []
    if group.has("missing_s"):
        length = group.number("missing_s", format_short, " s")
        words.append(f"intervals of {length} are missing, the first from {group.times('first_missing_s')} on")
    if group.has("first_overlap_s"):
        words.append(f"intervals overlap, the first at {group.times('first_overlap_s')}")
    return f"the recording is damaged: {'; '.join(words)}"


def _lines(group: Group) -> str:
    """Return the file and its known lines; the text ends with dots if there are more."""
    lines = sorted({round(part.figure or 0) for part in group.parts("line")})
    more = ", ..." if sum(part.figure or 0 for part in group.parts("count")) > len(lines) else ""
    return f"{group.listed('file')}: line {', '.join(map(str, lines))}{more}"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "interrupted": lambda _: "interrupted before it was complete",
    "agent-failed": _failed,
    "agent-died": _died,
    "share-failed": _failed,
    "cut-off": lambda _: "the recording was cut off: its end is missing",
    "share-lost": _share_lost,
    "stopped-before-work": OF_LOAD["nothing-done"],
    "damaged": _damaged,
    "file-missing": lambda group: f"{group.listed('file')} is missing",
    "file-added": lambda group: f"{group.listed('file')} was added",
    "file-changed": lambda group: f"{group.listed('file')} was changed",
    "file-cut-off": lambda group: f"{group.listed('file')}: cut off after {group.count('count', 'event')}",
    "run-foreign": lambda group: f"{group.listed('file')} belongs to another run, {group.listed('of')}",
    "study-foreign": lambda group: f"{group.listed('file')} belongs to another study than run.json",
    "execution-twice": lambda group: f"{group.listed('file')} repeats the execution of another file",
    "lines-unreadable": lambda group: f"{_lines(group)} cannot be read",
    "lines-lost": lambda group: f"{_lines(group)} is damaged or missing and was ignored",
    "lines-twice": lambda group: f"{_lines(group)} occurs twice",
    "lines-disordered": lambda group: f"{group.listed('file')}: lines are out of order",
    "lines-never-came": lambda group: (
        f"{group.listed('file')}: {group.count('count', 'line')} from the agent did not arrive"
    ),
    "event-malformed": lambda group: (
        f"{_lines(group)}: `{group.listed('of')}` does not match the schema: {group.listed('error')}"
    ),
    "record-rebuilt": lambda group: f"{group.listed('file')}: missing or damaged; rebuilt from the jobs",
}
