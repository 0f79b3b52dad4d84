"""Judging a run of many hours: who is named, when, and who is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from igen.aspects.torture.parts import Torture
from igen.aspects.torture.segments import Segment, TargetSegment, segments_of, torture_of
from igen.judge.record.form import Message
from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Statistics
from tests.judge.synthetic import recording, snapshot, statistics

HOUR_S = 3600.0


def part(rate: float, noise: float = 0.0, time: float = 1.0, failed: int = 0, **faults: int) -> TargetSegment:
    """One user without think time, slowed `time` times by something else than its throughput."""
    ms = time * 1e3 / rate
    return TargetSegment(
        throughput_per_s=rate,
        best_per_s=rate * (1 + noise),
        response_ms=ms,
        best_ms=ms / (1 + noise),
        failed=failed,
        faults=faults,
    )


def run(*targets: Sequence[TargetSegment | None], whole: bool = True) -> Torture:
    """One sequence for each of the targets a, b, c; None where it was no target any more."""
    return torture_of(
        [
            Segment(
                number=number,
                end_s=number * HOUR_S,
                whole=whole,
                targets={name: each for name, each in zip("abcdefgh", parts, strict=False) if each},
            )
            for number, parts in enumerate(zip(*targets, strict=True), start=1)
        ]
    )


def said(torture: Torture) -> list[tuple[int, str, str]]:
    return [(each.segment, each.target, each.kind) for each in torture.incidents]


def rates(*values: float, noise: float = 0.0) -> list[TargetSegment]:
    return [part(value, noise) for value in values]


STEADY = rates(100, 101, 99, 100, 100, 100)


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        pytest.param([STEADY], [], id="steady"),
        pytest.param([STEADY, STEADY, rates(50, 51, 49, 50, 50, 50)], [], id="one was always slower"),
        pytest.param([rates(100, 100, 100, 60, 60, 50)], [(4, "a", "slower")], id="alone, named once"),
        pytest.param(
            [STEADY, rates(100, 100, 100, 100, 70, 70), STEADY], [(5, "b", "slower")], id="one of several"
        ),
        pytest.param([rates(100, 60, 60, 60, 60, 60)], [(2, "a", "slower")], id="in the second segment"),
        pytest.param(
            [STEADY, rates(100, 100, 100, 50, 100, 100)],
            [(4, "b", "slower"), (5, "b", "as before")],
            id="and back again",
        ),
        pytest.param(
            [rates(100, 100, 100, 50, 50, 50)] * 3, [(4, "", "all slower")], id="all: the host is disturbed"
        ),
        pytest.param(
            [rates(100, 100, 100, 50, 50, 50), rates(100, 100, 100, 20, 20, 20)],
            [(4, "b", "slower")],
            id="all, but one far more",
        ),
        pytest.param([rates(100, 100, 100, 60, 60, 60, noise=0.3)], [], id="not sure"),
        pytest.param(
            [[part(100)] * 3 + [part(100, time=2)] * 3, STEADY], [(4, "a", "slower")], id="by response time"
        ),
        pytest.param(
            [[part(100)] * 4 + [part(100, failed=3), part(100, failed=2)], STEADY],
            [(5, "a", "failed I/Os")],
            id="I/Os fail",
        ),
        pytest.param(
            [[part(100)] * 4 + [part(100, lost=2), None], STEADY], [(5, "a", "data errors")], id="data errors"
        ),
    ],
)
def test_who_is_named_and_when(
    targets: list[list[TargetSegment | None]], expected: list[tuple[int, str, str]]
) -> None:
    assert said(run(*targets)) == expected


def test_a_segment_that_was_cut_short_accuses_nobody() -> None:
    assert said(run(rates(100, 100, 10), whole=False)) == []


def test_the_words_say_when_and_by_how_much() -> None:
    torture = run(STEADY, rates(100, 100, 100, 40, 40, 40), [*STEADY[:5], part(100, lost=1, torn=2)])
    slower, data = (each.text for each in torture.incidents)
    assert slower == (
        "b is slower than at its beginning: 40.00/s instead of 100.0/s, 25 ms instead of 10 ms each; "
        "the others keep 100 % of theirs; after 4.0 h under load"
    )
    assert data == "c has lost its claim: data errors (1 lost, 2 torn blocks) after 6.0 h under load"
    a, b, c = torture.targets
    assert (a.state, b.state, c.state) == ("sound", "slower", "data errors")
    assert (b.begin_per_s, b.last_per_s, b.least_per_s) == (100, 40, 40)
    assert torture.under_load_s == 6 * HOUR_S


@given(
    st.lists(st.floats(0.9, 1.1), min_size=4, max_size=30),
    st.lists(st.floats(10, 1e6), min_size=1, max_size=8),
)
def test_ten_percent_up_and_down_accuse_nobody(noise: list[float], speeds: list[float]) -> None:
    targets = [
        [part(speed * factor) for factor in np.roll(noise, place)] for place, speed in enumerate(speeds)
    ]
    assert said(run(*targets)) == []


@given(
    st.integers(2, 8),
    st.integers(3, 20),
    st.floats(0.0, 0.5),
    st.lists(st.floats(0.95, 1.05), min_size=30, max_size=30),
)
def test_a_target_that_loses_half_is_named_at_once_and_alone(
    targets: int, at: int, kept: float, noise: list[float]
) -> None:
    sound = rates(*(1000 * factor for factor in noise))
    bad = [part(max(each.throughput_per_s * kept, 0.1)) if at <= i else each for i, each in enumerate(sound)]
    assert said(run(*[sound] * (targets - 1), bad)) == [(at + 1, "abcdefgh"[targets - 1], "slower")]


def seconds(*counts: Sequence[int], **rest: object) -> Recording:
    """A recording of several targets: a count for each second and target."""
    snapshots = [
        snapshot(
            index,
            statistics(sum(each), 1.0),
            targets=[statistics(count, 1.0 + place) for place, count in enumerate(each)],
        )
        for index, each in enumerate(counts)
    ]
    job = {"targets": ["file:///a", "file:///b"], "phases": {"measure_s": 4.0}}
    return recording(snapshots=snapshots, job=job, **rest)  # type: ignore[arg-type]


def bursts(*sequence: tuple[int, float]) -> list[Statistics]:
    """How many transactions ended in each second, and how long they took."""
    return [statistics(count, ms) for count, ms in sequence]


def two_targets(first: Sequence[Statistics], second: Sequence[Statistics]) -> Recording:
    """A whole segment of 1 s intervals."""
    snapshots = [
        snapshot(index, statistics(sum(part.count for part in parts), 1.0), targets=list(parts))
        for index, parts in enumerate(zip(first, second, strict=True))
    ]
    job = {"targets": ["file:///a", "file:///b"], "phases": {"measure_s": float(len(snapshots))}}
    return recording(snapshots=snapshots, job=job)


SOUND = bursts(*[(100, 10.0)] * 30)


def test_a_device_that_was_always_slow_in_a_third_of_its_time_is_not_named() -> None:
    """The mean of its intervals' means is 40 ms, that of its transactions 14 ms, now as at its beginning."""
    uneven = bursts(*[(100, 10.0)] * 20, *[(10, 100.0)] * 10)
    segments = segments_of([two_targets(SOUND, uneven) for _ in range(6)])
    assert segments[0].targets["file:///b"].response_ms == pytest.approx(30 / 2.1)
    assert said(torture_of(segments)) == []


def test_an_interval_that_begins_at_zero_accuses_nobody() -> None:
    steady, vague = bursts(*[(100, 10.0)] * 3), bursts((100, 10.0), (100, 10.0), (100, 200.0))
    segments = segments_of([two_targets(steady, each) for each in (steady, steady, steady, vague)])
    assert segments[-1].targets["file:///b"].best_ms == 0
    assert said(torture_of(segments)) == []


@given(st.lists(st.tuples(st.integers(0, 20), st.floats(0.01, 100.0)), min_size=1, max_size=10))
def test_who_does_the_same_again_is_never_named(sequence: list[tuple[int, float]]) -> None:
    uneven = bursts(*sequence)
    segments = segments_of([two_targets(SOUND[: len(uneven)], uneven)] * 5)
    assert said(torture_of(segments)) == []


def test_a_device_that_falls_from_400_to_60_a_second_is_named() -> None:
    """Two users; the cap lets I/Os through in bursts, so that a second has some more or fewer."""
    before = bursts(*[(390, 5.1), (410, 4.9), (400, 5.0)] * 10)
    after = bursts(*[(50, 36.0), (70, 30.0), (60, 33.0)] * 10)
    segments = segments_of([two_targets(before, each) for each in (before, before, before, after, after)])
    torture = torture_of(segments)
    assert said(torture) == [(4, "file:///b", "slower")]
    assert "60.00/s instead of 400.0/s" in torture.incidents[0].text


def test_a_recording_becomes_a_segment() -> None:
    verified = [
        {"target": "/a", "faults": {}},
        {"target": "/b", "faults": {"lost": {"blocks": 3, "first": []}}},
    ]
    first = seconds([100, 50], [110, 40], [90, 60], [100, 50], facts={"io.verified": verified})
    second = seconds([100, 50], errors=[Message("/a: input/output error (EIO)", "targets[0]")])
    one, two = segments_of([first, second])
    assert (one.end_s, two.end_s) == (4.0, 5.0)
    assert (one.whole, two.whole) == (True, False)
    a, b = one.targets["file:///a"], one.targets["file:///b"]
    assert (a.throughput_per_s, b.throughput_per_s) == (100, 50)
    assert 100 < a.best_per_s < 120
    assert b.response_ms == pytest.approx(2.0, rel=0.01)
    assert b.faults == {"lost": 3}
    assert not a.faults
    assert (two.lost_target, two.lost_why) == ("file:///a", "/a: input/output error (EIO)")
    assert [each.state for each in torture_of([one, two]).targets] == ["failed", "data errors"]


def test_one_target_has_all_transactions() -> None:
    job = {"targets": ["file:///a"], "phases": {"measure_s": 3.0}}
    (segment,) = segments_of([recording([10, 10, 10], job=job)])
    assert segment.targets["file:///a"].throughput_per_s == 10
