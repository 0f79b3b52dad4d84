"""Suspected changes of a history, held against runs that measured both sides of one at the same time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from igen.judge.compare.compare import compare, pairs_of
from igen.judge.compare.differences import differing
from igen.judge.compare.ratio import Answer, Ratio
from igen.judge.curve.load import LoadKey, load_key
from igen.judge.result import Difference, System

TARGET = "target"
"""The difference that both sides must have: they are there at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """What a later run says of a change, in which both sides of it stood side by side."""

    run: str
    ratio: Ratio
    """That of the two systems of that run; its answer is corrected for all of its questions."""
    after_is_base: bool
    """The ratio is that of before over after."""
    confirmed: bool
    """Its answer is that of the change: faster, or slower."""
    other_differences: list[Difference]
    """What differs between its sides besides, so that it may be the reason as well."""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two systems of one run, without their levels."""

    system: System
    differences: dict[str, Difference]
    ratios: dict[tuple[LoadKey, str], Ratio]
    """What a load decides by, by all loads of a level and the name of one."""


def side_by_sides(systems: Sequence[System]) -> Iterator[SideBySide]:
    """Each pair among the systems of one run that could be compared."""
    for base, system in pairs_of(systems):
        loads = {level.level: load_key(level) for level in base.levels}
        ratios = {
            (loads[ratio.level], ratio.load): ratio
            for ratio in compare([base, system]).ratios
            if ratio.decides and ratio.p is not None
        }
        found = {each.name: each for each in differing(base, system)}
        if ratios and TARGET in found:
            yield SideBySide(replace(system, levels=[], observations=[]), found, ratios)


def confirmation(
    sides: Sequence[SideBySide],
    differences: Sequence[Difference],
    loads: LoadKey,
    load: str,
    *,
    since_unix_s: float,
    faster: bool,
) -> Confirmation | None:
    """What the latest run says that began after a change and in which its two sides differ likewise.

    None where there is none. A change without a difference has nothing by which its sides are known again.
    """
    for side in sorted(sides, key=lambda each: each.system.started_unix_s, reverse=True):
        ratio = side.ratios.get((loads, load))
        after_is_base = _is_turned(side, differences)
        if ratio is None or after_is_base is None or side.system.started_unix_s <= since_unix_s:
            continue
        told = {each.name for each in differences} | {TARGET}
        return Confirmation(
            run=side.system.run,
            ratio=ratio,
            after_is_base=after_is_base,
            confirmed=_of_after(ratio.answer, after_is_base) == ("faster" if faster else "slower"),
            other_differences=[each for name, each in side.differences.items() if name not in told],
        )
    return None


def _is_turned(side: SideBySide, differences: Sequence[Difference]) -> bool | None:
    """Whether its base is what the system was after the change; None where its sides are others."""
    for turned in (False, True):
        if differences and all(_like(side.differences.get(each.name), each, turned) for each in differences):
            return turned
    return None


def _like(found: Difference | None, wanted: Difference, turned: bool) -> bool:
    if found is None:
        return False
    values = (found.of_system, found.of_base) if turned else (found.of_base, found.of_system)
    return values == (wanted.of_base, wanted.of_system)


def _of_after(answer: Answer, after_is_base: bool) -> Answer:
    turned: dict[Answer, Answer] = {"faster": "slower", "slower": "faster"}
    return turned.get(answer, answer) if after_is_base else answer
