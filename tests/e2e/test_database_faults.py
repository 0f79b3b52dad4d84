"""Bad input and faults of real database servers: a clear error, what was measured kept, no hang."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import GENTLE, LONG, PATIENCE_S, Done, aspect, measured, reasons_of, wait_for
from outage import outage
from servers import Start, new_database, sql

from igen.instances import control
from igen.instances.instance import Instance

Igen = Callable[[str], Done]
Launch = Callable[..., subprocess.Popen[str]]
SMALL = "--set customers=500 --repeats 1 --quiet"
QUICK = f"--duration 0.3s --warmup 0.1s {SMALL}"


def refused(done: Done, *words: str) -> None:
    """Bad input, told with all of these words."""
    assert done.code == 2, done.err
    for word in words:
        assert word in done.err, done.err
    assert "hint:" in done.err, done.err


def test_order_entry_runs_and_says_what_the_server_is(igen: Igen, server: Instance) -> None:
    target = new_database(server, "runs")
    done = igen(f"run oltp --target {target} --users 1,4 {QUICK} --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    engine = "postgresql" if server.kind == "postgresql" else "mysql"
    facts = system["facts"]
    assert facts[f"target.{engine}.placement"] == "console/server"
    assert facts[f"target.{engine}.isolation"]
    assert "8 round trips" in facts["oltp.transaction"]
    for level in system["levels"]:
        assert level["errors"] == 0
        assert level["transactions"] > 0
        # Transactions in flight at the edges of the measurement are counted in part.
        in_part = 12 * level["users"] / level["transactions"]
        assert level["counters"]["statements"]["per_transaction"] == pytest.approx(6, abs=0.01 + in_part)
    assert igen(f"data cleanup oltp --target {target} --set customers=500").code == 0


def test_over_the_unix_socket(igen: Igen, server: Instance) -> None:
    new_database(server, "local")
    target = control.socket_target(server).replace("/igen?", "/local?")
    done = igen(f"run oltp --target {target} {QUICK} --json")
    assert done.code == 0, done.err
    assert "Unix socket" in done.document["systems"][0]["facts"].values()


@pytest.mark.parametrize(
    "server", ["postgresql", pytest.param("mariadb", marks=pytest.mark.slow)], indirect=True
)
def test_a_wrong_password_is_told_and_not_repeated(
    igen: Igen, server: Instance, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    target = new_database(server, "locked")
    if server.kind == "postgresql":
        rules = server.folder / "pg_hba.conf"
        rule = "host all keeper 127.0.0.1/32 scram-sha-256\n"
        rules.write_text(rule + rules.read_text().replace(rule, ""))
        sql(server, "DROP ROLE IF EXISTS keeper")
        sql(server, "CREATE ROLE keeper LOGIN SUPERUSER PASSWORD 'right-one'")
        sql(server, "SELECT pg_reload_conf()")
        variable, reason = "PGPASSWORD", "wrong password"
    else:
        sql(server, "CREATE OR REPLACE USER keeper@'127.0.0.1' IDENTIFIED BY 'right-one'")
        sql(server, "GRANT ALL ON *.* TO keeper@'127.0.0.1'")
        variable, reason = "MYSQL_PWD", "wrong user or password"
    target = target.replace("igen@", "keeper@")
    monkeypatch.setenv(variable, "wrong-one")
    done = igen(f"run oltp --target {target} {QUICK}")
    assert done.code == 1, done.err
    assert reason in done.err
    assert variable in done.err
    monkeypatch.setenv(variable, "right-one")
    done = igen(f"run oltp --target {target} {QUICK}")
    assert done.code == 0, done.err
    kept = [path.read_bytes() for path in store.rglob("*") if path.is_file()]
    assert kept
    assert not any(b"right-one" in content or b"wrong-one" in content for content in kept)


def test_a_password_in_a_target_is_refused_and_reaches_no_file(igen: Igen, store: Path) -> None:
    done = igen(f"run oltp --target postgresql://igen:hush@localhost/shop {QUICK}")
    refused(done, "--target", "a target must not contain a password", "PGPASSWORD")
    assert "hush" not in done.out + done.err
    assert not any(b"hush" in path.read_bytes() for path in store.rglob("*") if path.is_file())


def test_a_database_that_is_not_there(igen: Igen, server: Instance) -> None:
    target = control.target(server).removesuffix("igen") + "igen_nowhere"
    done = igen(f"run oltp --target {target} {QUICK}")
    assert done.code == 1, done.err
    assert "no such database" in done.err
    assert "create" in done.err.lower()


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_a_server_that_does_not_run(igen: Igen, scheme: str) -> None:
    done = igen(f"run oltp --target {scheme}://igen@127.0.0.1:1/igen {QUICK}")
    assert done.code == 1, done.err
    assert "connection refused" in done.err
    assert "start the server" in done.err


# 10 s each: test_server_view.py kills a server under load.
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_a_server_that_is_killed_and_restarted_in_the_middle(
    kind: str, igen: Igen, start: Launch, store: Path, own_server: Start
) -> None:
    instance = own_server(kind, durable=True)
    line = f"run oltp --target {control.target(instance)} --users 4 {GENTLE} {SMALL}"
    level = outage(start(line), instance, store, igen)
    assert "connection lost" in reasons_of(level), reasons_of(level)


def test_a_server_that_stays_away_ends_the_run_and_keeps_what_was_measured(
    igen: Igen, start: Launch, store: Path, own_server: Start
) -> None:
    instance = own_server("postgresql")
    flags = f"--users 2 --think-time 5ms --duration 3s --warmup 0s {SMALL}"
    line = f"run oltp --target {control.target(instance)} {flags}"
    process = start(line)
    wait_for(lambda: sum(each["transactions"]["count"] for each in measured(store)) > 100, process)
    control.kill(instance)
    killed_s = time.monotonic()
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    assert "connection refused" in err
    assert time.monotonic() - killed_s < 3 + 60
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert level["trust"]["verdict"] == "INVALID"
    assert sum(each["transactions"]["count"] for each in measured(store)) > 100


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_more_users_than_the_server_takes(kind: str, igen: Igen, own_server: Start) -> None:
    instance = own_server(kind, max_connections="20")
    done = igen(f"run oltp --target {control.target(instance)} --users 40 {QUICK}")
    assert done.code == 1, done.err
    assert "of 40 users started" in done.err
    assert "too many connections" in done.err


def test_a_table_of_somebody_elses_is_left_alone(igen: Igen, server: Instance) -> None:
    target = new_database(server, "foreign_orders")
    sql(server, "CREATE TABLE orders (mine INT); INSERT INTO orders VALUES (7)", "foreign_orders")
    done = igen(f"run oltp --target {target} {QUICK}")
    assert done.code == 1, done.err
    assert "another program created the table orders" in done.err
    assert igen(f"data cleanup oltp --target {target}").code == 1
    assert sql(server, "SELECT mine FROM orders", "foreign_orders") == "7"


def test_missing_rows_are_noticed_before_the_load(igen: Igen, server: Instance) -> None:
    target = new_database(server, "damaged")
    assert igen(f"data prepare oltp --target {target} --set customers=500").code == 0
    sql(server, "DELETE FROM orders WHERE o_c_id = 77", "damaged")
    done = igen(f"run oltp --target {target} {QUICK}")
    assert done.code == 1, done.err
    assert "some customers do not have 10 orders" in done.err
    assert "igen data cleanup" in done.err


@pytest.mark.parametrize(
    "server", ["mariadb", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
def test_a_statement_that_takes_too_long_fails_and_is_counted(
    igen: Igen, start: Launch, store: Path, server: Instance
) -> None:
    target = new_database(server, "slow")
    assert igen(f"data prepare oltp --target {target} --set customers=2").code == 0
    flags = "--set customers=2 --set statement_timeout_s=200ms --repeats 1 --quiet"
    process = start(f"run oltp --target {target} --users 1 {LONG} {flags}")
    wait_for(lambda: measured(store), process)
    if server.kind == "postgresql":
        lock, sleep = "LOCK TABLE orders IN EXCLUSIVE MODE", "SELECT pg_sleep(2)"
    else:
        lock, sleep = "LOCK TABLES orders WRITE", "SELECT SLEEP(2)"
    sql(server, f"BEGIN; {lock}; {sleep}; COMMIT", "slow")
    process.terminate()
    process.communicate(timeout=PATIENCE_S)
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert "statement timed out" in reasons_of(level), reasons_of(level)


def test_tls_that_the_server_does_not_have_is_refused(igen: Igen, server: Instance) -> None:
    target = new_database(server, "plain")
    done = igen(f"run oltp --target {target}?sslmode=require {QUICK}")
    assert done.code == 1, done.err
    assert "the server does not support TLS" in done.err


@pytest.mark.parametrize(
    "server", ["postgresql", pytest.param("mariadb", marks=pytest.mark.slow)], indirect=True
)
def test_a_list_of_shards_with_a_hole_is_refused(igen: Igen, server: Instance) -> None:
    targets = [new_database(server, f"shard{number}") for number in (1, 2, 3)]
    all_targets = " ".join(f"--target {target}" for target in targets)
    done = igen(f"run oltp {all_targets} --users 6 {QUICK} --json")
    assert done.code == 0, done.err
    (level,) = done.document["systems"][0]["levels"]
    assert [each["target"] for each in aspect(level, "targets")["targets"]] == targets
    assert all(each["transactions"] > 0 for each in aspect(level, "targets")["targets"])
    with_hole = f"--target {targets[0]} --target {targets[2]}"
    done = igen(f"run oltp {with_hole} --users 6 {QUICK}")
    assert done.code == 1, done.err
    assert "has the customers from 1001 on instead of the customers from 501 on" in done.err
    assert "a shard is missing" in done.err


def test_a_full_disk_in_the_load_is_told_and_leaves_nothing(igen: Igen, own_server: Start) -> None:
    small = {"innodb_file_per_table": "0", "innodb_data_file_path": "ibdata1:12M:autoextend:max:24M"}
    instance = own_server("mariadb", **small)
    done = igen(f"data prepare oltp --target {control.target(instance)} --set customers=50000 --quiet")
    assert done.code == 1, done.err
    assert "full" in done.err
    assert "free some space" in done.err
    assert sql(instance, "SHOW TABLES") == ""
