"""The parts of a ratio as observations: one for each test, at the peak of the base."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.compare.attributed import Attribution
from igen.judge.curve.named import load_of
from igen.judge.result import Finding, Level, Part, System
from igen.judge.trust.finding import figure, finding


def attributed(systems: Sequence[System], found: Sequence[Attribution]) -> list[Finding]:
    """Return the product at the base's peak; without a peak at the highest common load."""
    by_name = {(system.test, system.name): system for system in systems}
    families: dict[tuple[str, str], list[Attribution]] = {}
    for each in found:
        families.setdefault((each.test, each.load), []).append(each)
    return [_product(by_name[test, of[0].base], of) for (test, _), of in families.items()]


def _product(base: System, found: Sequence[Attribution]) -> Finding:
    at_peak = [each for each in found if base.peak is not None and each.level == base.peak.level]
    each = at_peak[0] if at_peak else max(found, key=lambda one: one.offered_per_s or one.users or 0)
    level = next(level for level in base.levels if level.level == each.level)
    return finding(
        "parts-of-ratio",
        Part(name="system", text=each.system),
        Part(name="base", text=each.base),
        Part(name="quantity", text=each.quantity),
        load_of(base, _of_load(level, each)),
        figure("ratio", each.ratio),
        *(figure("factor", part.ratio, part.name) for part in each.parts),
        scope="comparison",
        because=_interaction(each),
        repeats=each.ratio.n,
    )


def _of_load(level: Level, each: Attribution) -> Level:
    return level.each[each.load]


def _interaction(each: Attribution) -> list[Finding]:
    """Return whether the factors interact; nothing for a chain, which cannot tell."""
    if each.interaction is None:
        return []
    ratio = figure("interaction", each.interaction.ratio)
    if each.interaction.answer not in ("more", "less"):
        return [finding("no-interaction-shown", ratio)]
    steps = (figure("step", step.ratio, part.name) for part in each.parts[:1] for step in part.steps)
    return [finding("factors-interact", ratio, *steps, factor=each.parts[1].name)]
