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
from igen.judge.measured import MeasuredRun
from igen.judge.result import Level, Observation, System
from igen.units import counted


def stored_of(runs: Sequence[MeasuredRun]) -> Stored | None:
    """Sums over all runs that compared, also over those on which no other figure rests."""
    facts = [run.recording.facts for run in runs if BANK_LOST_TRANSACTIONS in run.recording.facts]
    if not facts:
        return None
    return Stored(
        acknowledged=sum(int(each[BANK_ACKNOWLEDGED_TRANSACTIONS]) for each in facts),
        stored=sum(int(each[BANK_STORED_TRANSACTIONS]) for each in facts),
        lost=sum(int(each[BANK_LOST_TRANSACTIONS]) for each in facts),
    )


def stored_observations(system: System, _: Sequence[Level]) -> Iterator[Observation]:
    """One sentence about all levels, INVALID ones too: a crash of the server makes a level INVALID."""
    compared = [found for level in system.levels if (found := stored_at(level))]
    if not compared:
        return
    acknowledged = sum(each.acknowledged for each in compared)
    lost = sum(each.lost for each in compared)
    durability = str(system.facts.get(BANK_DURABILITY, ""))
    if lost:
        of_all = counted(acknowledged, "acknowledged transaction")
        text = f"{lost:,} of {of_all} {'is' if lost == 1 else 'are'} not stored"
    else:
        text = f"All {acknowledged:,} acknowledged transactions are stored"
    text += f"; the database is {durability}." if durability else "."
    stored = sum(each.stored for each in compared)
    evidence = f"{counted(stored, 'transaction')} of these runs in the history, each with its own number"
    yield Observation(text=text, evidence=evidence)
