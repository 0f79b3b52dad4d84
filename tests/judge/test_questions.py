"""What a report asks of two systems, in which order, and what equivalent means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.record.snapshot import Statistics
from igen.judge.result import Ratio, Result
from igen.loads import MEAN, P99, P999, THROUGHPUT, Quantity
from tests.judge.synthetic import histogram, recording, snapshot
from tests.said import has, observed

USERS = (1, 2, 4, 8)
SLOW_SHARE, SLOW_MS = 0.02, 8.0


def transactions(random: np.random.Generator, users: int, slower: float, noise: float) -> Statistics:
    """Return an interval of users who never wait; a share of the transactions takes `SLOW_MS` or longer."""
    slow_ms = SLOW_MS * slower * float(np.exp(noise * random.standard_normal()))
    usual_ms = (1 - SLOW_SHARE * SLOW_MS) / (1 - SLOW_SHARE)
    slow = round(20 * users * SLOW_SHARE * 50)
    times = np.full(1000 * users, usual_ms)
    times[:slow] = slow_ms
    whole = histogram((times * 1e6).round().astype(np.int64))
    return Statistics(
        count=len(times), failed=0, service_time=whole, response_time=whole, failed_time=histogram([])
    )


def study(
    slower: float = 1.0,
    *,
    users: Sequence[int] = (4,),
    runs: int = 5,
    tail_noise: float = 0.001,
    systems: str = "AB",
) -> Result:
    """Systems of one throughput; those after the first have a tail that is so many times as long."""
    random = np.random.default_rng(1)
    made = [
        recording(
            users=at,
            level=number,
            repeat=repeat,
            system=name,
            snapshots=[snapshot(second, interval, users=at) for second in range(10) for interval in [of_run]],
        )
        for name in systems
        for number, at in enumerate(users)
        for repeat in range(runs)
        for of_run in [transactions(random, at, 1.0 if name == "A" else slower, tail_noise)]
    ]
    return result_of(analyse(made))


def of_quantity(result: Result, quantity: Quantity) -> Ratio:
    (found,) = (each for each in result.ratios if each.quantity == quantity)
    return found


def errors(result: Result, quantity: Quantity = THROUGHPUT) -> set[float]:
    """Return the errors at which the questions of that quantity are tested."""
    return {round(each.error or 0.0, 6) for each in result.ratios if each.quantity == quantity}


def test_systems_of_one_throughput_are_equivalent_if_their_tails_are() -> None:
    found = study()
    decided = of_quantity(found, THROUGHPUT)
    assert (decided.answer, decided.apart) == ("equivalent", [])
    assert decided.ratio.level == pytest.approx(0.9), "two one-sided tests at 5 %"
    assert observed(found) == ["equivalent"]


def test_a_tail_that_is_longer_is_named_next_to_an_equivalent_throughput() -> None:
    found = study(2.2)
    decided = of_quantity(found, THROUGHPUT)
    assert decided.answer == "equivalent"
    (p99, *_) = [each for each in decided.apart if each.quantity == P99]
    assert p99.answer == "slower"
    assert p99.ratio.value == pytest.approx(2.2, rel=0.02)
    assert p99.ratio == of_quantity(found, P99).ratio, "with the interval of that answer"
    assert "equivalent" not in observed(found)
    assert {"equivalent-in-part", "times-longer"} <= {*observed(found)}


def test_a_tail_that_is_shorter_is_not_equivalent_either() -> None:
    (p99, *_) = [each for each in of_quantity(study(0.5), THROUGHPUT).apart if each.quantity == P99]
    assert p99.answer == "faster"


def test_a_tail_that_nobody_knows_is_said_to_be_unknown() -> None:
    found = study(tail_noise=0.3)
    (p99,) = (each for each in of_quantity(found, THROUGHPUT).apart if each.quantity == P99)
    assert (p99.quantity, p99.answer) == (P99, "cannot tell")
    assert p99.ratio.high is not None
    assert p99.ratio.high > 1.09, "the upper end is beyond 1 + 3 margins"
    assert p99.ratio.level == pytest.approx(0.9)
    (said,) = (each for each in found.observations if each.rule == "equivalent-in-part")
    assert all(has(each, "ratio") for each in said.because if each.rule == "apart-unknown")


def test_three_repeats_show_no_more_than_an_equivalent_throughput() -> None:
    (p99,) = of_quantity(study(runs=3), THROUGHPUT).apart
    assert (p99.quantity, p99.ratio.low) == (P99, None)


def test_the_only_load_is_asked_once_and_the_share_of_the_loads_goes_to_the_tail() -> None:
    found = study()
    assert found.overall == []
    asked = {each.quantity: each.error for each in found.ratios}
    assert asked == {
        THROUGHPUT: pytest.approx(0.03),
        MEAN: pytest.approx(0.03),
        P99: pytest.approx(0.01),
        P999: pytest.approx(0.01),
    }
    assert {each.questions for each in found.ratios} == {3}
    assert errors(study(runs=3)) == {0.05}


def test_several_loads_have_a_question_of_their_own_which_is_asked_first() -> None:
    found = study(users=USERS)
    (overall,) = found.overall
    assert (overall.loads, overall.ratio.n, overall.answer, overall.apart) == (4, 5, "equivalent", [])
    assert overall.error == pytest.approx(0.03)
    assert errors(found) == {0.0025}
    assert errors(found, P99) == {0.00125}
    assert observed(found)[0] == "equivalent-overall"
    assert {each.questions for each in found.ratios} == {13}


def test_over_all_loads_a_longer_tail_is_named_too() -> None:
    (overall,) = study(2.2, users=USERS).overall
    assert overall.answer == "equivalent"
    assert {(each.quantity, each.answer) for each in overall.apart} >= {(P99, "slower")}


def test_all_systems_of_a_report_share_its_error() -> None:
    found = study(systems="ABC")
    assert errors(found) == {0.015}


@pytest.mark.parametrize("users", [(4,), (1, 2)])
def test_the_interval_leaves_out_1_if_and_only_if_a_difference_is_claimed(users: tuple[int, ...]) -> None:
    found = study(1.3, users=users, tail_noise=0.1)
    for each in [*(each for each in found.ratios if not each.restates_throughput), *found.overall]:
        assert each.ratio.low is not None
        assert each.ratio.high is not None
        claimed = each.answer in ("faster", "slower")
        assert claimed == (not each.ratio.low <= 1 <= each.ratio.high) or each.answer == "equivalent"
        if claimed:
            assert each.ratio.level == 1 - (each.error or 0.0)
