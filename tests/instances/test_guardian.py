"""Servers that were started for a run end with it, whatever ends iGen."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from test_control import FIRST, PROGRAMS, answers, small
from test_hazards import launch, processes_of, up, wait_for

from igen.agent_program import AGENT_VARIABLE, find_agent
from igen.cli import run_arguments
from igen.instances import control, process
from igen.instances.account import make_folder
from igen.instances.products import PRODUCTS
from igen.store.active import active_runs
from tests.own_ports import own_ports

__all__ = ["launch"]

needs_openldap = pytest.mark.skipif(not PROGRAMS["openldap"].exists(), reason="openldap is not installed")
needs_postgresql = pytest.mark.skipif(
    not PROGRAMS["postgresql"].exists(), reason="postgresql is not installed"
)
FOR_AN_HOUR = "run ldap-search --set entries=200 --duration 1h --warmup 0s --repeats 1"


def of_servers(directory: Path) -> list[int]:
    """Processes of servers and their guardians, not the command line that started them."""
    return [pid for pid in processes_of(directory) if b"igen.cli" not in command_line(pid)]


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def measures(store: Path) -> bool:
    """Whether a run in the store has measured something."""
    return any(b'"measure","start_s"' in path.read_bytes() for path in store.glob("*/jobs/*.jsonl"))


@pytest.fixture
def store(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("IGEN_STORE", str(directory / "runs"))
    return directory / "runs"


@needs_openldap
def test_a_server_ends_with_the_run_that_was_killed(
    directory: Path, store: Path, launch: Callable[[str], subprocess.Popen[str]]
) -> None:
    process = launch(FOR_AN_HOUR)
    wait_for(lambda: measures(store))
    process.kill()
    process.communicate()
    wait_for(lambda: of_servers(directory) == [])
    (instance,) = control.selected(directory, None)
    assert control.status(instance).state == "stopped"


@needs_openldap
@pytest.mark.parametrize("moment", ["folder", "data", "pid"])
def test_a_server_ends_with_igen_while_it_starts(
    moment: str, directory: Path, store: Path, launch: Callable[[str], subprocess.Popen[str]]
) -> None:
    """At whatever moment: no server may come up when nobody is there any more."""
    process = launch(FOR_AN_HOUR)
    folder = directory / "openldap-1"
    path = {"folder": folder, "data": folder / "data", "pid": folder / "pid"}[moment]
    wait_for(path.exists)
    process.kill()
    process.communicate()
    wait_for(lambda: of_servers(directory) == [])


@pytest.mark.parametrize("program", ["igen-agent", "agent-of-today"])
def test_a_shop_ends_with_igen_whichever_agent_serves_it(
    program: str,
    directory: Path,
    store: Path,
    launch: Callable[[str], subprocess.Popen[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its processes are those of the agent that `IGEN_AGENT` names, and are known by the name of that."""
    elsewhere = store.parent / "programs" / program
    elsewhere.parent.mkdir()
    elsewhere.symlink_to(find_agent())
    monkeypatch.setenv(AGENT_VARIABLE, str(elsewhere))
    process = launch("run web --duration 1h --warmup 0s --repeats 1")
    wait_for((directory / "shop-1" / "pid").exists)
    wait_for(lambda: any(b"serve" in command_line(pid).split(b"\0") for pid in of_servers(directory)))
    process.kill()
    process.communicate()
    wait_for(lambda: of_servers(directory) == [])


@needs_openldap
def test_a_closed_terminal_ends_run_and_server_in_good_order(directory: Path, store: Path) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-m", "igen.cli", *FOR_AN_HOUR.split()])
    try:
        # Somebody has to read what it says, or it waits for that.
        wait_for(lambda: bool(os.read(terminal, 4096)) and measures(store))
    finally:
        os.close(terminal)
    wait_for(lambda: os.waitpid(pid, os.WNOHANG)[0] == pid)
    wait_for(lambda: of_servers(directory) == [])
    (path,) = store.glob("*/jobs/*.jsonl")
    assert b'"job_end"' in path.read_bytes().splitlines()[-1]
    assert active_runs(store) == set()
    (instance,) = control.selected(directory, None)
    assert control.status(instance).state == "stopped"


@needs_postgresql
def test_an_interrupted_start_leaves_nothing_when_the_terminal_is_closed(
    directory: Path, launch: Callable[[str], subprocess.Popen[str]]
) -> None:
    process = launch(up(directory, 3))
    wait_for(lambda: any(directory.glob("postgresql-*/data.part/base")))
    os.killpg(process.pid, signal.SIGHUP)
    _, err = process.communicate(timeout=60.0)
    assert process.returncode == 130, err
    assert list(directory.iterdir()) == []


@pytest.mark.parametrize("kind", FIRST)
def test_a_server_whose_start_was_cut_off_is_not_called_running(
    kind: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers, but has no user and no database yet: the next `up` sees to that."""
    product = PRODUCTS[kind]
    (instance,) = control.up(kind, 1, directory, wish=small())
    control.stop(instance)
    make_folder(product, instance.run_folder)
    server = process.serve(product, instance)
    process.wait_ready(product, instance, server, 60.0, lambda: False)
    assert control.status(instance).state == "starting"
    cut_off = instance.pid
    (again,) = control.up(kind, 1, directory, wish=small())
    assert control.status(again).state == "running"
    assert again.pid != cut_off
    assert answers(again)


@needs_postgresql
def test_what_a_killed_up_leaves_is_not_called_running_until_it_is_ready(
    directory: Path, launch: Callable[[str], subprocess.Popen[str]]
) -> None:
    line = up(directory)
    command = launch(line)
    wait_for(lambda: any(directory.glob("postgresql-1/pid")))
    command.kill()
    command.communicate()
    (instance,) = control.selected(directory, None)
    assert control.status(instance).state != "running"
    assert run_arguments(line.split()) == 0
    assert control.administer(instance, "SELECT count(*) FROM pg_roles WHERE rolname = 'igen';") == "1"


@needs_postgresql
def test_a_guardian_goes_when_it_is_not_needed_any_more(directory: Path, store: Path) -> None:
    assert run_arguments(f"instances up postgresql --port-from {own_ports()} --quiet".split()) == 0
    guardians = [pid for pid in processes_of(directory) if b"guardian" in command_line(pid)]
    assert guardians == []
