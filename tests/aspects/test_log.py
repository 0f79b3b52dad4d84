"""Log writes and flushes: whose counters count, and what they come to per transaction."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from igen.aspects.durability.log import log_of
from igen.judge.record.recording import Reading, Recording
from igen.judge.run.measured import measure
from tests.judge.synthetic import MEASURE_BEGIN_S, readings, recording, snapshot, statistics

COUNTERS = {"log_writes": 500.0, "log_flushes": 250.0, "log_bytes": 400_000.0, "commits": 1000.0}


def log(*made: Recording) -> tuple[float | None, ...] | None:
    found = log_of([measure(each) for each in made])
    if found is None:
        return None
    return (
        found.writes_per_s,
        found.flushes_per_s,
        found.transactions_per_flush,
        found.bytes_per_transaction,
        found.full_page_images_per_transaction,
    )


def monitored(monitor: str, per_s: dict[str, float], subject: str = "") -> Recording:
    """1,000 transactions a second beside a server's monitor."""
    made = recording([1000] * 10, job={"workload": "oltp", "targets": [f"{monitor}://db1/shop"]})
    made.readings.update(readings(monitor, per_s, subject))
    return made


def test_a_server_counts_its_own_log() -> None:
    postgresql = monitored("postgresql", COUNTERS | {"log_full_page_images": 20.0})
    assert log(postgresql) == pytest.approx((500, 250, 4, 400, 0.02))
    assert log(monitored("mysql", COUNTERS)) == pytest.approx((500, 250, 4, 400, None))


def test_all_of_measure_counts_and_not_its_steady_part_alone() -> None:
    """Each reading tells of the transactions up to a second before it, the last one of all."""
    counts = [100, 400, 600, 750, 850, 910, 950, 970, *[1000] * 42]
    flushes = [sum(counts[: max(second - 1, 0)]) for second in range(50)] + [sum(counts)]
    late = [Reading(MEASURE_BEGIN_S + i, {"log_flushes": float(each)}, {}) for i, each in enumerate(flushes)]
    made = recording(counts, readings={("postgresql", ""): late}, job={"phases": {"extendable": True}})
    made.snapshots.insert(0, replace(made.snapshots[0], phase="warmup", start_s=MEASURE_BEGIN_S - 2))
    assert measure(made).cut_s > 0
    assert log(made) == pytest.approx((None, sum(counts) / 50, 1, None, None))


def test_several_servers_add_up_and_repeats_are_averaged() -> None:
    half = COUNTERS | {"commits": 500.0}
    two = monitored("mysql", half, "db1")
    two.readings.update(readings("mysql", half, "db2"))
    assert log(two) == pytest.approx((1000, 500, 2, 800, None))
    one = monitored("mysql", COUNTERS)
    assert log(one, two) == pytest.approx((750, 375, 3, 600, None))


def test_a_server_that_counts_late_counts_all_of_it_late() -> None:
    """Two thirds of what 4 users did are told: 6 transactions a flush would be more than there are users."""
    late = {name: value * 2 / 3 for name, value in COUNTERS.items()}
    found = log(monitored("postgresql", late))
    assert found is not None
    assert found[2:4] == pytest.approx((4, 400))


@pytest.mark.parametrize("monitor", ["postgresql", "mysql"])
def test_what_was_counted_before_the_load_is_not_of_the_load(monitor: str) -> None:
    """Before the load there were 100 commits a flush, under load 4; PostgreSQL counts late."""
    made = monitored(monitor, COUNTERS)
    late_s = 1.5 if monitor == "postgresql" else 0.0

    def counted(at_s: float) -> dict[str, float]:
        begun_s = at_s - MEASURE_BEGIN_S - late_s
        flushes = 250 * begun_s if begun_s > 0 else 10 * begun_s
        return {"commits": 1000 * begun_s, "log_flushes": flushes, "log_bytes": 400_000 * begun_s}

    times = [MEASURE_BEGIN_S + i / 2 for i in range(21)]
    made.readings[monitor, ""] = [Reading(at_s, counted(at_s), {}) for at_s in times]
    assert log(made) == pytest.approx((None, 250, 4, 400, None))


def test_a_load_that_is_shorter_than_counts_are_late_is_not_counted() -> None:
    for monitor, known in [("postgresql", False), ("mysql", True)]:
        made = recording([1000] * 2, job={"workload": "oltp", "targets": [f"{monitor}://db1/shop"]})
        made.readings.update(readings(monitor, COUNTERS))
        assert (log(made) is not None) is known


def test_a_log_of_two_databases_is_counted_once() -> None:
    made = monitored("postgresql", COUNTERS | {"commits": 500.0}, "db1/a")
    made.readings.update(readings("postgresql", COUNTERS | {"commits": 500.0}, "db1/b"))
    assert log(made) == pytest.approx((500, 250, 4, 400, None))


def test_statements_of_their_own_are_no_transactions_of_the_load() -> None:
    made = monitored("postgresql", COUNTERS | {"commits": 6000.0})
    made.job["params"] = {"mode": "autocommit"}
    assert log(made) == pytest.approx((500, 250, 4, 400, None))


def test_sqlite_is_counted_by_the_workload() -> None:
    counted = Counter(log_writes=4000, log_flushes=1000, log_bytes=16_480_000)
    made = recording(
        snapshots=[snapshot(i, statistics(1000, 1.0), counters=dict(counted)) for i in range(10)]
    )
    assert log(made) == pytest.approx((4000, 1000, 1, 16_480, None))


def test_without_flushes_there_are_no_transactions_per_flush() -> None:
    assert log(monitored("postgresql", COUNTERS | {"log_flushes": 0.0})) == (500, 0, None, 400, None)


def test_nobody_counted_or_nothing_was_written() -> None:
    assert log(recording()) is None
    assert log(monitored("postgresql", dict.fromkeys(COUNTERS, 0.0))) is None
