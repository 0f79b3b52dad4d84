"""Whether a database has stored what it acknowledged, where the workload compares both after the load."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.durability.parts import Stored, stored_at
from igen.facts import (
    BANK_ACKNOWLEDGED_TRANSACTIONS,
    BANK_DURABILITY,
    BANK_LOST_TRANSACTIONS,
    BANK_STORED_TRANSACTIONS,
)
from igen.judge.result import Finding, Level, Part, System
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import finding


def stored_of(runs: Sequence[MeasuredRun]) -> Stored | None:
    """Sums over all runs that compared, also over those on which no other figure rests."""
    names = (BANK_ACKNOWLEDGED_TRANSACTIONS, BANK_STORED_TRANSACTIONS, BANK_LOST_TRANSACTIONS)
    # A recording that lost one of them to damage has compared nothing.
    compared = [facts for run in runs if {*names} <= (facts := run.recording.facts).keys()]
    if not compared:
        return None
    acknowledged, stored, lost = (sum(int(facts[name]) for facts in compared) for name in names)
    return Stored(acknowledged=acknowledged, stored=stored, lost=lost)


def stored_observations(system: System, _: Sequence[Level]) -> Iterator[Finding]:
    """Yield one finding about all levels, INVALID ones too: a crash of the server makes a level INVALID."""
    compared = [found for level in system.levels if (found := stored_at(level))]
    if not compared:
        return
    lost = sum(each.lost for each in compared)
    durability = str(system.facts.get(BANK_DURABILITY, ""))
    yield finding(
        "transactions-lost" if lost else "all-stored",
        *([Part(name="durability", text=durability)] if durability else []),
        acknowledged=sum(each.acknowledged for each in compared),
        lost=lost,
        stored=sum(each.stored for each in compared),
    )
