"""Which machines a job needs, and what is asked of each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from igen.machine_name import machine_name
from igen.monitors.machines import machines_of


def tier(name: str, host: str = "", **match: Any) -> dict[str, Any]:
    return {"name": name} | ({"host": host} if host else {}) | ({"match": match} if match else {})


def test_each_machine_is_read_once_with_its_tiers() -> None:
    tiers = [
        tier("web", pids=[1]),
        tier("db", "ssh://db1", process="postgres"),
        tier("search", "ssh://search1"),
        tier("pool", "ssh://db1", process="pgbouncer"),
        tier("cache", "http://c1:9100/metrics"),
    ]
    db, search, cache = machines_of({"tiers": tiers, "phases": {"interval_s": 0.5}})
    assert (db.host, db.tier_names, db.interval_s) == ("ssh://db1", ("db", "pool"), 0.5)
    assert [json.loads(each) for each in db.tiers] == [
        {"name": "db", "match": {"process": "postgres"}},
        {"name": "pool", "match": {"process": "pgbouncer"}},
    ]
    assert (search.tiers, search.tier_names, search.is_scraped) == ((), (), False)
    assert cache.is_scraped


@pytest.mark.parametrize(("interval_s", "between_s"), [(0.001, 0.1), (0.25, 0.25), (60.0, 1.0)])
def test_readings_come_as_often_as_intervals_within_bounds(interval_s: float, between_s: float) -> None:
    job = {"tiers": [tier("db", "ssh://db1")], "phases": {"interval_s": interval_s}}
    assert machines_of(job)[0].interval_s == between_s


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("ssh://db1", "db1"),
        ("ssh://igen@db1:2222", "db1:2222"),
        ("http://db1:9100/metrics", "db1:9100"),
        ("ssh://[fe80::1]", "[fe80::1]"),
        ("ssh://[fe80", "ssh://[fe80"),
        ("", ""),
    ],
)
def test_a_machine_is_called_by_its_address(url: str, name: str) -> None:
    assert machine_name(url) == name
