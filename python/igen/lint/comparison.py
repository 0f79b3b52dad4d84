"""Checks of comparisons: do the systems differ in one setting, and were they measured side by side?"""

from __future__ import annotations

from igen.judge.compare.compare import pairs_of
from igen.judge.result import Result
from igen.judge.trust.finding import Part, finding
from igen.lint.finding import Found
from igen.lint.machine import MACHINE_FACTS
from igen.lint.subject import fact


def factors(result: Result) -> Found:
    """Yield several differences between a system and its base, unless the effect of each is known."""
    shapes = [{*each.systems} for each in result.attributions]
    for base, system in pairs_of(result.systems):
        if any({base.name, system.name} <= shape for shape in shapes):
            continue
        pairs = {(system.name, base.name), (system.system, base.system)}
        found = [each for each in result.differences if (each.system, each.base) in pairs]
        names = list(dict.fromkeys(each.name for each in found if each.kind != "work"))
        if len(names) > 1:
            parts = (Part(name="factor", text=name) for name in names)
            yield finding("factors-differ", *parts, of=system.name, base=base.name)


def interleaved(result: Result) -> Found:
    """Check if both systems were measured in turns."""
    for base, system in pairs_of(result.systems):
        if base.run != system.run:
            yield finding("not-side-by-side", of=system.name, base=base.name)


def machines(result: Result) -> Found:
    """Check if the processors had the same settings."""
    for base, system in pairs_of(result.systems):
        differ = [
            part
            for name in MACHINE_FACTS
            if (ours := fact(system, name)) and (theirs := fact(base, name)) and ours != theirs
            for part in (Part(name=name, text=ours), Part(name=name, text=theirs))
        ]
        if differ:
            yield finding("machines-differ", *differ, of=system.name, base=base.name)
