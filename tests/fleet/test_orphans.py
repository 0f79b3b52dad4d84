"""Whatever ends igen, nobody is left who would load a system: its agents end as well."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from igen.agent_program import find_agent

ATTENDANT = Path(__file__).with_name("attendant.py")
LONG_S = 3600
LOAD = {"closed": {"users": 2}}
SHOP: dict[str, Any] = {
    "workload": "oltp",
    "params": {"customers": 100, "busy_timeout_s": LONG_S},
    "targets": ["sqlite:///shop.db"],
    "load": LOAD,
}
JOBS: dict[str, dict[str, Any]] = {
    "prepare": {"workload": "oltp", "params": {"customers": 5_000_000}, "load": LOAD},
    "ramp": {"workload": "noop", "load": LOAD, "phases": {"ramp_s": LONG_S}},
    "measure": {"workload": "noop", "load": LOAD, "phases": {"warmup_s": 0, "measure_s": LONG_S}},
    "drain": {
        **SHOP,
        "steps": ["measure"],
        "phases": {"warmup_s": 0, "measure_s": 0.1, "drain_s": LONG_S},
    },
}
"""By the phase in which they are for longer than any test lasts."""


def _attend(job: dict[str, Any], folder: Path) -> subprocess.Popen[bytes]:
    """Starts `job` as igen does."""
    igen = subprocess.Popen(
        [sys.executable, ATTENDANT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
    )
    assert igen.stdin is not None
    igen.stdin.write(json.dumps({"monitors": []} | job).encode())
    igen.stdin.close()
    return igen


def _agent_in(phase: str, igen: subprocess.Popen[bytes]) -> int:
    """The process id of the agent, once it is in `phase`."""
    assert igen.stdout is not None
    pid = 0
    for line in igen.stdout:
        event = json.loads(line)
        pid = event.get("hello", {}).get("pid", pid)
        if event.get("phase", {}).get("phase") == phase:
            return int(pid)
    raise AssertionError(f"the agent ended before {phase}")


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"  # ended, and nobody asked how


@pytest.fixture
def locked_shop(tmp_path: Path) -> Iterator[None]:
    """A database that nobody can write to: transactions on it last until they are given up."""
    with _attend({**SHOP, "steps": ["prepare"]}, tmp_path) as igen:
        assert igen.stdout is not None
        assert b"complete" in igen.stdout.read()
    with closing(sqlite3.connect(tmp_path / "shop.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


@pytest.mark.usefixtures("locked_shop")
@pytest.mark.parametrize("phase", JOBS)
def test_agents_do_not_outlive_igen(phase: str, tmp_path: Path) -> None:
    with _attend(JOBS[phase], tmp_path) as igen:
        pid = _agent_in(phase, igen)
        assert _is_alive(pid)
        igen.kill()
    deadline = time.monotonic() + 60
    while _is_alive(pid):
        assert time.monotonic() < deadline, f"the agent lives on in {phase}"
        time.sleep(0.05)
    # What a step leaves half done is removed, as when the user interrupts it.
    left = {path.name for path in tmp_path.iterdir() if not path.name.startswith("shop.db")}
    assert not left


@pytest.mark.slow
def test_an_agent_whose_lines_nobody_takes_ends_as_well() -> None:
    phases = {"measure_s": LONG_S, "drain_s": LONG_S}
    job = {"workload": "noop", "load": LOAD, "attended": True, "monitors": [], "phases": phases}
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with suppress(BlockingIOError):
        while os.write(writer, bytes(1 << 16)):
            pass
    os.set_blocking(writer, True)
    with subprocess.Popen([find_agent(), "run"], stdin=subprocess.PIPE, stdout=writer) as agent:
        os.close(writer)
        try:
            assert agent.stdin is not None
            agent.stdin.write(json.dumps(job).encode() + b"\n")
            agent.stdin.close()
            assert agent.wait(60) == 130
        finally:
            agent.kill()
            os.close(reader)
