from __future__ import annotations

import numpy as np
import pytest

from igen.aspects.slamd.table import Intervals, slamd_rows
from igen.judge.run.measured import measure
from tests.aspects.directories import authentications, searches
from tests.judge.synthetic import histogram, recording, snapshot, statistics


def test_the_check_values_of_a_perfect_line() -> None:
    """SLAMD itself gives a correlation of 0.960 here."""
    row = Intervals(0, 1, np.ones(6)).counts("Searches", "searches", [100, 110, 120, 130, 140, 150])
    assert row.count == 750
    assert row.avg_per_second == 125
    assert row.avg_per_interval == 125
    assert row.std_dev == pytest.approx(18.708, abs=5e-4)
    assert row.corr_coeff == pytest.approx(1.0)


def test_rates_are_by_second_and_counts_by_interval() -> None:
    row = Intervals(0, 1, np.full(3, 10.0)).counts("Searches", "searches", [100, 200, 300])
    assert (row.avg_per_second, row.avg_per_interval, row.std_dev) == (20, 200, 10)


def test_times() -> None:
    parts = [histogram([1_000_000] * 4), histogram([]), histogram([3_000_000] * 2)]
    row = Intervals(0, 1, np.ones(3)).times("Search Time", parts)
    assert (row.count, row.total_duration_ms) == (6, 10)
    assert row.avg_duration_ms == pytest.approx(10 / 6)
    assert row.avg_count_per_interval == 2
    assert row.std_dev == pytest.approx(np.std([1.0, 3.0], ddof=1)), "of the means of 1 and 3 ms"
    assert row.corr_coeff == pytest.approx(1.0)


def test_nothing_is_made_up_where_nothing_varies() -> None:
    one = Intervals(0, 1, np.ones(1)).counts("Searches", "searches", [5])
    even = Intervals(0, 1, np.ones(4)).counts("Searches", "searches", [5] * 4)
    none = Intervals(0, 1, np.ones(2)).times("Time", [histogram([]), histogram([])])
    assert (one.std_dev, one.corr_coeff) == (None, None)
    assert (even.std_dev, even.corr_coeff) == (0, None)
    assert (none.avg_duration_ms, none.std_dev) == (None, None)


def test_a_level_has_the_intervals_of_its_runs_one_after_another() -> None:
    parts = {"operations": {"select": statistics(30, 0.5)}, "counters": {"rows": 70}}
    intervals = [snapshot(i, statistics(10, 2.0, failed=1), **parts) for i in range(8)]
    runs = [measure(recording(snapshots=intervals, repeat=repeat)) for repeat in range(3)]
    rows = {row.statistic: row for row in slamd_rows(runs, "transactions")}
    assert rows["Transactions"].count == 3 * 8 * 10
    assert rows["Failed Transactions"].avg_per_second == 1
    assert rows["Response Time"].avg_duration_ms == 2
    assert rows["select"].avg_per_interval == 30
    assert rows["select time"].total_duration_ms == 3 * 8 * 15
    assert rows["rows"].avg_per_second == 70
    assert slamd_rows([measure(recording([]))], "transactions") == []


def test_times_have_percentiles_besides() -> None:
    row = Intervals(0, 1, np.ones(2)).times("T", [histogram([1_000_000] * 98), histogram([5_000_000] * 2)])
    assert row.p50_ms == row.p90_ms == pytest.approx(1, rel=0.01)
    assert row.p99_ms == row.p999_ms == pytest.approx(5, rel=0.01)
    assert Intervals(0, 1, np.ones(1)).times("T", [histogram([])]).p50_ms is None


def test_searches_have_the_published_rows() -> None:
    rows = slamd_rows([measure(searches(1000, failed=3))], "searches")
    assert [(row.statistic, row.unit, row.avg_per_second) for row in rows] == [
        ("Searches Completed", "searches", 1000),
        ("Exceptions Caught", "exceptions", 3),
        ("Entries Returned", "entries", 1000),
        ("Search Time", "ms", None),
    ]
    assert [row.avg_value for row in rows] == [None, None, 1, None]
    assert (rows[-1].count, rows[-1].avg_duration_ms) == (10_000, 1)


def test_authentications_have_the_published_rows() -> None:
    rows = slamd_rows([measure(authentications(100, failed=2))], "authentications")
    assert [(row.statistic, row.avg_per_second or row.avg_duration_ms) for row in rows] == [
        ("Authentication Attempts", 102),
        ("Successful Authentications", 100),
        ("Failed Authentications", 2),
        ("Authentication Time", 10),
        ("Bind Operations Performed", 100),
        ("Bind Time", 2),
        ("Modify Operations Performed", 100),
        ("Modify Time", 3),
        ("Search Operations Performed", 802),
        ("Initial Search Time", 1),
        ("Subsequent Search Time", 0.5),
    ]


def test_authentications_without_modify_keep_their_rows() -> None:
    rows = {row.statistic: row for row in slamd_rows([measure(authentications(modify=False))], "x")}
    assert rows["Modify Operations Performed"].count == 0
    assert rows["Modify Time"].avg_duration_ms is None
