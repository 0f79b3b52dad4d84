"""The stop rule and the search for the peak, on curves whose maximum is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from igen.judge.curve.sweep import PeakSearch, enough
from igen.judge.figure.interval import mean_interval
from igen.judge.figure.pairs import RunFigure
from igen.judge.trust.rules.curve import CONFIRM_RUNS, FAR, NOISE_LEVELS, NOT_INFERIOR

SEARCHED = 20
"""Runs for which a search of `igen run` has time, if transactions are short."""
Curve = Callable[[int], float]
Runs = dict[int, list[RunFigure]]


def usl(users: int) -> float:
    """Gunther's law: 25,190 at 99 users."""
    return 1000 * users / (1 + 0.02 * (users - 1) + 0.0001 * users * (users - 1))


def capped(users: int) -> float:
    """Linear up to a hard limit of 30,000."""
    return float(((1000 * users) ** -4.0 + 30_000**-4.0) ** -0.25)


def four_servers(users: int) -> float:
    """Each serves 200 a second."""
    return 200.0 * min(users, 4)


def search(curve: Callable[[int], float | None], plan: PeakSearch) -> tuple[Runs, Runs, Runs]:
    """Does what the search asks for; throughputs by users of search, choice and confirmation. None of a curve
    is an INVALID run of a level that is given up."""
    done: dict[str, Runs] = {"search": {}, "choose": {}, "confirm": {}}
    while requests := plan.next(*(list(runs.items()) for runs in done.values())):
        for request in requests:
            runs = done[request.purpose].setdefault(request.users, [])
            measured = [curve(request.users) for _ in range(request.runs)]
            runs.extend(RunFigure(value) for value in measured if value is not None)
    return done["search"], done["choose"], done["confirm"]


def hurried(curve: Curve, plan: PeakSearch, runs: int) -> tuple[Runs, Runs, Runs]:
    """Does what the search asks for until there is no time for a further run."""
    done: dict[str, Runs] = {"search": {}, "choose": {}, "confirm": {}}
    left = runs
    while requests := plan.next(*(list(runs.items()) for runs in done.values()), left=left):
        for request in requests:
            for _ in range(min(request.runs, left)):
                done[request.purpose].setdefault(request.users, []).append(RunFigure(curve(request.users)))
                left -= 1
    return done["search"], done["choose"], done["confirm"]


def mean(runs: list[RunFigure]) -> float:
    return float(np.mean([run.value for run in runs]))


def noisy(curve: Curve, noise: float, random: np.random.Generator) -> Curve:
    return lambda users: curve(users) * (1 + noise * random.standard_normal())


def test_without_noise_it_doubles_looks_far_and_halves() -> None:
    searched, chosen, confirmed = search(usl, PeakSearch())
    assert [*searched][:10] == [2**k for k in range(10)]
    assert max(searched) == FAR.value * 512
    assert {len(runs) for runs in [*searched.values()][: NOISE_LEVELS.value]} == {2}, "the noise is not known"
    assert {len(runs) for runs in [*searched.values()][NOISE_LEVELS.value :]} == {1}
    peak = max(chosen, key=lambda users: mean(chosen[users]))
    assert usl(peak) > 0.999 * 25_190
    assert peak in confirmed
    assert {len(runs) for runs in confirmed.values()} == {CONFIRM_RUNS.value}
    lowest = min(confirmed)
    assert NOT_INFERIOR.value * usl(peak) <= usl(lowest) < 1.01 * NOT_INFERIOR.value * usl(peak), (
        "the sweet spot"
    )


def test_a_known_noise_saves_the_second_runs() -> None:
    searched, _, _ = search(usl, PeakSearch(noise=0.001))
    assert {len(runs) for runs in searched.values()} == {1}


def test_it_ends_where_it_may_not_go_further() -> None:
    searched, _, _ = search(lambda users: users, PeakSearch(first=3, largest=20))
    assert max(searched) == 20
    assert list(searched)[:4] == [3, 6, 12, 20]
    only, _, confirmed = search(lambda users: users, PeakSearch(first=4, largest=4))
    assert (list(only), list(confirmed)) == ([4], [4])


def test_what_grows_again_far_away_is_found() -> None:
    searched, _, _ = search(lambda users: 100.0 if users <= 8 else 10.0 * users, PeakSearch(largest=256))
    assert max(searched, key=lambda users: mean(searched[users])) == 256


def test_four_servers_have_their_sweet_spot_at_four() -> None:
    random = np.random.default_rng(4)
    for noise in (0.0, 0.002, 0.005):
        for _ in range(5):
            _, _, confirmed = search(noisy(four_servers, noise, random), PeakSearch())
            assert min(confirmed) == 4, noise


def test_levels_that_fail_are_no_zeros() -> None:
    searched, _, confirmed = search(lambda users: usl(users) if users <= 40 else None, PeakSearch())
    assert max(searched) == 64
    assert 36 <= max(confirmed) <= 40, "between the last that worked and the first that failed"
    plan = PeakSearch()
    assert plan.next([(1, [])], [], []) == []


def blocks_of_the_choice(seed: str) -> list[list[int]]:
    searched = [(users, runs) for users, runs in search(usl, PeakSearch())[0].items()]
    asked = [request.users for request in PeakSearch(seed=seed).next(searched, [], [])]
    levels = sorted({*asked})
    blocks = [asked[at : at + len(levels)] for at in range(0, len(asked), len(levels))]
    assert all(sorted(block) == levels for block in blocks)
    return blocks


def test_the_order_of_the_candidates_is_drawn_and_balanced() -> None:
    blocks = blocks_of_the_choice("1")
    assert [block[::-1] for block in blocks[:-1:2]] == blocks[1::2]
    assert len({tuple(blocks_of_the_choice(str(seed))[0]) for seed in range(20)}) > 5
    assert blocks_of_the_choice("1") == blocks, "seeded"


def test_a_peak_that_is_not_confirmed_gives_way_to_the_next_best() -> None:
    searched, chosen, _ = search(usl, PeakSearch())
    best, second, *_ = sorted(chosen, key=lambda users: -mean(chosen[users]))
    asked = PeakSearch().next([*searched.items()], [*chosen.items()], [(best, [])])
    assert second in {request.users for request in asked}


def test_where_no_candidate_is_confirmed_the_next_lower_level_is_chosen() -> None:
    searched, chosen, _ = search(usl, PeakSearch())
    failed: list[tuple[int, list[RunFigure]]] = [(users, []) for users in chosen]
    asked = PeakSearch().next([*searched.items()], [*chosen.items()], failed)
    assert {request.purpose for request in asked} == {"choose"}
    assert {request.users for request in asked} == {max(users for users in searched if users < min(chosen))}
    nothing: list[tuple[int, list[RunFigure]]] = [(users, []) for users in searched]
    assert PeakSearch().next([*searched.items()], nothing, []) == []


@pytest.mark.parametrize("noise", [0.01, 0.03])
@pytest.mark.parametrize(("curve", "truth"), [(usl, 25_190.0), (capped, 30_000.0), (four_servers, 800.0)])
def test_in_little_time_the_best_load_so_far_is_confirmed(curve: Curve, truth: float, noise: float) -> None:
    random = np.random.default_rng(5)
    reached = []
    for _ in range(50):
        _, chosen, confirmed = hurried(noisy(curve, noise, random), PeakSearch(), SEARCHED)
        assert not chosen, "the round that chooses has no time"
        ((users, runs),) = confirmed.items()
        assert len(runs) == CONFIRM_RUNS.value
        reached.append(curve(users) / truth)
    assert np.mean(reached) > NOT_INFERIOR.value


@pytest.mark.parametrize("runs", range(1, 30))
def test_no_more_runs_are_asked_for_than_there_is_time_for(runs: int) -> None:
    searched, _, confirmed = hurried(usl, PeakSearch(), runs)
    assert sum(map(len, [*searched.values(), *confirmed.values()])) <= runs
    assert len(confirmed) == (runs > 1)


def test_with_time_enough_nothing_is_left_out() -> None:
    assert hurried(usl, PeakSearch(noise=0.0), 10**6) == search(usl, PeakSearch(noise=0.0))


@pytest.mark.parametrize("noise", [0.02, 0.05])
@pytest.mark.parametrize(("curve", "truth"), [(usl, 25_190.0), (capped, 30_000.0), (four_servers, 800.0)])
def test_neither_peak_nor_sweet_spot_flatters(curve: Curve, truth: float, noise: float) -> None:
    """Overstatement of at most 0.3 %, 95 % covered, and no sweet spot that is more than 3 % low by noise."""
    random = np.random.default_rng(3)
    flattering, covered, wrong = [], [], []
    for _ in range(150):
        _, chosen, confirmed = search(noisy(curve, noise, random), PeakSearch())
        peak = max(chosen, key=lambda users: mean(chosen[users]))
        flattering.append(mean(confirmed[peak]) / truth - 1)
        wrong.append(curve(min(confirmed)) < NOT_INFERIOR.value * curve(peak))
        for users, runs in confirmed.items():
            estimate = mean_interval([run.value for run in runs])
            assert estimate.low is not None
            assert estimate.high is not None
            covered.append(estimate.low <= curve(users) <= estimate.high)
    error = np.std(flattering) / np.sqrt(len(flattering))
    assert np.mean(flattering) < 0.003 + error
    assert np.mean(flattering) > -0.03
    assert 0.9 <= np.mean(covered) <= 0.99
    assert np.mean(wrong) <= 0.05


@pytest.mark.parametrize(
    ("run_means", "expected"),
    [
        ([], False),
        ([100.0], False),
        ([100.0, 100.0], False),
        ([100.0, 100.0, 100.0], True),
        ([100.0, 104.0, 101.0], False),
        ([100.0, 102.0, 101.0, 101.0], False),
        ([100.0, 101.0, 100.5, 100.6, 100.7, 100.4], True),
        ([100.0, 0.0, 100.0], False),
        ([100.0, 150.0] * 5, True),
    ],
)
def test_enough(run_means: list[float], expected: bool) -> None:
    assert enough(run_means) is expected
