"""Operations that are told in every tenth snapshot: what is added up, and over which time."""

from __future__ import annotations

import pytest

from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Snapshot
from igen.judge.record.value import LAST_FIFTH
from igen.judge.run.measured import measure
from tests.judge.synthetic import MEASURE_BEGIN_S, recording, snapshot, statistics


def _long(counts: list[int], *, every: int = 10) -> Recording:
    """A run whose `counts` of operation `page` are told once in `every` intervals and at the end."""
    snapshots: list[Snapshot] = []
    told = 0
    for i, count in enumerate(counts):
        rest = {}
        if (i + 1) % every == 0 or i == len(counts) - 1:
            part = statistics(sum(counts[told : i + 1]), 1.0)
            rest = {"operations": {"page": part}, "operations_since_s": MEASURE_BEGIN_S + told}
            told = i + 1
        snapshots.append(snapshot(i, statistics(count, 1.0), **rest))
    return recording(snapshots=snapshots, job={"phases": {"extendable": True}})


def test_all_of_a_steady_run_is_added_up() -> None:
    run = measure(_long([1000] * 34))
    assert run.operations["page"].count == run.transactions.count == 34_000
    assert run.operations_s == pytest.approx(run.measured_s)


def test_without_the_warm_up_only_what_lies_behind_it_counts() -> None:
    run = measure(_long([round(1000 * (1 - 0.6 * 0.6**i)) for i in range(40)]))
    assert 10 < run.cut_s <= 20
    assert run.operations["page"].count / run.operations_s == pytest.approx(1000, rel=0.01)
    assert run.operations_s == 20


def test_a_run_shorter_than_its_operations_tells_those_of_the_longer_time() -> None:
    run = measure(_long([100] * 3 + [1000] * 7), LAST_FIFTH)
    assert run.measured_s == 2
    assert run.operations_s == 10
    assert run.operations["page"].count == 7300


def test_operations_in_each_snapshot_follow_the_measured_intervals() -> None:
    run = measure(_long([100] * 5 + [1000] * 35, every=1))
    assert run.operations["page"].count == run.transactions.count
    assert run.operations_s == pytest.approx(run.measured_s)
