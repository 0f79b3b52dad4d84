"""Bands hold what was held out, also of curves that no law describes; and what nobody can know is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from igen.errors import InputError, OutOfReach
from igen.judge import analyse
from igen.judge.curve.laws.choose import fitted_laws
from igen.judge.curve.laws.curve import ScalingCurve, curve_of, curve_through
from igen.judge.curve.laws.predict import Prediction, predict_limit, predict_users
from igen.judge.trust.rules.prediction import WORST_END
from tests.judge.laws.curves import (
    FAMILY,
    LEVELS,
    NO_FAMILY,
    Truth,
    lock_convoy,
    measured,
    numa_step,
    saturated,
    universal,
)
from tests.judge.synthetic import recording

SEEDS = 30


def test_a_level_that_cannot_be_used_is_named() -> None:
    levels = {1: 1000, 2: 1900, 4: 3500, 8: 0, 16: 6000}
    (system,) = analyse(
        [
            recording([per_s + 5 * repeat if per_s else 0] * 10, users=users, repeat=repeat)
            for users, per_s in levels.items()
            for repeat in range(2)
        ]
    )
    answer = predict_users(curve_of(system), 3)
    assert answer.left_out_users == [8]
    assert answer.measured_users == [1, 2, 4, 16]


def without(curve: ScalingCurve, places: list[int]) -> ScalingCurve:
    kept = [level for place, level in enumerate(curve.levels) if place not in places]
    return curve_through(curve.name, curve.transaction, kept)


def held_out(truth: Truth, think_s: float = 0.0) -> tuple[list[bool], int, list[Prediction]]:
    """Whether the band held three levels that each of many curves had not shown; refusals; answers."""
    held, refused, answers = [], 0, []
    for seed in range(SEEDS):
        curve = measured(truth, seed, think_s=think_s)
        rng = np.random.default_rng(1000 + seed)
        places = sorted(rng.choice(np.arange(1, len(LEVELS) - 1), size=3, replace=False).tolist())
        for place in places:
            level = curve.levels[place]
            try:
                answer = predict_users(without(curve, places), level.users)
            except InputError:
                refused += 1
                continue
            x = answer.throughput_per_s
            held.append((x.low or 0) <= level.throughput_per_s <= (x.high or 0))
            answers.append(answer)
    return held, refused, answers


def test_the_band_holds_held_out_levels_of_curves_that_no_law_describes() -> None:
    held: list[bool] = []
    for truth in NO_FAMILY.values():
        found, _, answers = held_out(truth)
        assert np.mean(found) >= 0.93, truth
        assert np.mean([answer.law == "isotonic" for answer in answers]) > 0.7, truth
        held += found
    assert np.mean(held) >= 0.93


@pytest.mark.parametrize("name", [*FAMILY])
def test_of_curves_that_a_law_describes_the_band_is_narrow_too(name: str) -> None:
    held, refused, answers = held_out(FAMILY[name])
    assert np.mean(held) >= 0.93
    assert refused <= 3
    widths = [(answer.throughput_per_s.high or 0) / (answer.throughput_per_s.low or 1) for answer in answers]
    assert np.median(widths) < 1.12


def test_users_who_think_are_not_in_the_system() -> None:
    held, _, answers = held_out(universal, think_s=0.5)
    assert np.mean(held) >= 0.9
    assert answers[0].think_time_s == pytest.approx(0.5, rel=0.01)


def test_beyond_the_last_level_nothing_is_said_unless_asked_for() -> None:
    curve = measured(universal, 1)
    with pytest.raises(InputError, match="200 users lie outside of what was measured, 1 to 128 users"):
        predict_users(curve, 200)
    answer = predict_users(curve, 200, extrapolate=True)
    assert answer.place == "outside"
    truth = float(universal(np.array([200.0]))[0])
    assert (answer.throughput_per_s.low or 0) <= truth <= (answer.throughput_per_s.high or 0)
    with pytest.raises(InputError, match="extrapolation refused: 300 users are more than twice the 128"):
        predict_users(curve, 300, extrapolate=True)
    with pytest.raises(InputError, match="outside"):
        predict_users(without(curve, [0, 1]), 1, extrapolate=True)


@pytest.mark.parametrize("name", [*FAMILY])
def test_an_extrapolation_that_is_insisted_on_holds_what_a_law_describes(name: str) -> None:
    truth, held = FAMILY[name], []
    for seed in range(SEEDS):
        try:
            x = predict_users(measured(truth, seed, LEVELS[:-2]), 128, extrapolate=True).throughput_per_s
        except InputError:
            continue
        held.append((x.low or 0) <= float(truth(np.array([128.0]))[0]) <= (x.high or 0))
    assert len(held) > 0.7 * SEEDS
    assert np.mean(held) >= 0.93


def test_a_law_that_speaks_alone_from_four_levels_does_not_extrapolate() -> None:
    for seed in range(20):
        curve = measured(saturated, seed, levels=(1, 2, 4, 8))
        accepted = [law for law in fitted_laws(curve) if not law.rejected and law.end_rms <= WORST_END.value]
        try:
            predict_users(curve, 16, extrapolate=True)
        except OutOfReach:
            continue
        assert len(accepted) >= 2


@pytest.mark.parametrize("truth", [numa_step, lock_convoy])
def test_what_no_law_predicts_is_refused_also_when_insisted_on(truth: Truth) -> None:
    for seed in range(10):
        with pytest.raises(InputError, match="extrapolation refused"):
            predict_users(measured(truth, seed), 200, extrapolate=True)


def test_between_levels_far_apart_of_a_strange_curve_nobody_knows() -> None:
    curve = measured(lock_convoy, 3, levels=(1, 2, 4, 8, 16, 64, 128))
    with pytest.raises(
        InputError, match=r"at 40 users anything from [\d.,]+ to [\d.,]+ transactions/s is possible"
    ):
        predict_users(curve, 40)


def test_a_measured_load_needs_no_law_and_a_point_is_no_curve() -> None:
    curve = measured(universal, 5)
    answer = predict_users(curve, 16)
    assert (answer.place, answer.law) == ("measured", "measured")
    assert answer.throughput_per_s.value == curve.levels[7].throughput_per_s
    with pytest.raises(InputError, match="one level"):
        predict_users(without(curve, [*range(1, len(LEVELS))]), 1)


def test_two_levels_tell_what_lies_between_without_any_law() -> None:
    answer = predict_users(measured(universal, 5, levels=(8, 16)), 12)
    assert answer.law == "isotonic"
    assert answer.laws == []
    truth = float(universal(np.array([12.0]))[0])
    assert (answer.throughput_per_s.low or 0) <= truth <= (answer.throughput_per_s.high or 0)


def test_a_limit_is_answered_in_users() -> None:
    held = []
    truth = max(n for n in range(1, 129) if 1e3 * n / float(universal(np.array([float(n)]))[0]) <= 40)
    for seed in range(20):
        answer = predict_limit(measured(universal, seed), 40)
        assert answer.at.users == answer.users
        held.append((answer.low or 0) <= truth <= (answer.high or 1e9))
        assert answer.users == pytest.approx(truth, rel=0.1)
    assert np.mean(held) >= 0.9


def test_a_limit_outside_of_what_was_measured_is_refused() -> None:
    curve = measured(universal, 1)
    with pytest.raises(InputError, match=r"already at 1 user it takes .* ms, not 1 ms"):
        predict_limit(curve, 1)
    with pytest.raises(
        InputError, match=r"the most that were measured, it takes .*: where 5 s is reached was not measured"
    ):
        predict_limit(curve, 5000)
    with pytest.raises(InputError, match="5 s is not reached at twice as many"):
        predict_limit(curve, 5000, extrapolate=True)
    last = 1e3 * curve.levels[-1].response_s
    assert predict_limit(curve, 1.3 * last, extrapolate=True).at.place == "outside"


def test_without_repeats_the_noise_is_assumed() -> None:
    curve = measured(universal, 2, runs=1)
    single = replace(curve.levels[3], error=None)
    assert curve_through("a", "b", [single, *curve.levels[4:]]).noise == 0.02
    assert predict_users(without(curve, [5]), 8).throughput_per_s.low is not None


@pytest.mark.slow
def test_so_many_users_are_within_the_limit_that_was_asked_for() -> None:
    """What was measured at a load counts there: an answer never contradicts it, nor itself."""
    for seed in range(40):
        curve = measured(universal, seed, noise=0.06)
        for limit_ms in (12.0, 14.0, 20.0, 30.0):
            try:
                answer = predict_limit(curve, limit_ms)
            except InputError:
                assert all(1e3 * level.response_s <= limit_ms for level in curve.levels) or (
                    1e3 * curve.levels[0].response_s > limit_ms
                )
                continue
            assert answer.at.response_time_ms.value <= limit_ms * (1 + 1e-9)
            beyond = [level for level in curve.levels if 1e3 * level.response_s > limit_ms]
            assert answer.users <= beyond[0].users


def test_a_level_that_was_not_repeated_is_not_exactly_known() -> None:
    curve = measured(universal, 3)
    once = curve_through("a", "transaction", [replace(level, error=None) for level in curve.levels])
    x = predict_users(once, once.levels[1].users).throughput_per_s
    assert (x.low or 0) < 0.98 * x.value < 1.02 * x.value < (x.high or 0)
