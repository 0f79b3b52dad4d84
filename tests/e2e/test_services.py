"""The units of `--install-service` under a systemd that runs: started, killed, stopped, started again."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal

import pytest

from igen.store.active import active_runs
from igen.store.store import Store
from igen.workbench.stop import stop
from tests.console.test_stopped import STUDY, Browser
from tests.own_ports import own_ports
from tests.systemd_here import Manager, manager
from tests.waiting import PATIENCE_S, wait_for


def states(of: Manager) -> list[str]:
    """Those of all jobs of the queue."""
    return [job["state"] for job in json.loads(of.igen("queue", "list", "--json", "--store", "runs"))["jobs"]]


def restarted(of: Manager, service: str, first: str) -> bool:
    """Whether another process has taken the place of the first."""
    return of.of(service, "MainPID") not in ("0", first)


# 18 s: test_queue.py kills a runner and stops one without systemd.
@pytest.mark.slow
def test_a_queue_outlives_its_runner_and_stops_well() -> None:
    with manager() as own:
        store = own.folder / "runs"
        (own.folder / "study.toml").write_text(STUDY, encoding="utf-8")
        for _ in range(2):
            own.igen("queue", "add", "study.toml", "--store", "runs")
        own.install("queue", "--store", "runs")
        (first,) = wait_for(lambda: active_runs(store))
        runner = own.of("queue", "MainPID")
        os.kill(int(runner), signal.SIGKILL)
        wait_for(lambda: restarted(own, "queue", runner))
        # The next runner waits for what the first has begun.
        assert states(own) == ["running", "waiting"]
        assert list(active_runs(store)) == [first]
        stop(first, Store(store), patience_s=PATIENCE_S)
        wait_for(lambda: states(own) == ["stopped", "running"] and active_runs(store))
        own.systemctl("stop", "igen-queue.service")
        assert states(own) == ["stopped", "stopped"]
        assert not active_runs(store)
        assert own.of("queue", "Result") == "success"
        own.igen("queue", "add", "study.toml", "--store", "runs")
        own.systemctl("start", "igen-queue.service")
        wait_for(lambda: states(own)[-1] == "running")


def test_a_run_outlives_the_console_and_is_there_for_the_next() -> None:
    with manager() as own:
        port, store = own_ports(), own.folder / "runs"
        (own.folder / "token").write_text("t" * 32, encoding="utf-8")
        (own.folder / "token").chmod(0o600)
        own.install(
            "console", "--store", "runs", "--port", str(port), "--token-file", str(own.folder / "token")
        )
        wait_for(lambda: answers(port))
        browser = Browser(port)
        browser.post("/login", code="t" * 32, name="Anna")
        token = re.search(r'name="csrf" value="([^"]+)"', browser.get("/new"))
        assert token is not None
        browser.post("/new/start", csrf=token[1], study=STUDY)
        (run,) = wait_for(lambda: active_runs(store))
        console = own.of("console", "MainPID")
        os.kill(int(console), signal.SIGKILL)
        wait_for(lambda: restarted(own, "console", console) and answers(port))
        own.systemctl("stop", "igen-console.service")
        assert own.of("console", "Result") == "success"
        assert list(active_runs(store)) == [run]
        own.systemctl("start", "igen-console.service")
        wait_for(lambda: answers(port))
        again = Browser(port)
        again.post("/login", code="t" * 32, name="Anna")
        assert run in again.get("/")
        stop(run, Store(store), patience_s=PATIENCE_S)


def answers(port: int) -> bool:
    """Whether a console listens."""
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        asked.request("GET", "/login")
        return asked.getresponse().status == 200
    except ConnectionRefusedError:
        return False
    finally:
        asked.close()
