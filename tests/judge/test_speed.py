"""The spin canary as a covariate, against least squares and with a known truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from igen.judge.record.form import Arrivals
from igen.judge.record.histogram import Histogram
from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Statistics
from igen.judge.result import AS_MEASURED
from igen.judge.run.measured import MeasuredRun, measure
from igen.judge.trust.speed import at_usual_speed
from tests.judge.synthetic import one_system, recording, snapshot, statistics
from tests.judge.test_personas import of_both, orders_for, together
from tests.said import note_rules

USUAL = 100.0
BASE = measure(recording())


def run_of(per_s: float, speed: float | None, host: str = "host") -> MeasuredRun:
    """Return a run of one user and one second, with readings of the canary before and after it."""
    canaries = [] if speed is None else [(False, speed), (True, speed)]
    times = Histogram.counted(np.array([100]), np.array([round(per_s)]), 10**9)
    part = Statistics(count=round(per_s), service_time=times, response_time=times)
    return replace(
        BASE,
        recording=replace(BASE.recording, canaries=canaries, host=host),
        transactions=part,
        intervals=[snapshot(0, part)],
    )


def runs(
    speeds: Sequence[float], slope: float, per_s: float = 1e6, noise: float = 0.0, seed: int = 1
) -> list[MeasuredRun]:
    """A level whose throughput follows the speed of the machine with that slope."""
    random = np.random.default_rng(seed)
    return [
        run_of(per_s * (speed / USUAL) ** slope * (1 + noise * random.standard_normal()), speed)
        for speed in speeds
    ]


def throughputs(levels: Sequence[Sequence[MeasuredRun]]) -> list[list[float]]:
    return [[run.throughput_per_s for run in level] for level in levels]


def speeds_of(number: int, seed: int = 2, sd: float = 0.05) -> list[float]:
    return (USUAL * np.exp(sd * np.random.default_rng(seed).standard_normal(number))).tolist()


@pytest.mark.parametrize("slope", [1.0, 0.5, 0.16, -0.3])
def test_what_the_canary_explains_is_taken_out(slope: float) -> None:
    """All runs are as fast as on the machine at its median speed."""
    speeds = speeds_of(13)
    ((level,),) = at_usual_speed([[runs(speeds, slope)]])
    usual = float(np.median(speeds))
    expected = 1e6 * (usual / USUAL) ** slope
    assert [run.throughput_per_s for run in level] == pytest.approx([expected] * 13, rel=1e-4)
    # The one user waits for each answer, so times are the inverse of the throughput.
    times_ms = [run.transactions.response_time.mean_ns * run.correction.times for run in level]
    assert times_ms == pytest.approx([1e9 / expected] * 13, rel=1e-3)


@pytest.mark.parametrize(
    ("levels", "repeats", "known"),
    [
        (1, 11, False),
        (1, 12, True),
        (4, 3, False),
        (5, 3, False),
        (6, 3, True),
        (20, 1, False),
        (11, 2, True),
    ],
)
def test_fewer_than_10_degrees_of_freedom_tell_no_slope(levels: int, repeats: int, known: bool) -> None:
    """Each level takes one for its mean and the slope takes one."""
    made_ = [runs(speeds_of(repeats, seed), 1.0, 20_000 * (seed + 1)) for seed in range(levels)]
    (corrected,) = at_usual_speed([made_])
    are_as_measured = [run.correction == AS_MEASURED for level in corrected for run in level]
    assert all(are_as_measured) is not known
    if not known:
        assert throughputs(corrected) == throughputs(made_)


def test_a_level_is_compared_with_itself() -> None:
    """The faster the machine, the higher the load that it was asked to do less of: no slope within levels."""
    levels = []
    for place in range(4):
        speeds = [90.0 + 5 * place + step for step in (-1.0, 0.0, 1.0, 2.0)]
        levels.append([run_of(100_000 - 20_000 * place, speed) for speed in speeds])
    (corrected,) = at_usual_speed([levels])
    assert [run.correction for level in corrected for run in level] == [AS_MEASURED] * 16


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(1, 6), min_size=3, max_size=6).filter(lambda x: sum(x) - len(x) >= 11),
    slope=st.floats(-1, 1),
)
def test_the_slope_is_that_of_least_squares(seed: int, sizes: list[int], slope: float) -> None:
    """With a mean for each level, whose runs are of different numbers."""
    random = np.random.default_rng(seed)
    levels = [
        runs(speeds_of(size, seed + place), slope, 1e6 * (1 + random.random()), 0.02, seed + place)
        for place, size in enumerate(sizes)
    ]
    (corrected,) = at_usual_speed([levels])
    of_level = np.repeat(np.arange(len(sizes)), sizes)
    x = np.array([log(run.recording.canaries[0][1]) for level in levels for run in level])
    y = np.log([value for level in throughputs(levels) for value in level])
    design = np.column_stack([np.eye(len(sizes))[of_level], x])
    beta = float(np.linalg.lstsq(design, y, rcond=None)[0][-1])
    usual = log(np.median(np.exp(x)))
    expected = y - beta * (x - usual)
    found = np.log([value for level in throughputs(corrected) for value in level])
    assert found == pytest.approx(expected, abs=1e-9)


def test_the_usual_speed_is_that_of_each_machine_or_of_all_that_are_compared() -> None:
    """Two machines, of which the second is twice as fast: neither is corrected to the other."""
    speeds = speeds_of(7)
    levels = [
        [run_of(1000 * speed, speed, "a") for speed in speeds],
        [run_of(2000 * speed, 2 * speed, "b") for speed in speeds],
    ]
    usual = float(np.median(speeds))
    (first,), (second,) = at_usual_speed([[levels[0]], [levels[1]]])
    assert throughputs([first, second]) == [
        pytest.approx([1000 * usual] * 7, rel=1e-4),
        pytest.approx([2000 * usual] * 7, rel=1e-4),
    ]
    ((given_,),) = at_usual_speed([[[*levels[0], *levels[0]]]], usual_spins_per_s=90.0)
    assert throughputs([given_]) == [pytest.approx([90_000] * 14, rel=1e-4)]


def test_a_run_without_a_canary_stays_as_it_was_measured() -> None:
    told = runs(speeds_of(13), 1.0)
    silent = run_of(77_777, None)
    ((level,),) = at_usual_speed([[[*told, silent]]])
    assert level[-1].throughput_per_s == 77_777
    assert level[-1].correction == AS_MEASURED
    assert [run.throughput_per_s for run in level[:-1]] == pytest.approx(
        throughputs(at_usual_speed([[told]])[0])[0]
    )


@pytest.mark.parametrize("speeds", [[None] * 14, [USUAL] * 14])
def test_a_canary_that_never_changes_corrects_nothing(speeds: list[float | None]) -> None:
    random = np.random.default_rng(1)
    level = [run_of(1000 + 50 * random.standard_normal(), speed) for speed in speeds]
    (corrected,) = at_usual_speed([[level]])
    assert throughputs(corrected) == throughputs([level])


def test_a_noisy_canary_hardly_moves_what_does_not_follow_it() -> None:
    """3 % of noise in the canary and 1 % in the runs: 15 runs tell a slope that is 0.09 off on average."""
    changes = []
    for seed in range(20):
        level = runs(speeds_of(15, seed, 0.03), 0.0, noise=0.01, seed=seed + 100)
        ((corrected,),) = at_usual_speed([[level]])
        before, after = (np.mean(throughputs([each])) for each in (level, corrected))
        changes.append(after / before - 1)
        assert np.std(throughputs([corrected])) <= np.std(throughputs([level]))
    assert np.abs(changes).max() < 0.01
    assert abs(np.mean(changes)) < 0.002


def test_the_correction_narrows_intervals_that_still_hold_the_truth() -> None:
    """A machine whose speed wanders by 5 % from run to run, and 0.5 % of noise; 1,000 is the truth."""
    held, halves, alone = [], [], []
    for seed in range(30):
        speeds = [speeds_of(5, 10 * seed + level) for level in range(4)]
        levels = [
            runs(each, 1.0, 50_000 * (level + 1), 0.005, 1000 * seed + level)
            for level, each in enumerate(speeds)
        ]
        (corrected,) = at_usual_speed([levels], usual_spins_per_s=USUAL)
        for place, (after, before) in enumerate(zip(corrected, levels, strict=True)):
            logs = np.log([run.throughput_per_s for run in after]) - log(50_000 * (place + 1))
            half = 2.776 * logs.std(ddof=1) / 5**0.5
            held.append(abs(logs.mean()) <= half)
            halves.append(half)
            alone.append(2.776 * np.log(throughputs([before])[0]).std(ddof=1) / 5**0.5)
    assert np.mean(held) >= 0.88
    assert np.mean(halves) < np.mean(alone) / 5


def level_recordings(speeds: Sequence[float]) -> list[Recording]:
    """Return the runs of a level that does 100 transactions for each unit of the speed."""
    return [
        recording([round(100 * speed)] * 6, repeat=repeat, canaries=[(False, speed), (True, speed)])
        for repeat, speed in enumerate(speeds)
    ]


def test_the_canary_drops_no_run_makes_no_verdict_and_changes_no_count() -> None:
    """A canary that falls by 30 % beside runs that do not: no bound, no finding, all runs count."""
    speeds = [*speeds_of(13), 70.0]
    made_ = [
        recording([1000 + repeat % 3] * 10, repeat=repeat, canaries=[(False, speed)])
        for repeat, speed in enumerate(speeds)
    ]
    (level,) = one_system(made_).levels
    assert level.trust.verdict == "VALID"
    assert level.trust.disturbance.causes == []
    assert all(repeat.used for repeat in level.repeats)
    assert level.transactions == sum(10 * (1000 + repeat % 3) for repeat in range(14))


def test_a_large_correction_is_a_note_with_its_size() -> None:
    """Half of the runs were on a machine that was 20 % slower, so their mean is 10 % off its usual speed."""
    speeds = [100.0] * 8 + [80.0] * 6
    (level,) = one_system(level_recordings(speeds)).levels
    assert level.throughput_per_s.value == pytest.approx(10_000, rel=1e-4)
    (note,) = (each for each in level.findings if each.rule == "speed-corrected")
    assert note.figure("change_percent") == pytest.approx(100 * 6 / 14 * (1 / 0.8 - 1), rel=1e-3)
    assert [repeat.correction.throughput for repeat in level.repeats] == pytest.approx(
        [1.0] * 8 + [1.25] * 6, rel=1e-3
    )
    (calm,) = one_system(level_recordings([100.0] * 13 + [99.0])).levels
    assert "speed-corrected" not in note_rules(calm)


def test_a_cut_in_front_and_the_canary_are_apart() -> None:
    """What a cut has changed is no correction: nothing was cut, so nothing changed."""
    made_ = [measure(each) for each in level_recordings([100.0] * 8 + [80.0] * 6)]
    ((level,),) = at_usual_speed([[made_]])
    for run in level:
        assert run.cut_s == 0
        assert run.uncut_throughput_per_s == pytest.approx(run.throughput_per_s)
        assert run.other_throughput_per_s == pytest.approx(run.throughput_per_s)


def opened(speed: float, repeat: int) -> Recording:
    """An open load whose service takes longer on a slow machine, and whose driver is 0.5 ms late."""
    service_ms = 100.0 / speed
    arrivals = Arrivals(due=500, started=500, unsent=0, backlog=0)
    part = statistics(500, service_ms, service_ms + 0.5 * 100 / speed)
    intervals = [snapshot(i, part, arrivals=arrivals, operations={"a": part}) for i in range(8)]
    load = {"open": {"rate_per_s": 500.0, "users": 50}}
    return recording(snapshots=intervals, load=load, repeat=repeat, canaries=[(False, speed)])


def test_all_times_of_a_level_are_corrected_alike() -> None:
    """Service takes two thirds of the response time, at the usual speed as on a slower machine."""
    made_ = [opened(speed, repeat) for repeat, speed in enumerate([100.0] * 8 + [80.0] * 6)]
    (level,) = one_system(made_).levels
    response, service, least = level.response_time_ms, level.service_time_ms, level.least_response_time_ms
    assert response is not None
    assert service is not None
    assert least is not None
    assert (response.mean, service.mean, least.mean) == pytest.approx((1.5, 1.0, 1.0), rel=1e-2)
    assert (response.p99, service.p99, least.p99) == pytest.approx((1.5, 1.0, 1.0), rel=1e-2)
    operation = level.operations["a"]
    assert operation.response_time_ms is not None
    assert operation.service_time_ms is not None
    assert operation.response_time_ms.mean == pytest.approx(response.mean)
    assert operation.service_time_ms.mean == pytest.approx(service.mean)


def test_each_of_several_loads_is_corrected() -> None:
    speeds = speeds_of(13)
    both = []
    for speed in speeds:
        clerks = statistics(round(1000 * speed), 10.0)
        seconds = [together(snapshot(i, clerks, users=2), orders_for(i)) for i in range(6)]
        both.append(measure(of_both(seconds, canaries=[(False, speed)])))
    ((level,),) = at_usual_speed([[both]])
    for run in level:
        assert {part.correction for part in run.loads.values()} == {run.correction}
        assert run.loads["clerks"].throughput_per_s == pytest.approx(1000 * np.median(speeds), rel=2e-3)
