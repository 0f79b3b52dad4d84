from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from igen.errors import InputError
from igen.judge.trust.disturbance import Bound, Cause, Disturbance
from igen.judge.trust.finding import finding
from igen.judge.trust.rules.curve import CONFIRM_RUNS, MOST_RUNS
from igen.judge.trust.rules.statistics import LEAST_RUNS
from igen.study.levels import PlannedLevel, search_range
from igen.study.order import Execution, Order, Reached
from igen.study.orders.peak import MOST_TRIES, Allowance, PeakOrder
from igen.study.orders.sweep import MOST_UNTIL_DECIDED, SweepOrder, most_replaced
from igen.study.plans import PeakPlan
from igen.study.study import Study

USERS = "load.closed.users"
BACKUP = finding("foreign-cpu", used_percent=15.0)


def level(number: int, values: dict[str, int] | None = None, test: str = "") -> PlannedLevel:
    return PlannedLevel(number=number, values=values or {USERS: number + 1}, job={}, test=test)


def side(number: int, users: int, system: str) -> PlannedLevel:
    return PlannedLevel(number=number, values={USERS: users}, job={}, system=system)


def execute(
    order: Order, throughput_per_s: Callable[[Execution], float | None]
) -> tuple[list[Execution], list[bool]]:
    """What was executed, and after which of it the level was done."""
    executions: list[Execution] = []
    done: list[bool] = []
    for execution in order.executions():
        executions.append(execution)
        reached = Reached(throughput_per_s=throughput_per_s(execution))
        done.append(bool(order.hear(execution, reached).done))
    return executions, done


def directions(seed: str, repeats: int) -> list[list[int]]:
    executions, _ = execute(SweepOrder([level(0), level(1), level(2)], repeats, seed=seed), lambda _: 100.0)
    numbers = [execution.level.number for execution in executions]
    return [numbers[at : at + 3] for at in range(0, len(numbers), 3)]


def test_repeats_go_up_and_down_the_levels() -> None:
    executions, done = execute(SweepOrder([level(0), level(1), level(2)], 3, seed="s"), lambda _: 100.0)
    up, down = [0, 1, 2], [2, 1, 0]
    drawn = [directions(str(seed), 3) for seed in range(40)]
    assert all(each[:2] in ([up, down], [down, up]) for each in drawn)
    for place in (0, 2):
        assert 10 <= sum(each[place] == up for each in drawn) <= 30, "also that of the odd repeat is drawn"
    assert [execution.repeat for execution in executions] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert done == [False] * 6 + [True] * 3


def test_tests_keep_their_order_in_each_repeat() -> None:
    levels = [level(0, test="a"), level(1, test="a"), level(2, test="b"), level(3, test="b")]
    executions, _ = execute(SweepOrder(levels, 2, seed="s"), lambda _: 100.0)
    numbers = [execution.level.number for execution in executions]
    assert [{*numbers[at : at + 2]} for at in (0, 2, 4, 6)] == [{0, 1}, {2, 3}] * 2
    assert [numbers[4:6][::-1], numbers[6:][::-1]] == [numbers[:2], numbers[2:4]]


def test_a_level_that_is_precise_needs_no_more_repeats() -> None:
    def noisy_above(execution: Execution) -> float:
        return 100.0 * (1.5 ** (execution.repeat % 2)) if execution.level.number else 100.0

    executions, done = execute(SweepOrder([level(0), level(1)], "auto", seed="s"), noisy_above)
    count = [sum(execution.level.number == number for execution in executions) for number in (0, 1)]
    assert LEAST_RUNS.value <= count[0] < count[1] == MOST_RUNS.value
    assert done.count(True) == 2


def test_a_level_that_always_fails_ends_too() -> None:
    executions, _ = execute(SweepOrder([level(0)], "auto", seed="s"), lambda _: None)
    assert len(executions) == MOST_RUNS.value


def saturating(execution: Execution) -> float:
    return min(execution.level.values[USERS], 12) * 10.0


def search(
    axes: dict[str, list[int]] | None = None,
    refused_from: int = 10**9,
    allowance: Allowance | None = None,
) -> PeakOrder:
    made = Study(name="s", job={}, axes=axes or {USERS: [1]}, plan=PeakPlan())
    return PeakOrder(
        *search_range(made),
        lambda number, values: level(number, values) if values[USERS] < refused_from else None,
        seed="s",
        allowance=allowance,
    )


@pytest.mark.parametrize("run_s", [0.5, 1.1, 3.0, 30.0])
@pytest.mark.parametrize("valid_in", [1, 2, 10**9])
def test_a_search_ends_within_its_time_however_often_a_run_is_repeated(run_s: float, valid_in: int) -> None:
    clock_s = [100.0]
    began = list[float]()

    def took(execution: Execution) -> float | None:
        began.append(clock_s[0])
        clock_s[0] += run_s
        return saturating(execution) if len(began) % valid_in == 0 else None

    order = search(allowance=Allowance(24.0, run_s=1.0, now=lambda: clock_s[0]))
    executions, _ = execute(order, took)
    assert began[-1] - 100.0 <= max(24.0 - run_s, 1.0)
    if valid_in == 1 and run_s <= 1.1:
        confirmed = [each for each in executions if each.purpose == "confirm"]
        assert len(confirmed) == CONFIRM_RUNS.value


def test_a_search_that_is_resumed_does_not_take_earlier_runs_for_short_ones() -> None:
    clock_s = [0.0]
    allowance = Allowance(24.0, run_s=1.0, now=lambda: clock_s[0])
    for _ in range(20):
        assert allowance.left == 24.0
        allowance.count()


def test_a_search_doubles_then_confirms_with_runs_of_their_own() -> None:
    executions, done = execute(search(), saturating)
    searched = [execution.level.values[USERS] for execution in executions if execution.purpose == "search"]
    assert [*dict.fromkeys(searched)][:5] == [1, 2, 4, 8, 16]
    confirmed = [execution for execution in executions if execution.purpose == "confirm"]
    assert confirmed
    assert all(execution.level.values[USERS] >= 11 for execution in confirmed)
    assert {execution.repeat for execution in confirmed} == {*range(CONFIRM_RUNS.value)}
    chosen = {execution.level.values[USERS] for execution in executions if execution.purpose == "choose"}
    assert {execution.level.values[USERS] for execution in confirmed} <= chosen
    numbers = {execution.level.values[USERS]: execution.level.number for execution in executions}
    assert sorted(numbers.values()) == list(range(len(numbers)))
    # A level is done after its last run.
    last = {execution.level.number: index for index, execution in enumerate(executions)}
    assert all(done[index] for index in last.values())


def test_a_search_ends_where_levels_are_refused_or_fail() -> None:
    executions, _ = execute(search(refused_from=8), saturating)
    assert max(execution.level.values[USERS] for execution in executions) < 8
    executions, _ = execute(search(), lambda _: None)
    assert [(execution.purpose, execution.repeat) for execution in executions] == [
        ("search", repeat) for repeat in range(MOST_TRIES)
    ]


def test_an_invalid_run_of_a_search_is_repeated_and_not_read_as_nothing() -> None:
    tried: set[tuple[int, str]] = set()

    def first_is_invalid(execution: Execution) -> float | None:
        place = execution.level.values[USERS], execution.purpose
        if place in tried:
            return saturating(execution)
        tried.add(place)
        return None

    executions, _ = execute(search(), first_is_invalid)
    searched = [e.level.values[USERS] for e in executions if e.purpose == "search"]
    assert [*dict.fromkeys(searched)][:5] == [1, 2, 4, 8, 16], "the search goes on as if nothing had been"
    confirmed = {e.level.values[USERS] for e in executions if e.purpose == "confirm"}
    assert confirmed
    assert min(confirmed) == 12


@pytest.mark.parametrize("seed", range(20))
def test_a_level_that_a_run_did_not_hold_is_not_confirmed_and_a_lower_one_is(seed: int) -> None:
    """A paced load: 80 users are always served, up to 100 in three of four runs, and more never."""
    random = np.random.default_rng(seed)
    order = search({USERS: [1, 512]})
    held: dict[int, list[bool]] = {}
    confirmed: dict[int, int] = {}
    for execution in order.executions():
        users = execution.level.values[USERS]
        is_held = users <= 80 or (users <= 100 and random.random() < 0.75)
        held.setdefault(users, []).append(is_held)
        order.hear(
            execution, Reached(throughput_per_s=10.0 * users if is_held else None, spoils_level=not is_held)
        )
        if execution.purpose == "confirm":
            confirmed[users] = confirmed.get(users, 0) + is_held
    good = {users for users, runs in confirmed.items() if runs >= CONFIRM_RUNS.value and all(held[users])}
    assert good, "the judge calls a level INVALID of which one run was not held"
    assert max(good) >= 70
    assert sum(map(len, held.values())) < 100


def test_a_level_is_not_done_while_a_run_in_place_of_a_spoiled_one_is_due() -> None:
    order = search({USERS: [1, 512]})
    executions = order.executions()
    for reached in (Reached(spoils_level=True), Reached(throughput_per_s=10.0)):
        assert order.hear(next(executions), reached).done == []
    last = next(executions)
    assert (last.level.values[USERS], last.repeat) == (1, 2), "the noise is not known: two runs"
    assert order.hear(last, Reached(throughput_per_s=10.0)).done == [last.level.number]


def test_the_range_of_a_search_is_its_axis() -> None:
    def range_of(axes: dict[str, list[object]]) -> tuple[str, int, int]:
        return search_range(Study(name="s", job={}, axes=axes))

    assert range_of({}) == (USERS, 1, 4096)
    assert range_of({USERS: [4]}) == (USERS, 4, 4096)
    assert range_of({"load.paced.users": [2, 64]}) == ("load.paced.users", 2, 64)
    for axes in ({USERS: [1], "seed": [1]}, {"load.open.users": [1]}, {USERS: [1.5]}):
        with pytest.raises(InputError):
            range_of(axes)  # type: ignore[arg-type]


def test_every_execution_draws_numbers_of_its_own() -> None:
    executions, _ = execute(search(), saturating)
    by_level: dict[int, list[int]] = {}
    for execution in executions:
        by_level.setdefault(execution.level.number, []).append(execution.job["repeat"])
    assert any(len(repeats) > 1 for repeats in by_level.values())
    assert all(len(set(repeats)) == len(repeats) for repeats in by_level.values())


LOADS = (1, 2, 4, 8)


def levels_of(systems: str) -> list[PlannedLevel]:
    return [
        side(len(LOADS) * place + n, users, name)
        for place, name in enumerate(systems)
        for n, users in enumerate(LOADS)
    ]


def blocks_of(systems: str, repeats: int, seed: str) -> dict[tuple[int, int], str]:
    """The order of the systems by load and repeat."""
    executions, _ = execute(SweepOrder(levels_of(systems), repeats, seed=seed), lambda _: 100.0)
    blocks: dict[tuple[int, int], str] = {}
    for each in executions:
        place = each.level.values[USERS], each.repeat
        blocks[place] = blocks.get(place, "") + each.level.system
    return blocks


@pytest.mark.parametrize("repeats", [3, 5, 8])
def test_each_of_two_systems_goes_first_in_one_of_two_repeats(repeats: int) -> None:
    drawn = [blocks_of("AB", repeats, str(seed)) for seed in range(60)]
    for blocks in drawn:
        for users in LOADS:
            order = [blocks[users, repeat] for repeat in range(repeats)]
            assert all(order[at : at + 2] in (["AB", "BA"], ["BA", "AB"]) for at in range(0, repeats - 1, 2))
    for users in LOADS:
        for repeat in (0, 2, repeats - 1):
            first = sum(blocks[users, repeat] == "AB" for blocks in drawn)
            assert 15 <= first <= 45, "no side goes first there in all studies"


@pytest.mark.parametrize("systems", ["ABC", "ABCD", "ABCDE"])
def test_more_systems_stand_in_williams_squares(systems: str) -> None:
    repeats = len(systems) * (1 + len(systems) % 2)
    blocks = blocks_of(systems, repeats, "s")
    for users in LOADS:
        orders = [blocks[users, repeat] for repeat in range(repeats)]
        places = Counter((place, system) for order in orders for place, system in enumerate(order))
        follow = Counter(pair for order in orders for pair in pairwise(order))
        assert {*places.values()} == {repeats // len(systems)}
        assert {*follow.values()} == {repeats // len(systems)}
        assert len(follow) == len(systems) * (len(systems) - 1)
        for one, other in combinations(systems, 2):
            for at in range(0, repeats, 2):
                first = [order.index(one) < order.index(other) for order in orders[at : at + 2]]
                assert sum(first) == 1, "each goes first once in a double block"


def test_a_fresh_repeat_has_the_order_of_the_one_that_it_replaces() -> None:
    for seed in range(20):
        order = SweepOrder([side(0, 1, "A"), side(1, 1, "B")], 5, seed=str(seed))
        executions = disturbed_first(order, lambda each: each.repeat in (1, 4, 5))
        first = {each.repeat: each.level.system for each in executions[::2]}
        assert [*first] == [*range(8)]
        assert (first[5], first[6], first[7]) == (first[1], first[4], first[1]), "5 was disturbed too"


def test_until_decided_looks_after_whole_double_blocks() -> None:
    """The effect of going first is as large as anything: no look may be at pairs that are not balanced."""
    for seed in range(10):
        order = SweepOrder([side(0, 1, "A"), side(1, 1, "B")], "decided", seed=str(seed))
        executions = 0
        for execution in order.executions():
            executions += 1
            value = 120.0 if execution.level.system == "B" else 100.0
            heard = order.hear(execution, Reached(throughput_per_s=value))
            assert not heard.done or executions % 4 == 0
            assert heard.look is None or executions % 4 == 0
        assert executions == 8


def test_systems_stand_side_by_side() -> None:
    levels = levels_of("AB")
    executions, done = execute(SweepOrder(levels, 8, seed="s"), lambda _: 100.0)
    blocks = [executions[at : at + 2] for at in range(0, len(executions), 2)]
    assert all(len({e.level.values[USERS] for e in block}) == 1 for block in blocks)
    assert all({e.level.system for e in block} == {"A", "B"} for block in blocks)
    assert all(len({e.repeat for e in block}) == 1 for block in blocks), "the same random numbers"
    loads = [block[0].level.values[USERS] for block in blocks[:8]]
    assert loads[:4] == loads[:3:-1]
    assert sum(done) == 4
    again, _ = execute(SweepOrder(levels, 8, seed="s"), lambda _: 100.0)
    assert [e.level.number for e in again] == [e.level.number for e in executions], "seeded"


def disturbed_first(order: SweepOrder, disturbed: Callable[[Execution], bool]) -> list[Execution]:
    executions = []
    for execution in order.executions():
        executions.append(execution)
        order.hear(
            execution, Reached(throughput_per_s=1.0, unusable=BACKUP if disturbed(execution) else None)
        )
    return executions


def test_a_disturbed_repeat_is_replaced_on_both_sides() -> None:
    order = SweepOrder([side(0, 1, "A"), side(1, 1, "B")], 5, seed="s")
    executions = disturbed_first(order, lambda e: e.repeat == 1 and e.level.system == "B")
    assert [sum(e.level.system == name for e in executions) for name in "AB"] == [6, 6]


def test_replacing_is_bounded_and_given_up_where_all_are_disturbed() -> None:
    half = disturbed_first(SweepOrder([level(0)], 5, seed="s"), lambda e: e.repeat > 0)
    assert len(half) == 5 + most_replaced(5)
    assert len(disturbed_first(SweepOrder([level(0)], 5, seed="s"), lambda e: True)) == 5


def test_a_level_that_no_fresh_repeat_can_save_gets_none() -> None:
    order = SweepOrder([side(0, 1, "A"), side(1, 1, "B")], 5, seed="s")
    executions = []
    for execution in order.executions():
        executions.append(execution)
        of_b = execution.level.system == "B"
        hit = execution.repeat == (3 if of_b else 1)
        lost = not of_b and execution.repeat == 1
        heard = order.hear(
            execution,
            Reached(throughput_per_s=1.0, unusable=BACKUP if hit else None, spoils_level=lost),
        )
        assert heard.replaced == (BACKUP if hit and of_b else None)
    assert len(executions) == 2 * 6, "one for B, none for A"


def test_until_decided_ends_when_the_answer_is_clear() -> None:
    random = np.random.default_rng(1)

    def pairs(ratio: float, noise: float) -> int:
        order = SweepOrder([side(0, 1, "A"), side(1, 1, "B")], "decided", seed="s")
        executions, done = execute(
            order,
            lambda e: (
                100.0 * (ratio if e.level.system == "B" else 1.0) * (1 + noise * random.standard_normal())
            ),
        )
        assert sum(done) == 1
        return len(executions) // 2

    assert pairs(1.2, 0.01) < 8, "they differ"
    assert pairs(1.0, 0.005) < 15, "they are equivalent"
    assert pairs(1.03, 0.2) == MOST_UNTIL_DECIDED, "too noisy"


def disturbed_by(throughput: Bound, times: Bound) -> Disturbance:
    backup = Cause(finding=BACKUP, throughput=throughput, times=times)
    return Disturbance(throughput=throughput, times=times, causes=[backup])


def blocks_until_decided(ratio: float, disturbance: Disturbance, load: str) -> int:
    """Blocks of a study whose second system does `ratio` of the first one's figure, which is disturbed."""
    random = np.random.default_rng(2)
    sides = [replace(side(number, 1, "AB"[number]), job={"load": {load: {}}}) for number in (0, 1)]
    order = SweepOrder(sides, "decided", seed="s")
    executed = 0
    for execution in order.executions():
        other = execution.level.system == "B"
        value = 100.0 * (ratio if other else 1.0) * float(np.exp(0.005 * random.standard_normal()))
        reached = Reached(throughput_per_s=value, response_ms=value)
        order.hear(execution, replace(reached, disturbance=disturbance) if other else reached)
        executed += 1
    return executed // 2


@pytest.mark.parametrize(
    ("load", "disturbance"),
    [
        ("closed", disturbed_by(Bound(high_percent=5), Bound())),
        ("open", disturbed_by(Bound(), Bound(low_percent=-5))),
    ],
)
def test_until_decided_goes_on_while_disturbance_could_undo_the_answer(
    load: str, disturbance: Disturbance
) -> None:
    undone = 0.96 if load == "closed" else 1.04
    assert blocks_until_decided(1.0, Disturbance(), load) < 15
    assert blocks_until_decided(undone, Disturbance(), load) < MOST_UNTIL_DECIDED
    assert blocks_until_decided(1.0, disturbance, load) == MOST_UNTIL_DECIDED, "equivalent but for it"
    assert blocks_until_decided(undone, disturbance, load) == MOST_UNTIL_DECIDED, "different but for it"
    assert blocks_until_decided(1.2, disturbance, load) < 8, "different in spite of it"
