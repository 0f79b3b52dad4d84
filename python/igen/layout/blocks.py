"""Blocks that several sections share, and sections without blocks that show nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from igen.document import Block, Fold, Phrase, Section, Table
from igen.judge.result import Result, System
from igen.layout.level import colour_places, is_comparison


def name(result: Result, system: System) -> Phrase:
    """Return the name of a system, in its colour if there are several systems."""
    place = colour_places(result)[system.name] if is_comparison(result) else None
    return Phrase(system.name, "strong", colour=place)


def titled(heading: Block, *blocks: Block) -> list[Block]:
    """Return a heading and the blocks below it; nothing if none of them shows anything."""
    shown = present(blocks)
    return [heading, *shown] if shown else []


def present(blocks: Iterable[Block]) -> list[Block]:
    """Return the blocks without tables that have no rows and folds that hold nothing."""
    return [block for block in blocks if not _empty(block)]


def section(name: str, title: str, blocks: Sequence[Block]) -> Section | None:
    """Return a section, or None if no block shows anything."""
    shown = present(blocks)
    return Section(name, title, shown) if shown else None


def _empty(block: Block) -> bool:
    if isinstance(block, Table):
        return not block
    return isinstance(block, Fold) and not block.blocks
