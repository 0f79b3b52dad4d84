"""Lines that several sections share: a level's name with its figure, observations with their evidence."""

from __future__ import annotations

from collections.abc import Sequence

from igen.document import Phrase, Words
from igen.judge.result import Level, Result, System
from igen.layout.blocks import name
from igen.layout.level import LoadAxis, is_comparison, level_name, verdict_text
from igen.report.observation import Observed
from igen.say.words import doubt_text, estimate_text
from igen.text import Text

MOST_OPEN = 6
"""With more levels than this only the named ones are unfolded."""


def level_title(result: Result, system: System, level: Level) -> Words:
    """`ext4, 4 users 8,934 transactions/s ±1.2 % VALID`."""
    figure = estimate_text(level.throughput_per_s)
    at = level_name(system, level, LoadAxis.of(result))
    who: list[str | Phrase] = [name(result, system), ", "] if is_comparison(result) else []
    doubt = doubt_text(level.throughput_per_s, level.trust.disturbance.throughput)
    rate = Phrase(f"{figure} {system.transaction}/s, {doubt}", "muted")
    return [*who, at, " ", rate, " ", Phrase(verdict_text(level), verdict=level.trust.verdict)]


def unfolded(system: System, level: Level) -> bool:
    """Whether a level is shown at once."""
    named = [point.level for point in (system.peak, system.sweet_spot, system.knee) if point is not None]
    return len(system.levels) <= MOST_OPEN or level.level in named


def observed(found: Sequence[Observed]) -> list[Words]:
    """Each sentence with its evidence."""
    return [[each.text, " ", Phrase(Text.of("(", each.evidence, ")"), "muted")] for each in found]
