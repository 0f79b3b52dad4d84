"""Recordings of directories with a known truth: each authentication has its ten operations."""

from __future__ import annotations

from typing import Any

from igen.judge.record.recording import Recording
from tests.judge.synthetic import recording, snapshot, statistics

TARGET = "ldap://127.0.0.1:3890/dc=example,dc=com"
CONDITIONS = {
    "ldap.attributes": "all",
    "target.ldap.waits_for_disk": True,
    "target.ldap.access_log": "loglevel 0",
    "target.ldap.vendor": "OpenLDAP",
}


def authentications(per_s: int = 100, failed: int = 0, *, modify: bool = True, **rest: Any) -> Recording:
    """SiteMinder's transactions, 10 s of them; failed ones fail in their first search."""
    operations = {
        "search.initial": statistics(per_s, 1.0, failed=failed),
        "search.subsequent": statistics(7 * per_s, 0.5),
        "bind": statistics(per_s, 2.0),
        **({"modify": statistics(per_s, 3.0)} if modify else {}),
    }
    intervals = [
        snapshot(i, statistics(per_s, 10.0, failed=failed), operations=operations) for i in range(10)
    ]
    return directory("ldap-siteminder", snapshots=intervals, **rest)


def searches(per_s: int = 1000, failed: int = 0, **rest: Any) -> Recording:
    """Searches of one entry each."""
    search = statistics(per_s, 1.0, failed=failed)
    parts = {"operations": {"search": search}, "counters": {"entries": per_s, "bytes": 500 * per_s}}
    return directory("ldap-search", snapshots=[snapshot(i, search, **parts) for i in range(10)], **rest)


def directory(workload: str, *, facts: dict[str, Any] | None = None, **rest: Any) -> Recording:
    job = {"workload": workload, "targets": [TARGET], **rest.pop("job", {})}
    return recording(job=job, facts={**CONDITIONS, **(facts or {})}, **rest)


def told(
    sent: dict[str, int], counted: dict[str, int] | None, why: str = "", target: str = TARGET
) -> dict[str, Any]:
    """What a run says of one directory's own count."""
    return {"target": target, "sent": sent, "counted": counted, **({"why": why} if why else {})}
