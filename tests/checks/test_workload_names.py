from __future__ import annotations

from pathlib import Path

import pytest

from checks.workload_names import findings, names_in

WORKLOADS = ["oltp", "io", "scan", "ldap-search"]


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ('x = "oltp"', ["oltp"]),
        ("# as oltp does", ["oltp"]),
        ('"""Of `scan` alone."""', ["scan"]),
        ('x = facts["scan.load_s"]', ["scan"]),
        ('workload == "io"', ["io"]),
        ('x = "ldap-search"', ["ldap-search"]),
        ("oltp = 1", ["oltp"]),
        ("import io\nio.StringIO()", []),
        ('"""One scan of the table, as an io.TextIO would."""', []),
        ('"""A table scan."""', []),
        ('x = "ldap-searching"', []),
        ('x = "portfolio"', []),
    ],
)
def test_names_are_found_where_they_mean_a_workload(source: str, named: list[str]) -> None:
    assert [name for _, name in names_in(f"{source}\n", WORKLOADS)] == named


def test_a_name_needs_a_reason_and_a_reason_needs_a_name() -> None:
    sources = {Path("python/igen/judge/a.py"): 'x = 1\ny = "oltp"\n', Path("python/igen/report/b.py"): ""}
    (found,) = findings(sources, WORKLOADS, set())
    assert found.startswith("python/igen/judge/a.py:2: names the workload `oltp`")
    assert findings(sources, WORKLOADS, {("judge", "oltp")}) == []
    (unused,) = findings(sources, WORKLOADS, {("judge", "oltp"), ("report", "scan")})
    assert "report does not name `scan` any more" in unused
