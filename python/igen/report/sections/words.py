"""Lines that several sections share: a system's name in its colour, a level's name with its figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from igen.document import Block, Fold, Phrase, Section, Table, Words
from igen.judge.result import Level, Result, System
from igen.layout.level import LoadAxis, colour_places, is_comparison, level_name, verdict_text
from igen.report.observation import Observed
from igen.report.statement import doubt_text, estimate_text

MOST_OPEN = 6
"""With more levels than this only the named ones are unfolded."""


def name(result: Result, system: System) -> Phrase:
    """The system's name, in its colour where there are several."""
    place = colour_places(result)[system.name] if is_comparison(result) else None
    return Phrase(system.name, "strong", colour=place)


def level_title(result: Result, system: System, level: Level) -> Words:
    """`ext4, 4 users 8,934 transactions/s ±1.2 % VALID`."""
    figure = estimate_text(level.throughput_per_s)
    at = level_name(system, level, LoadAxis.of(result))
    who: list[str | Phrase] = [name(result, system), ", "] if is_comparison(result) else []
    doubt = doubt_text(level.throughput_per_s, level.disturbance.throughput)
    rate = Phrase(f"{figure} {system.transaction}/s, {doubt}", "muted")
    return [*who, at, " ", rate, " ", Phrase(verdict_text(level), "verdict")]


def unfolded(system: System, level: Level) -> bool:
    """Whether a level is shown at once."""
    named = [point.level for point in (system.peak, system.sweet_spot, system.knee) if point is not None]
    return len(system.levels) <= MOST_OPEN or level.level in named


def titled(heading: Block, *blocks: Block) -> list[Block]:
    """A heading with what stands below it; nothing without any of that."""
    shown = present(blocks)
    return [heading, *shown] if shown else []


def present(blocks: Iterable[Block]) -> list[Block]:
    """Without tables that have no rows and folds that hold nothing."""
    return [block for block in blocks if not _empty(block)]


def _empty(block: Block) -> bool:
    if isinstance(block, Table):
        return not block
    return isinstance(block, Fold) and not block.blocks


def section(name: str, title: str, blocks: Sequence[Block]) -> Section | None:
    """The section, if there is anything in it."""
    shown = present(blocks)
    return Section(name, title, shown) if shown else None


def observed(found: Sequence[Observed]) -> list[Words]:
    """Each sentence with its evidence."""
    return [[each.text, " ", Phrase(f"({each.evidence})", "muted")] for each in found]
