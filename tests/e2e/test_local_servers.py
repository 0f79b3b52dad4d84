"""Servers of this machine: found by the socket at which they listen, followed, and shared with others."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Done, aspect, events, wait_for

from igen.agent_program import find_agent
from tests.own_ports import own_ports

SHORT = "--users 8 --repeats 1 --duration 1s --warmup 0.2s --json"
NOBODY = 65534


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A web server that nobody here wrote, and its target."""
    (tmp_path / "index.html").write_text("hello")
    port = own_ports()
    command = [sys.executable, "-m", "http.server", str(port), "--bind", "127.0.0.1", "-d", str(tmp_path)]
    command += ["--protocol", "HTTP/1.1"]  # else each request has a connection of its own
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for(lambda: _listens(port))
        yield process, f"http://127.0.0.1:{port}"
        process.kill()


def _listens(port: int) -> bool:
    return f":{port:04X} 00000000:0000 0A" in Path("/proc/net/tcp").read_text(encoding="ascii")


def job(target: str, measure_s: float) -> bytes:
    phases = {"warmup_s": 0, "measure_s": measure_s}
    what: dict[str, Any] = {"workload": "http", "targets": [target], "load": {"closed": {"users": 2}}}
    return json.dumps({**what, "phases": phases, "canary_s": 0}).encode()


def test_the_server_of_a_target_is_a_tier_and_nobody_else(
    igen: Callable[[str], Done], store: Path, server: tuple[subprocess.Popen[bytes], str]
) -> None:
    process, target = server
    done = igen(f"run http --target {target} {SHORT}")
    (system,) = done.document["systems"]
    (served,) = system["facts"]["targets.servers"]
    assert system["facts"][f"tier.{served['tier']}.process_ids"] == [process.pid]
    (tier,) = aspect(system["levels"][0], "tiers")["tiers"]
    assert tier["name"] == served["tier"]
    assert tier["busy_processors"]["value"] > 0
    looks = [each for each in events(store, "reading") if each["monitor"] == "processes"]
    assert len({each["at_s"] for each in looks if not each.get("subject")}) >= 2, "the start and the end"
    assert not any(each.get("subject", "").startswith(f"{process.pid} ") for each in looks)


def test_another_load_on_the_same_server_is_named(
    igen: Callable[[str], Done], server: tuple[subprocess.Popen[bytes], str]
) -> None:
    _, target = server
    command = [str(find_agent()), "run"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as other:
        assert other.stdin is not None
        other.stdin.write(job(target, 3600))
        other.stdin.close()
        done = igen(f"run http --target {target} {SHORT}")
        other.kill()
    (level,) = done.document["systems"][0]["levels"]
    (cause,) = [
        each for each in level["trust"]["disturbance"]["causes"] if each["finding"]["rule"] == "other-clients"
    ]
    assert any(f"{other.pid} " in part.get("text", "") for part in cause["finding"]["parts"]), cause
    assert 10 < cause["throughput"]["high_percent"] < 1000


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root becomes another user")
def test_without_permission_nothing_is_followed_and_that_is_said(
    server: tuple[subprocess.Popen[bytes], str],
) -> None:
    _, target = server
    other_user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    with find_agent().open("rb") as agent:
        # By its open file: the folder may be one that this user may not enter.
        command = [*other_user, f"/proc/self/fd/{agent.fileno()}", "run"]
        run = subprocess.run(
            command, input=job(target, 0.5), capture_output=True, check=False, pass_fds=[agent.fileno()]
        )
    told = [json.loads(line) for line in run.stdout.splitlines()]
    facts = {each["fact"]["name"]: each["fact"]["value"] for each in told if "fact" in each}
    assert facts["targets.servers"] == [{"unknown": "not_permitted"}]
    assert not any(name.startswith("tier.") for name in facts)
    assert [each["warning"]["path"] for each in told if "warning" in each] == ["targets[0]"]
