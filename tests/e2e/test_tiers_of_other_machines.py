"""Tiers on another machine: over ssh, where a stand-in does here what it is asked to do there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command_line import Done, aspect, events, has_ended, wait_for

from tests.said import warned
from tests.ssh_here import GONE, write_ssh

STUDY = """
plan = {{ mode = "sweep", repeats = 1 }}

[job]
workload = "noop"
load.paced = {{ users = 1, rate_per_user_per_s = 50.0 }}
phases = {{ warmup_s = 0.1, measure_s = 1.5, interval_s = 0.1 }}
monitors = ["cpu", "process"]

[[tiers]]
name = "database"
host = "ssh://db1"
match = {{ pids = [{pid}] }}
processors = 4

[[tiers]]
name = "pool"
host = "ssh://{gone}"
"""


@pytest.fixture
def busy() -> Iterator[int]:
    """A process that uses a processor as far as it gets one."""
    process = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    yield process.pid
    process.kill()
    process.wait()


def test_a_tier_there_is_told_apart_and_a_machine_that_is_gone_is_a_warning(
    igen: Callable[[str], Done], store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, busy: int
) -> None:
    cache = write_ssh(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (tmp_path / "s.toml").write_text(STUDY.format(pid=busy, gone=GONE))
    done = igen("study run s.toml --json")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    (level,) = system["levels"]
    found = aspect(level, "tiers")
    (tier,) = found["tiers"]
    assert (tier["name"], tier["host"], tier["capacity_processors"]) == ("database", "db1", 4)
    assert tier["busy_processors"]["value"] > 0.02, "it does nothing but work"
    assert tier["memory_bytes"] > 4096
    assert found["not_read"] == ["pool"]
    (machine,) = found["hosts"]
    assert machine["name"] == "db1"
    assert machine["processors"] == os.cpu_count()
    assert 0 <= machine["resources"]["driver_cpu_percent"] < 50, "it is told, in ticks of 10 ms"
    (warning,) = [text for text in warned(system) if GONE in text]
    assert warning.startswith(
        f"tiers: {GONE}: cannot be read: ssh: connect to host {GONE} port 22: No route to host"
    )
    assert warning.removesuffix(")").endswith(" UTC")
    assert [each["host"] for each in events(store, "reading") if each["monitor"] == "tier"].count(
        "ssh://db1"
    ) > 5

    # The program was brought there, by its hash, and nothing of it is left running.
    (program,) = cache.glob("igen/agents/*/igen-agent")
    running = [
        int(process.name)
        for process in Path("/proc").iterdir()
        if process.name.isdecimal() and os.path.lexists(process / "exe") and _runs(process, program)
    ]
    assert wait_for(lambda: all(map(has_ended, running)))


def _runs(process: Path, program: Path) -> bool:
    try:
        return (process / "exe").readlink() == program
    except OSError:
        return False
