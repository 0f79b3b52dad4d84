"""The stop rule and the search for the peak, on curves whose maximum is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from igen.analysis.interval import mean_interval
from igen.analysis.sweep import MOST_CANDIDATES, PeakSearch, enough

Curve = Callable[[int], float]


def usl(users: int) -> float:
    """Gunther's law: 25,190 at 99 users."""
    return 1000 * users / (1 + 0.02 * (users - 1) + 0.0001 * users * (users - 1))


def capped(users: int) -> float:
    """Linear up to a hard limit of 30,000."""
    return float(((1000 * users) ** -4.0 + 30_000**-4.0) ** -0.25)


def search(curve: Curve, plan: PeakSearch) -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    """Does what the search asks for; throughputs by users of the search and of the confirmation."""
    done: dict[str, dict[int, list[float]]] = {"search": {}, "confirm": {}}
    while requests := plan.next(list(done["search"].items()), list(done["confirm"].items())):
        for request in requests:
            runs = done[request.purpose].setdefault(request.users, [])
            runs.extend(curve(request.users) for _ in range(request.runs))
    return done["search"], done["confirm"]


def test_without_noise_it_doubles_halves_and_confirms() -> None:
    searched, confirmed = search(usl, PeakSearch())
    assert list(searched) == [2**k for k in range(10)] + [91, 181, 76, 108, 83, 99]
    assert max(searched, key=lambda users: searched[users]) == 99
    assert 99 in confirmed
    assert len(confirmed) == 4
    assert {len(runs) for runs in confirmed.values()} == {3}


def test_it_ends_where_it_may_not_go_further() -> None:
    searched, _ = search(lambda users: users, PeakSearch(first=3, largest=20))
    assert max(searched) == 20
    assert list(searched)[:4] == [3, 6, 12, 20]
    only, confirmed = search(lambda users: users, PeakSearch(first=4, largest=4))
    assert (list(only), list(confirmed)) == ([4], [4])


def test_a_flat_curve_needs_three_levels() -> None:
    searched, _ = search(lambda users: 7500.0 + users, PeakSearch())
    assert list(searched)[:3] == [1, 2, 4]
    assert max(searched) == 4


def test_levels_that_fail_count_as_nothing() -> None:
    _, confirmed = search(lambda users: usl(users) if users <= 40 else 0.0, PeakSearch())
    assert max(confirmed) <= 40
    plan = PeakSearch()
    assert plan.next([(1, []), (2, []), (4, [])], []) == []
    assert plan.next([(1, []), (2, [])], [])[0].users == 4


def test_confirmation_runs_are_interleaved() -> None:
    searched = [(users, [usl(users)]) for users in search(usl, PeakSearch())[0]]
    order = [request.users for request in PeakSearch().next(searched, [])]
    assert order == [*order[:4], *order[3::-1], *order[:4]]
    assert order[:4] == sorted(order[:4])


@pytest.mark.parametrize(("curve", "truth"), [(usl, 25_190.0), (capped, 30_000.0)])
def test_the_search_flatters_and_the_confirmation_does_not(curve: Curve, truth: float) -> None:
    random = np.random.default_rng(3)

    def noisy(users: int) -> float:
        return curve(users) * (1 + 0.02 * random.standard_normal())

    best_of_search, best_of_search_confirmed, chosen, runs = [], [], [], []
    for _ in range(300):
        searched, confirmed = search(noisy, PeakSearch())
        first = max(searched, key=lambda users: searched[users])
        best = max(confirmed, key=lambda users: np.mean(confirmed[users]))
        best_of_search.append(max(searched[first]) / truth - 1)
        best_of_search_confirmed.append(np.mean(confirmed[best]) / truth - 1)
        chosen.append(curve(best) / truth - 1)
        runs.append(sum(len(each) for each in (*searched.values(), *confirmed.values())))
    assert np.mean(best_of_search) > 0.015
    assert np.mean(best_of_search_confirmed) < 0.6 * np.mean(best_of_search)
    assert np.mean(np.array(chosen) > -0.01) > 0.9, "mostly within 1 % of the true maximum"
    assert 26 <= np.mean(runs) <= 29


@pytest.mark.parametrize(
    ("run_means", "expected"),
    [
        ([], False),
        ([100.0], False),
        ([100.0, 100.0], False),
        ([100.0, 100.0, 100.0], True),
        ([100.0, 104.0, 101.0], False),
        ([100.0, 102.0, 101.0, 101.0], False),
        ([100.0, 102.0, 101.0, 101.0, 101.0], True),
        ([100.0, 0.0, 100.0], False),
        ([100.0, 150.0] * 5, True),
    ],
)
def test_enough(run_means: list[float], expected: bool) -> None:
    assert enough(run_means) is expected


def test_stopping_early_does_not_break_the_interval() -> None:
    """Looking after each run lets coverage fall, but not far, at 1 % noise."""
    random = np.random.default_rng(10)
    covered, runs = [], []
    for _ in range(1000):
        means: list[float] = []
        while not enough(means):
            means.append(100 * (1 + 0.01 * random.standard_normal()))
        estimate = mean_interval(means)
        assert estimate.low is not None
        assert estimate.high is not None
        covered.append(estimate.low <= 100 <= estimate.high)
        runs.append(len(means))
    assert np.mean(covered) > 0.9
    assert 3 <= np.mean(runs) <= 6


def test_a_level_that_fails_its_confirmation_gives_way_to_the_next_best() -> None:
    search = PeakSearch(first=8, largest=32)
    searched = [(8, [80.0]), (16, [160.0]), (32, [0.0]), (11, [110.0]), (23, [230.0])]
    searched += [(19, [190.0]), (27, [270.0]), (25, [250.0]), (29, [0.0])]
    confirmed: list[tuple[int, list[float]]] = []
    asked = []
    while requests := search.next(searched, confirmed):
        assert {request.purpose for request in requests} == {"confirm"}, requests
        users = sorted({request.users for request in requests})
        asked.append(users)
        confirmed += [(each, [10.0 * each] * 3 if each < 25 else [10.0 * each]) for each in users]
    assert asked == [[27], [25], [23]]


def test_a_system_that_confirms_nothing_ends_the_search() -> None:
    search = PeakSearch(first=1, largest=4)
    searched = [(1, [10.0]), (2, [20.0]), (4, [40.0]), (3, [30.0])]
    confirmed: list[tuple[int, list[float]]] = []
    while requests := search.next(searched, confirmed):
        confirmed += [(users, []) for users in {request.users for request in requests}]
    assert len(confirmed) <= MOST_CANDIDATES
