"""What a database's log and its acknowledged transactions add to a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.result import Level, LevelPart, aspect


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What a database wrote to its log while this level was measured, mean over repeats."""

    writes_per_s: float | None = None
    """As the database counts: write calls of a server, pages of SQLite."""
    flushes_per_s: float | None = None
    transactions_per_flush: float | None = None
    bytes_per_transaction: float | None = None
    full_page_images_per_transaction: float | None = None
    """PostgreSQL: copies of whole pages after a checkpoint, which make the log longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Transactions of all repeats of a level, from the first of the ramp on, after the load had ended."""

    acknowledged: int
    """By the database, to the load process."""
    stored: int
    """Found in the database; more than acknowledged where the answer was lost."""
    lost: int
    """Acknowledged and not found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Durability(LevelPart):
    """What was written to the log, and what of the acknowledged transactions was found again."""

    kind: Literal["durability"] = "durability"
    log: Log | None
    """None where nobody counted."""
    stored: Stored | None
    """None where the workload does not compare."""


def log_at(level: Level) -> Log | None:
    """What was written to the log; None where nobody counted."""
    durability = aspect(level, Durability)
    return durability.log if durability else None


def stored_at(level: Level) -> Stored | None:
    """What was found again; None where the workload does not compare."""
    durability = aspect(level, Durability)
    return durability.stored if durability else None
