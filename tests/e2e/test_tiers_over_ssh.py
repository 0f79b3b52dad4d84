"""Tiers on another machine over a real sshd: its agent is brought there, read, and lost."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import PATIENCE_S, document_of, events, measured, wait_for

from igen.fleet.agent import find_agent
from tests.said import warned
from tests.ssh_server import SshServer

STUDY = """
plan = {{ mode = "sweep", repeats = 1 }}

[job]
workload = "noop"
load.paced = {{ users = 1, rate_per_user_per_s = 50.0 }}
phases = {{ warmup_s = "0.1s", measure_s = "{measure_s}s", interval_s = "0.1s", extendable = false }}
monitors = ["cpu", "process"]

[[tiers]]
name = "database"
host = "{url}"
"""
MEASURE_S = 3.0


@pytest.fixture
def ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SshServer]:
    """A server, and the client of this test knows its way there."""
    with tempfile.TemporaryDirectory(prefix="igen-ssh-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        server = SshServer(Path(folder))
        client = tmp_path / "client"
        client.mkdir()
        server.write_client(client)
        monkeypatch.setenv("PATH", f"{client}:{os.environ['PATH']}")
        try:
            yield server
        finally:
            server.kill()


def test_a_machine_is_read_until_its_sshd_is_killed_and_the_load_goes_on(
    start: Callable[..., subprocess.Popen[str]], store: Path, tmp_path: Path, ssh: SshServer
) -> None:
    (tmp_path / "s.toml").write_text(STUDY.format(measure_s=MEASURE_S, url=ssh.url))
    process = start("study run s.toml --json")

    def there() -> list[Any]:
        return [each for each in events(store, "reading") if each["host"] == ssh.url]

    wait_for(lambda: len(measured(store)) > 2 and len(there()) > 10, process)
    ssh.kill()
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    snapshots = measured(store)
    assert snapshots[-1]["end_s"] - snapshots[0]["start_s"] > 0.9 * MEASURE_S, "the load goes on to its end"

    # The program was brought there, whole and only for its account.
    (program,) = ssh.cache.glob("igen/agents/*/igen-agent")
    assert program.stat().st_mode & 0o777 == 0o700
    assert program.stat().st_size == find_agent().stat().st_size

    # Both sides have one clock here, and what is said of it is right.
    facts = {each["name"]: each["value"] for each in events(store, "fact")}
    error_s = facts[f"tier_host.{ssh.url}.clock_error_s"]
    assert 0 < error_s < 1
    assert abs(facts[f"tier_host.{ssh.url}.clock_ahead_s"]) <= error_s + 0.1, "calendars are set at times"
    (system,) = document_of(out)["systems"]
    (warning,) = [text for text in warned(system) if text.startswith("tiers: ")]
    assert "not read any more: " in warning
    assert warning in [f"tiers: {each['text']}" for each in events(store, "warning")]
    assert warning.removeprefix("tiers: ") in err
    last_s = max(each["at_s"] for each in there())
    assert last_s <= snapshots[-1]["end_s"] + error_s
    assert system["levels"][0]["transactions"] > 0
    assert wait_for(lambda: not _running(program)), "whoever is not asked any more ends"


def _running(program: Path) -> list[str]:
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdecimal() and (process / "exe").readlink() == program:
                found.append(process.name)
        except OSError:
            continue
    return found
