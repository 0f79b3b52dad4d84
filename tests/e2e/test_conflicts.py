"""Conflicts between users of one database: neither failures nor damage, whoever meets them how often."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from load_by_agent import run_job
from servers import new_database

from igen.instances.instance import Instance


def counted(events: list[dict[str, Any]]) -> Counter[str]:
    """Sum the counters of all snapshots."""
    return sum(
        (Counter(each["snapshot"]["counters"]) for each in events if "snapshot" in each), Counter[str]()
    )


@pytest.mark.parametrize("mode", ["transaction", "autocommit"])
def test_users_of_a_few_customers_fail_nothing_and_damage_nothing(server: Instance, mode: str) -> None:
    """16 users buy for 2 customers: on MariaDB they deadlock, on PostgreSQL they delete the same orders."""
    target = new_database(server, f"hot_{mode}")
    params = {"customers": 2, "mode": mode, "conflict_retries": 1000}
    job = {"workload": "oltp", "targets": [target], "load": {"closed": {"users": 16}}}
    phases = {"phases": {"warmup_s": 0, "measure_s": "1s"}}
    events = run_job(job | phases | {"params": params, "steps": ["prepare", "verify", "measure"]})
    counters = counted(events)
    assert counters["conflicts"] + counters["missed_deletes"] > 0
    assert not any(each["snapshot"].get("failures") for each in events if "snapshot" in each)
    # The end has checked that each customer has its orders, and at most one more for each user.
    assert events[-1]["end"]["outcome"] == "complete"
