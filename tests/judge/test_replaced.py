"""A repeat that others disturbed takes no part in its level once a fresh one has taken its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from igen.judge import analyse, result_of
from igen.judge.intent import Intent
from igen.judge.record.form import Message
from igen.judge.record.recording import Recording
from igen.judge.record.reference import Reference
from igen.judge.result import Level, System
from igen.judge.trust.validity import load_failures
from igen.study.levels import PlannedLevel
from igen.study.orders.sweep import SweepOrder
from igen.study.reached import reached_by
from tests.judge.hosts import on_host
from tests.judge.synthetic import one_system, recording, statistics
from tests.said import rules

PLANNED = 5
SIDES = "AB"
MUCH, BEYOND_USE = 0.16, 1.0
"""Seconds a second of two processors in which a backup ran and the load waited: some 9 %, and 100 %."""


def executed(system: str, repeat: int, waiting: float = 0.0) -> Recording:
    """An execution whose throughput tells system and repeat."""
    base = 1000 if system == "A" else 2000
    made = recording([base + repeat] * 10, users=2, repeat=repeat, level=SIDES.index(system), system=system)
    return on_host(made, own=2 - waiting, waiting=waiting, foreign={"backup": waiting} if waiting else {})


def lost(made: Recording, *, measured_nothing: bool) -> Recording:
    """The same with the link to a load machine cut off, before or while it was measured."""
    facts = {
        "fleet.agents": 2,
        "fleet.machines": 2,
        "fleet.lost": ["agent 2 of 2 was lost: no interval came"],
    }
    snapshots = [] if measured_nothing else made.snapshots
    return replace(
        made, outcome="failed", errors=[Message("agent 2 of 2 was lost")], facts=facts, snapshots=snapshots
    )


def study_of(
    disturbed: Mapping[tuple[str, int], float],
    cut_off: Mapping[tuple[str, int], bool] | None = None,
) -> dict[str, System]:
    """What a study of both systems comes to, with as many repeats as its order asks for."""
    sides = [
        PlannedLevel(number=number, values={"load.closed.users": 2}, job={}, system=system)
        for number, system in enumerate(SIDES)
    ]
    order, made = SweepOrder(sides, PLANNED, seed="s"), []
    for execution in order.executions():
        place = execution.level.system, execution.repeat
        run = executed(*place, disturbed.get(place, 0.0))
        cut = (cut_off or {}).get(place)
        made.append(run if cut is None else lost(run, measured_nothing=cut))
        order.hear(execution, reached_by(made[-1], one_system(made[-1:]).levels[0]))
    intent = Intent.of({"plan": {"mode": "sweep", "repeats": PLANNED}}, Reference())
    return {system.name: system for system in analyse(made, intent=intent)}


def used(level: Level) -> list[int]:
    return [run.repeat for run in level.repeats if run.used]


def test_what_was_replaced_does_not_count_on_either_side() -> None:
    systems = study_of({("A", 3): MUCH})
    for name, system in systems.items():
        (level,) = system.levels
        assert [run.repeat for run in level.repeats] == [0, 1, 2, 3, 4, 5]
        assert (used(level), level.throughput_per_s.n) == ([0, 1, 2, 4, 5], PLANNED)
        base = 1000 if name == "A" else 2000
        assert level.throughput_per_s.value == pytest.approx(base + (0 + 1 + 2 + 4 + 5) / 5)
        assert (level.trust.verdict, rules(level)) == ("VALID", [])
    (ratio,) = (ratio for ratio in result_of([*systems.values()]).ratios if ratio.decides)
    assert (ratio.ratio.n, ratio.method) == (PLANNED, "paired log-t")
    (of_a,), (of_b,) = (systems[name].levels[0].findings for name in SIDES)
    assert [(each.rule, each.figure("repeat")) for each in (of_a, of_b)] == [("run-replaced", 4)] * 2
    assert [each.rule for each in of_a.because] == ["disturbed"]
    assert of_a.because[0].figure("throughput_high_percent") == pytest.approx(8.5, abs=0.5)
    assert of_b.because == (), "another system was disturbed in it"


def test_pairs_stay_where_each_side_was_disturbed_in_repeats_of_its_own() -> None:
    """As many are left out as were executed again, the most disturbed ones, the same on both sides."""
    disturbed = {("A", repeat): MUCH + repeat / 100 for repeat in (1, 2, 3)}
    disturbed |= {("B", repeat): MUCH / 2 for repeat in (4, 5, 6)}
    a, b = (system.levels[0] for system in study_of(disturbed).values())
    assert len(a.repeats) == 8
    assert used(a) == used(b) == [0, 4, 5, 6, 7]


def test_a_repeat_beyond_use_is_replaced_like_any_other() -> None:
    a, b = (system.levels[0] for system in study_of({("B", 2): BEYOND_USE}).values())
    assert used(a) == used(b) == [0, 1, 3, 4, 5]
    note = b.findings[0]
    assert (note.rule, note.figure("repeat")) == ("run-replaced", 3)
    assert [each.rule for each in note.because] == ["disturbed"]


@pytest.mark.parametrize("measured_nothing", [True, False])
def test_a_run_that_was_not_measured_is_replaced_on_both_sides(measured_nothing: bool) -> None:
    systems = study_of({}, {("B", 2): measured_nothing})
    for system in systems.values():
        (level,) = system.levels
        assert used(level) == [0, 1, 3, 4, 5]
        assert (level.trust.verdict, load_failures(level)) == ("VALID", [])
    assert [run.repeat for run in systems["B"].levels[0].repeats if not run.measured] == [2]
    (note,) = (each for each in systems["B"].levels[0].findings if each.rule == "run-not-measured")
    assert (note.figure("repeat"), note.figure("replaced")) == (3, 1)
    (ratio,) = (ratio for ratio in result_of([*systems.values()]).ratios if ratio.decides)
    assert (ratio.ratio.n, ratio.answer) == (PLANNED, "faster")


def test_without_a_fresh_run_four_good_pairs_are_compared() -> None:
    """As of a load machine that is gone for good; the failure of the load is still told."""
    made = [executed(system, repeat) for repeat in range(PLANNED) for system in SIDES]
    made[5] = lost(made[5], measured_nothing=True)
    a, b = analyse(made, intent=Intent(repeats=PLANNED))
    assert used(b.levels[0]) == [0, 1, 3, 4]
    assert (b.levels[0].trust.verdict, len(load_failures(b.levels[0]))) == ("VALID", 1)
    (ratio,) = (ratio for ratio in result_of([a, b]).ratios if ratio.decides)
    assert (ratio.ratio.n, ratio.answer) == (PLANNED - 1, "faster")


def test_a_run_that_was_not_measured_is_no_zero_although_all_others_are_disturbed_beyond_use() -> None:
    made = [executed("A", repeat, BEYOND_USE) for repeat in range(PLANNED)]
    made[2] = lost(made[2], measured_nothing=True)
    (level,) = analyse(made, intent=Intent(repeats=PLANNED))[0].levels
    assert used(level) == [0, 1, 3, 4]
    assert level.throughput_per_s.value == pytest.approx(1000 + (0 + 1 + 3 + 4) / 4)


def test_failures_that_were_seen_count_although_the_run_was_cut_off() -> None:
    made = [executed("A", repeat) for repeat in range(PLANNED)]
    failing = statistics(100, 2.0, failed=50)
    snapshots = [replace(each, transactions=failing) for each in made[2].snapshots]
    made[2] = lost(replace(made[2], snapshots=snapshots), measured_nothing=False)
    (level,) = analyse(made, intent=Intent(repeats=PLANNED))[0].levels
    assert level.trust.verdict == "INVALID"
    assert len(load_failures(level)) == 2


def test_without_fresh_repeats_all_count() -> None:
    everywhere = {(system, repeat): MUCH for system in SIDES for repeat in range(PLANNED)}
    for disturbed in (everywhere, {}):
        for system in study_of(disturbed).values():
            assert used(system.levels[0]) == [*range(PLANNED)]


def test_a_level_that_none_can_save_replaces_nothing() -> None:
    """A is disturbed more, but its load failed: the fresh repeat was executed for B."""
    made = [
        executed(system, repeat, {("A", 1): 2 * MUCH, ("B", 3): MUCH}.get((system, repeat), 0.0))
        for repeat in range(PLANNED + 1)
        for system in SIDES
    ]
    made[2].outcome, made[2].errors = "failed", [Message("no such table")]
    a, b = (system.levels[0] for system in analyse(made, intent=Intent(repeats=PLANNED)))
    assert a.trust.verdict == "INVALID"
    assert used(b) == [0, 1, 2, 4, 5]


@pytest.mark.parametrize(("repeats", "purpose"), [(None, "sweep"), (PLANNED, "confirm")])
def test_where_the_study_says_no_number_of_repeats_none_is_replaced(
    repeats: int | None, purpose: str
) -> None:
    made = [executed("A", repeat, MUCH if repeat == 3 else 0.0) for repeat in range(PLANNED + 1)]
    (system,) = analyse([replace(each, purpose=purpose) for each in made], intent=Intent(repeats=repeats))
    assert used(system.levels[0]) == [*range(PLANNED + 1)]


def test_the_repeats_of_a_study_are_those_of_its_plan() -> None:
    for said, repeats in ((7, 7), ("auto", None), ("decided", None)):
        assert Intent.of({"plan": {"repeats": said}}, Reference()).repeats == repeats
    assert Intent.of({}, Reference()).repeats is None
