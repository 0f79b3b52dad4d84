"""DebitCredit on real servers: the books balance, and what was acknowledged is stored, also after a crash."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import PATIENCE_S, Done, aspect, measured, wait_for
from servers import Start, new_database, sql

from igen.instances import control
from igen.instances.instance import Instance

Igen = Callable[[str], Done]
Launch = Callable[..., subprocess.Popen[str]]
SMALL = "--set branches=2 --repeats 1 --quiet"
QUICK = f"--duration 0.5s --warmup 0.1s {SMALL}"
ROUTINES = "SELECT COUNT(*) FROM information_schema.routines WHERE routine_name = 'igen_bank'"
SUMS = (
    "SELECT SUM(a_balance) FROM accounts; SELECT SUM(t_balance) FROM tellers; "
    "SELECT SUM(b_balance) FROM branches; SELECT SUM(h_amount) FROM history"
)


def counted(level: dict[str, Any]) -> tuple[int, int, int]:
    """Transactions that were acknowledged, stored and lost."""
    stored = aspect(level, "durability")["stored"]
    return stored["acknowledged"], stored["stored"], stored["lost"]


@pytest.mark.parametrize(
    ("server", "form"),
    [
        ("mariadb", "statements"),
        ("postgresql", "procedure"),
        pytest.param("mariadb", "procedure", marks=pytest.mark.slow),
        pytest.param("postgresql", "statements", marks=pytest.mark.slow),
    ],
    indirect=["server"],
)
def test_every_form_keeps_the_books(igen: Igen, server: Instance, form: str) -> None:
    target = new_database(server, f"bank_{form}")
    # Pilots that choose the threads would write rows too.
    done = igen(f"run bank --target {target} --users 1,4 --threads 2 --set form={form} {QUICK} --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    for level in system["levels"]:
        acknowledged, stored, lost = counted(level)
        assert (level["errors"], lost) == (0, 0)
        assert acknowledged == stored >= level["transactions"] > 0
        steps = {"call": 1} if form == "procedure" else {"update_account": 1, "commit": 1}
        for name, times in steps.items():
            count = level["operations"][name]["count"]
            # Transactions in flight at the edges of the measurement are counted in part.
            assert count == pytest.approx(times * level["transactions"], abs=2 + 2 * level["users"])
    sums = {sql(server, each, f"bank_{form}") for each in SUMS.split("; ")}
    assert len(sums) == 1, sums
    rows = int(sql(server, "SELECT COUNT(*) FROM history", f"bank_{form}"))
    assert rows == sum(counted(level)[1] for level in system["levels"])
    assert igen(f"data cleanup bank --target {target} --set branches=2").code == 0
    schema = f"routine_schema = 'bank_{form}'" if server.kind == "mariadb" else "true"
    assert sql(server, f"{ROUTINES} AND {schema}", f"bank_{form}") == "0"


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "form"), [("postgresql", "statements"), ("mariadb", "procedure")])
def test_nothing_is_lost_when_the_server_is_killed(
    kind: str, form: str, igen: Igen, start: Launch, store: Path, own_server: Start
) -> None:
    instance = own_server(kind, durable=True)
    flags = f"--set form={form} --users 4 --think-time 5ms --duration 30s --warmup 0s {SMALL}"
    process = start(f"run bank --target {control.target(instance)} {flags}")
    wait_for(lambda: len(measured(store)) >= 2, process)
    control.kill(instance)
    wait_for(lambda: measured(store)[-1].get("failures"), process)
    control.start(instance)
    seen = len(measured(store))
    wait_for(lambda: any(each["transactions"]["count"] for each in measured(store)[seen:]), process)
    _, err = process.communicate(timeout=PATIENCE_S)
    (level,) = igen("show last --json").document["systems"][0]["levels"]
    assert level["trust"]["verdict"] != "VALID", "the server was away"
    kinds = {failure["kind"] for each in measured(store) for failure in each.get("failures", ())}
    assert "lost" in kinds, kinds
    acknowledged, stored, lost = counted(level)
    assert lost == 0, err
    assert acknowledged > sum(each["transactions"]["count"] for each in measured(store)[:2]) > 0
    assert acknowledged <= stored <= acknowledged + 4, "each user may have had one in flight"
    assert stored == int(sql(instance, "SELECT COUNT(*) FROM history"))


def test_a_transaction_that_is_missing_from_the_history_is_an_error(
    igen: Igen, start: Launch, store: Path, own_server: Start
) -> None:
    instance = own_server("postgresql", durable=True)
    flags = f"--users 1 --think-time 20ms --duration 6s --warmup 0s {SMALL}"
    process = start(f"run bank --target {control.target(instance)} {flags}")
    wait_for(lambda: sum(each["transactions"]["count"] for each in measured(store)) > 10, process)
    undo = "UPDATE {0} SET {1}_balance = {1}_balance - h_amount FROM lost WHERE {1}_id = h_{1}_id"
    undone = "; ".join(
        undo.format(*table) for table in (("accounts", "a"), ("tellers", "t"), ("branches", "b"))
    )
    where = "WHERE h_number = 5"
    lose = f"CREATE TEMP TABLE lost AS SELECT * FROM history {where}; {undone}; DELETE FROM history {where}"
    sql(instance, f"BEGIN; {lose}; COMMIT")
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, err
    assert "gaps or duplicates" in err
    assert igen("show last --json").document["systems"][0]["levels"][0]["trust"]["verdict"] == "INVALID"
