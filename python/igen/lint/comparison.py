"""Do two systems differ in one thing, and stood they side by side?"""

from __future__ import annotations

from igen.judge.compare.compare import pairs_of
from igen.judge.result import Result
from igen.lint.finding import Finding, Found
from igen.lint.machine import MACHINE_FACTS
from igen.lint.subject import fact

MOST_NAMED = 5


def factors(result: Result) -> Found:
    """More than one difference between a system and its base."""
    for base, system in pairs_of(result.systems):
        pairs = {(system.name, base.name), (system.system, base.system)}
        found = [each for each in result.differences if (each.system, each.base) in pairs]
        names = list(dict.fromkeys(each.name for each in found if each.kind != "work"))
        if len(names) > 1:
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            yield Finding(
                of=(system.name, base.name),
                found=f"{len(names)} factors differ: {', '.join(names[:MOST_NAMED])}{more}",
                matters="no difference can be put down to one of them",
                remedy="change one at a time: `igen ab`",
                said_by=("several-factors",),
            )


def interleaved(result: Result) -> Found:
    """Whether both were measured at the same time, in turns."""
    for base, system in pairs_of(result.systems):
        if base.run != system.run:
            yield Finding(
                of=(system.name, base.name),
                found="they were measured one after the other",
                matters="what the machine did in between is in the ratio",
                remedy="`igen ab` runs both side by side in balanced order",
                said_by=("measured-one-after-the-other",),
            )


def machines(result: Result) -> Found:
    """Whether the processors ran in the same way."""
    for base, system in pairs_of(result.systems):
        pairs = [(words, fact(system, name), fact(base, name)) for name, words in MACHINE_FACTS.items()]
        differ = [
            f"{words} ({ours} against {theirs})"
            for words, ours, theirs in pairs
            if None not in (ours, theirs) and ours != theirs
        ]
        if differ:
            yield Finding(
                of=(system.name, base.name),
                found=f"not the same: {', '.join(differ)}",
                matters="the machine explains a difference as well as the system does",
                remedy="set both alike and measure again",
            )
