"""Sessions over ssh that end, or never would: with the true reason, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import pytest

from igen.monitors.over_ssh import read_over_ssh
from igen.monitors.said import Machine, NotRead, Said
from igen.monitors.ship import Program
from igen.ssh import ssh_command

PATIENCE_S = 120.0
BEGIN = """echo '{"begin":{"started_unix_s":1}}'"""
REMOTE = Path(__file__).with_name("remote.py")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr("igen.monitors.over_ssh.GRACE_S", 0.2)


@pytest.fixture
def pid_file(tmp_path: Path) -> Iterator[Path]:
    """Where the stand-in for ssh writes its process id; it is ended with the test, whatever happens."""
    path = tmp_path / "pid"
    yield path
    with suppress(OSError, ValueError):
        os.kill(int(path.read_text()), signal.SIGKILL)


def stand_in(folder: Path, script: str) -> None:
    """For ssh."""
    program = folder / "ssh"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def why(said: list[Said]) -> str:
    """Why it is not read."""
    with pytest.raises(NotRead) as caught:
        read_over_ssh(MACHINE, PROGRAM, said.append, Event())
    return str(caught.value)


MACHINE = Machine(host="ssh://db1", name="db1", interval_s=0.1)
PROGRAM = Program(Path(sys.executable), "0")


def test_no_banner_of_a_login_is_taken_for_a_reason() -> None:
    assert "LogLevel=ERROR" in ssh_command("ssh://db1", ["true"])


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exec sleep 600", "it has said nothing for 4 s"),
        (f"{BEGIN}; exec sleep 600", "it has said nothing for 2.1 s"),
        (f"{BEGIN}; exec sleep 600 >&-", "it closed its output and did not end"),
        (
            f"exec {sys.executable} -I -S {REMOTE} '{json.dumps({'timeless': 1})}'",
            "it does not say what time it is",
        ),
    ],
)
def test_one_that_does_not_end_is_ended_with_the_true_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pid_file: Path, script: str, reason: str
) -> None:
    # Long enough for a busy machine to start the stand-in.
    monkeypatch.setattr("igen.monitors.over_ssh.SILENCE_S", 2.0)
    stand_in(tmp_path, f"echo $$ > {pid_file}\n{script}")
    assert why([]) == reason
    assert not os.path.lexists(f"/proc/{pid_file.read_text().strip()}")


def test_one_that_floods_is_ended(tmp_path: Path) -> None:
    stand_in(tmp_path, f"""{BEGIN}; exec yes '{{"warning":{{"text":"the fan is loud"}}}}'""")
    said: list[Said] = []
    assert why(said) == "it says more than 10,000 lines a second"


def test_sending_the_agent_ends_with_the_run(tmp_path: Path, pid_file: Path) -> None:
    stand_in(tmp_path, f'case "$*" in *sha256sum*) echo $$ > {pid_file}; exec sleep 600;; esac\nexit 44')
    stop = Event()
    thread = Thread(target=read_over_ssh, args=(MACHINE, PROGRAM, [].append, stop))
    thread.start()
    deadline_s = time.monotonic() + PATIENCE_S
    while not (pid_file.exists() and pid_file.read_text().strip()):
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    stop.set()
    thread.join(60.0)
    assert not thread.is_alive()
    assert not os.path.lexists(f"/proc/{pid_file.read_text().strip()}")


def test_sending_the_agent_takes_no_longer_than_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pid_file: Path
) -> None:
    monkeypatch.setattr("igen.monitors.ship.SHIP_S", 2.0)
    stand_in(tmp_path, f'case "$*" in *sha256sum*) echo $$ > {pid_file}; exec sleep 600;; esac\nexit 44')
    assert why([]) == "the agent could not be sent there within 2 s"
    assert not os.path.lexists(f"/proc/{pid_file.read_text().strip()}")
