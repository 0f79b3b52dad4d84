"""Acknowledged and stored transactions: sums over the runs, and the finding."""

from __future__ import annotations

from typing import Any

from igen.aspects.aspects import ASPECTS
from igen.aspects.durability.parts import stored_at
from igen.judge import analyse
from igen.judge.record.form import Message
from igen.judge.record.recording import Recording
from igen.judge.result import Finding, System
from tests.aspects.observed import observed
from tests.judge.synthetic import recording


def compared(acknowledged: int, stored: int, lost: int, repeat: int = 0, **rest: Any) -> Recording:
    counts = {"acknowledged": acknowledged, "stored": stored, "lost": lost}
    facts: dict[str, Any] = {f"bank.{name}_transactions": count for name, count in counts.items()}
    facts["bank.durability"] = "not durable: a failure may lose acknowledged commits (synchronous_commit=off)"
    return recording(facts=facts, repeat=repeat, job={"workload": "bank"}, **rest)


def system_of(*runs: Recording) -> System:
    (system,) = analyse(runs, aspects=ASPECTS)
    return system


def seen(system: System) -> list[Finding]:
    return observed(system, "all-stored", "transactions-lost")


def test_counts_are_sums_over_all_repeats_also_of_invalid_ones() -> None:
    crashed = compared(400, 390, 10, repeat=1, exit_code=1, outcome="failed", errors=[Message("it crashed")])
    system = system_of(compared(1000, 1001, 0), crashed)
    (level,) = system.levels
    stored = stored_at(level)
    assert stored is not None
    assert (stored.acknowledged, stored.stored, stored.lost) == (1400, 1391, 10)
    (found,) = seen(system)
    assert found.rule == "transactions-lost"
    counts = {name: found.figure(name) for name in ("acknowledged", "stored", "lost")}
    assert counts == {"acknowledged": 1400, "stored": 1391, "lost": 10}
    assert found.part("durability").text.startswith("not durable")


def test_nothing_lost_is_said_once_for_all_levels() -> None:
    (found,) = seen(system_of(compared(1000, 1000, 0), compared(500, 500, 0, level=1, users=2)))
    assert (found.rule, found.figure("acknowledged"), found.figure("lost")) == ("all-stored", 1500, 0)


def test_other_workloads_compare_nothing() -> None:
    system = system_of(recording())
    assert [stored_at(level) for level in system.levels] == [None]
    assert seen(system) == []
