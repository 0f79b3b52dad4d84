"""iGen as a user meets it: command line, real agent, a store of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Done
from load_by_agent import Load
from loops import Loops
from servers import mariadb, own_server, postgresql, server, server_folder
from shop_server import Shop
from web_servers import nginx

from igen.cli import run_arguments

__all__ = ["mariadb", "nginx", "own_server", "postgresql", "server", "server_folder"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store, and a folder to work in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("IGEN_STORE", str(tmp_path / "runs"))
    return tmp_path / "runs"


@pytest.fixture
def igen(store: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[str], Done]:
    """Runs a command line in this process."""

    def run(line: str) -> Done:
        capsys.readouterr()
        code = run_arguments(line.split())
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def launch() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts a command line as a process of its own; whatever still runs at the end is killed."""
    started: list[subprocess.Popen[str]] = []

    def run(line: str, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "igen.cli", *line.split()]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, **pipes, preexec_fn=before))
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def loops(tmp_path: Path) -> Iterator[Loops]:
    """Loop devices; skipped where they cannot be had."""
    if os.geteuid() != 0:
        pytest.skip("only root has loop devices")
    made = Loops(tmp_path)
    with made.stack:
        yield made


@pytest.fixture
def start(store: Path, launch: Callable[..., subprocess.Popen[str]]) -> Callable[..., subprocess.Popen[str]]:
    """`launch` with the test's own store."""
    return launch


@pytest.fixture
def load() -> Iterator[Callable[..., Load]]:
    """Starts loads, and ends those that are left."""
    started: list[Load] = []

    def start(workload: str, target: str, users: int, **more: Any) -> Load:
        started.append(Load(workload, target, users, **more))
        return started[-1]

    yield start
    for each in started:
        each.kill()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A shop of the test's own."""
    folder = tmp_path / "shop"
    folder.mkdir()
    running = Shop(folder)
    yield running
    running.stop()
