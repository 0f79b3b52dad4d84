"""Table scans on real servers: answers, the published figures, and the CPU time of the server's processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from command_line import Done, about, aspect
from servers import new_database, sql

from igen.instances.instance import Instance

Igen = Callable[[str], Done]
SIZE = "--set size_bytes=2MB"
SHORT = "--duration 0.5s --warmup 0.1s --repeats 1 --quiet"
ROWS = 2_000_000 // 112


def scanned(igen: Igen, target: str, flags: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Level and facts of a scan of the table `hundred`."""
    done = igen(f"run scan --target {target} {SIZE} --set table=hundred {SHORT} {flags} --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    (level,) = system["levels"]
    assert level["errors"] == 0
    return level, system["facts"]


@pytest.mark.parametrize(
    "predicate",
    [
        pytest.param("trivial", marks=pytest.mark.slow),
        pytest.param("complex", marks=pytest.mark.slow),
        "payload",
    ],
)
def test_a_server_answers_and_its_scan_is_shown_as_published(
    igen: Igen, server: Instance, predicate: str
) -> None:
    target = new_database(server, f"scan_{predicate}")
    level, facts = scanned(igen, target, f"--set predicate={predicate}")
    assert level["counters"]["records"]["per_transaction"] == about(ROWS, level)
    scan = {name: estimate["value"] for name, estimate in aspect(level, "scan").items() if name != "kind"}
    assert all(value > 0 for value in scan.values()), scan
    assert scan["bytes_per_s"] == pytest.approx(112 * scan["records_per_s"])
    assert scan["cpu_us_per_record"] == about(1e6 * scan["cpu_s"] / ROWS, level)
    assert facts["scan.cpu"] == "of the server and its workers"
    assert facts["scan.cache"] == "warm"
    assert facts["scan.threads"] == (1 if server.kind == "mariadb" else 3)
    assert facts["scan.load_rows_per_s"] > 0
    lines = igen("show last --all").out.splitlines()
    (row,) = [line.split() for line in lines if line.startswith(predicate)]
    assert row[1] == "hundred"


# 10 s a server: test_scan.py drops the same caches.
@pytest.mark.slow
def test_a_cold_scan_says_what_is_kept(igen: Igen, server: Instance) -> None:
    target = new_database(server, "scan_cold")
    # Each scan takes the cache away from all others on the machine.
    level, facts = scanned(igen, target, "--set cold=true --think-time 500ms --duration 5s")
    # Dropping the machine's page cache takes root, and a /proc that may be written to.
    cold = facts["scan.cache"] == "cold in part"
    assert cold or "takes root on the server's machine" in facts["scan.cache_reason"]
    assert "not the cache of the server" in facts["scan.cache_reason"] or not cold
    assert (level["operations"]["drop_caches"]["count"] > 0) == cold
    assert ("cold in part" in igen("show last --all").out) == cold


# 7 s: all scans on PostgreSQL count its workers.
@pytest.mark.slow
def test_parallel_workers_are_counted(igen: Igen, postgresql: Instance) -> None:
    target = new_database(postgresql, "scan_parallel")
    alone, facts = scanned(igen, target, "--set predicate=complex --set threads=1")
    assert facts["scan.threads"] == 1
    # Two workers do all of the work: the process that serves the connection only collects.
    for_workers = {
        "min_parallel_table_scan_size": 0,
        "parallel_setup_cost": 0,
        "parallel_leader_participation": "false",
    }
    settings = " ".join(f"--set session_variables.{name}={value}" for name, value in for_workers.items())
    by_workers, facts = scanned(igen, target, f"--set predicate=complex --set threads=3 {settings}")
    assert facts["scan.threads"] == 3
    # What a record costs stays; starting workers comes on top.
    cost = "cpu_us_per_record"
    assert aspect(by_workers, "scan")[cost]["value"] > 0.5 * aspect(alone, "scan")[cost]["value"]


@pytest.mark.parametrize(
    "server", ["mariadb", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
def test_a_wrong_answer_is_an_error(igen: Igen, server: Instance) -> None:
    target = new_database(server, "scan_wrong")
    line = f"scan --target {target} {SIZE} --set table=hundred"
    assert igen(f"data prepare {line}").code == 0
    sql(server, "UPDATE hundred SET a = 1 WHERE a = 0", "scan_wrong")
    done = igen(f"run {line} --set predicate=trivial {SHORT}")
    assert done.code == 1
    assert "wrong answer" in done.err
    assert igen(f"data cleanup {line}").code == 0
