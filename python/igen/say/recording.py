"""Sentences about the recording: it does not hold all of the run."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.say.load import SENTENCES as OF_LOAD
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
    words = group.texts("damage")
    if group.has("missing_s"):
        length = group.number("missing_s", format_short, " s")
        words.append(f"intervals of {length} are missing, the first from {group.times('first_missing_s')} on")
    if group.has("first_overlap_s"):
        words.append(f"intervals overlap, the first at {group.times('first_overlap_s')}")
    return f"the recording is damaged: {'; '.join(words)}"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "interrupted": lambda _: "interrupted before it was complete",
    "agent-failed": _failed,
    "agent-died": _died,
    "share-failed": _failed,
    "cut-off": lambda _: "the recording was cut off: its end is missing",
    "share-lost": _share_lost,
    "stopped-before-work": OF_LOAD["nothing-done"],
    "damaged": _damaged,
}
