"""What real servers say of themselves while they are measured."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from command_line import GENTLE, PATIENCE_S, Done, aspect, events, wait_for
from servers import Start, new_database

from igen.instances import control
from igen.instances.instance import Instance

Igen = Callable[[str], Done]
Launch = Callable[..., subprocess.Popen[str]]
SERVERS = ("postgresql", "mysql")


def from_servers(store: Path) -> list[dict[str, Any]]:
    return [each for each in events(store, "reading") if each["monitor"] in SERVERS]


def rates_told_late(snapshots: list[dict[str, Any]]) -> tuple[float, float]:
    """The least and the most that a server can have counted a second in MEASURE: processes of PostgreSQL tell
    what they have counted once a second, and readings may be half a second from the begin or the end."""
    late_s = 1.5
    phase = [each for each in snapshots if each["phase"] == "measure"]
    begin_s, end_s = phase[0]["start_s"], phase[-1]["end_s"]

    def ended(from_s: float, to_s: float) -> float:
        """Transactions in that time, those of an interval spread over it."""
        return sum(
            each["transactions"]["count"]
            * max(0.0, min(to_s, each["end_s"]) - max(from_s, each["start_s"]))
            / (each["end_s"] - each["start_s"])
            for each in snapshots
        )

    measured_s = end_s - begin_s
    least = ended(begin_s + late_s, end_s - late_s)
    return least / measured_s, ended(begin_s - late_s, end_s + late_s) / measured_s


@pytest.mark.parametrize(
    "server", ["postgresql", pytest.param("mariadb", marks=pytest.mark.slow)], indirect=True
)
def test_the_server_counts_what_the_client_counts(igen: Igen, server: Instance, store: Path) -> None:
    target = new_database(server, "counted")
    line = f"run oltp --target {target} --users 4 --duration 4s --warmup 1s --set customers=500"
    done = igen(f"{line} --set read_only=true --repeats 1 --quiet --json")
    assert done.code == 0, done.err
    (level,) = done.document["systems"][0]["levels"]
    seen = aspect(level, "server")
    assert seen["engine"] == ("postgresql" if server.kind == "postgresql" else "mysql")
    least_per_s, most_per_s = rates_told_late(events(store, "snapshot"))
    assert 0.95 * least_per_s <= seen["commits_per_s"] <= 1.05 * most_per_s
    assert seen["cache_hit_percent"] > 50
    assert seen["moments"] > 5
    assert seen["others"] == [], "all sessions are this load's and its monitor's"
    # Four users are always in a transaction, but for the time in which they wait for a processor.
    assert 2 * seen["moments"] < seen["session_samples"] <= 4.8 * seen["moments"]
    assert sum(wait["share"]["value"] for wait in seen["waits"]) == pytest.approx(1)
    # The server runs here: its processes are found, and are not foreign.
    assert seen["cpu_us_per_transaction"] > 0
    others = [each.get("subject", "") for each in events(store, "reading") if each["monitor"] == "processes"]
    assert f"{server.pid}" not in [subject.partition(" ")[0] for subject in others]


@pytest.mark.parametrize(
    "server", ["mariadb", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
def test_another_client_is_named_however_little_it_does(igen: Igen, server: Instance) -> None:
    target = new_database(server, "shared")
    place = urlsplit(target)
    if server.kind == "postgresql":
        client = ["psql", "--no-psqlrc", target, "--command=SELECT pg_sleep(60)"]
    else:
        account = ["--host=127.0.0.1", f"--port={place.port}", f"--user={place.username}"]
        client = ["mariadb", "--no-defaults", *account, place.path[1:], "--execute=SELECT SLEEP(60)"]
    prepared = igen(f"data prepare oltp --target {target} --set customers=200 --quiet")
    assert prepared.code == 0, prepared.err
    other = subprocess.Popen(client, stdout=subprocess.DEVNULL)
    try:
        line = f"run oltp --target {target} --users 2 --duration 1s --warmup 0s --set customers=200"
        done = igen(f"{line} --repeats 1 --quiet --json")
    finally:
        other.kill()
        other.wait()
    (level,) = (done if done.out else igen("show last --json")).document["systems"][0]["levels"]
    (seen,) = aspect(level, "server")["others"]
    assert (seen["user"], seen["sessions"]) == (place.username, 1)
    assert seen["active_percent"] == 100
    assert seen["application"] == ("psql" if server.kind == "postgresql" else "")


@pytest.mark.parametrize(
    "server", ["postgresql", pytest.param("mariadb", marks=pytest.mark.slow)], indirect=True
)
def test_a_hot_row_shows_as_its_lock_with_the_table(igen: Igen, server: Instance) -> None:
    target = new_database(server, "hot")
    line = f"run oltp --target {target} --users 12 --duration 3s --warmup 0s --set customers=2"
    done = igen(f"{line} --repeats 1 --quiet --json")
    # Two users may want the same order: that the rows are right afterwards is not what is asked here.
    (level,) = (done if done.out else igen("show last --json")).document["systems"][0]["levels"]
    waits = [wait for wait in aspect(level, "server")["waits"] if wait["kind"] == "lock" and wait["relation"]]
    assert waits, aspect(level, "server")["waits"]
    assert all("orders" in wait["relation"] for wait in waits)
    assert any(wait["told_by"] == "lock" for wait in waits)


@pytest.mark.parametrize("kind", [pytest.param("postgresql", marks=pytest.mark.slow), "mariadb"])
def test_a_killed_server_leaves_a_gap_and_is_found_again(
    kind: str, start: Launch, store: Path, own_server: Start
) -> None:
    instance = own_server(kind, durable=True)
    line = f"run oltp --target {control.target(instance)} --users 2 {GENTLE} --set customers=500 --repeats 1"
    process = start(f"{line} --quiet")
    wait_for(lambda: len(from_servers(store)) >= 2, process)
    control.kill(instance)
    wait_for(lambda: any("cannot be read" in each["text"] for each in events(store, "warning")), process)
    seen = len(from_servers(store))
    control.start(instance)
    wait_for(lambda: len(from_servers(store)) >= seen + 2, process)
    assert "process_id" in from_servers(store)[-1]["gauges"]
    process.terminate()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err


@pytest.mark.slow
def test_a_server_that_does_not_answer_holds_nobody_up(start: Launch, store: Path, own_server: Start) -> None:
    instance = own_server("mariadb")
    line = f"run oltp --target {control.target(instance)} --users 2 {GENTLE} --set customers=500 --repeats 1"
    process = start(f"{line} --quiet")
    readings = wait_for(lambda: from_servers(store), process)
    (server,) = {int(each["gauges"]["process_id"]) for each in readings}
    os.kill(server, 19)
    try:
        stopped = len(events(store, "snapshot"))
        wait_for(lambda: len(events(store, "snapshot")) > stopped + 2, process)
        begin_s = time.monotonic()
        process.terminate()
        process.communicate(timeout=PATIENCE_S)
        # Ten seconds are for the users' transactions in flight.
        assert time.monotonic() - begin_s < 10 + 60
    finally:
        os.kill(server, 18)
