"""`tunables` judges the machine and servers that run here, and changes nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tool_said import Tool

from igen.cli import run_arguments
from igen.instances import control
from igen.instances.status import status
from tests import web
from tests.needed import needs
from tests.own_ports import own_ports
from tests.web import Web

STATES = {"PASS", "INFO", "CHECK", "FAIL"}


def test_the_machine_is_checked_with_advice_for_what_is_not_as_it_should_be(tool: Tool) -> None:
    said = tool("tunables", "--for", "host", "--all", "--json")
    rows = said.rows("checks")
    assert rows
    assert {row["area"] for row in rows} == {"host"}
    assert {row["state"] for row in rows} <= STATES
    advised = {row["setting"] for row in said.rows("advice")}
    assert advised == {row["setting"] for row in rows if row["state"] in {"CHECK", "FAIL"}}
    assert all(row["why"] and row["change"] and row["source"] for row in said.rows("advice"))
    assert said.code == int(any(row["state"] == "FAIL" for row in rows))


def test_only_settings_that_differ_are_printed_unless_all_are_asked_for(tool: Tool) -> None:
    # Servers that other tests start and stop between both calls have rows of their own.
    rows = tool("tunables", "--for", "host", "--json").rows("differing")
    everything = tool("tunables", "--for", "host", "--all", "--json").rows("checks")
    names = ("state", "setting", "value", "good")
    differs = {tuple(row[name] for name in names) for row in everything if row["state"] in {"CHECK", "FAIL"}}
    assert {tuple(row[name] for name in names) for row in rows} == differs
    assert len(rows) == len(differs), "a setting is one row"
    assert len(tool("tunables").out.splitlines()) < len(tool("tunables", "--all").out.splitlines()) / 2


def test_values_are_those_of_the_kernel(tool: Tool) -> None:
    found = tool("tunables", "--all", "--json").rows("checks")
    # A server that another test has started has rows of its own.
    rows = {row["setting"]: row["value"] for row in found if row["area"] in {"host", "network"}}
    backlog = Path("/proc/sys/net/core/somaxconn").read_text().strip()
    assert rows["connections that wait to be accepted"] == backlog
    assert rows["kernel"] == os.uname().release


def test_load_clients_are_checked_when_it_is_asked_for(tool: Tool) -> None:
    areas = {row["area"] for row in tool("tunables", "--all", "--json").rows("checks")}
    assert "http-client" not in areas
    rows = tool("tunables", "--for", "http-client", "--all", "--json").rows("checks")
    low, high = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    assert ("ports for connections of clients", str(high - low + 1)) in [
        (row["setting"], row["value"]) for row in rows
    ]


def test_a_process_that_is_no_server_is_refused(tool: Tool) -> None:
    said = tool("tunables", "--pid", str(os.getpid()))
    assert said.code == 2
    assert "is not a supported server" in said.err


def test_a_file_that_never_ends_holds_nobody_up(tool: Tool, tmp_path: Path) -> None:
    # Whoever calls its program like that says which files a look as root reads.
    program = tmp_path / "postgres"
    shutil.copy("/bin/sh", program)
    os.mkfifo(tmp_path / "postgresql.conf")
    (tmp_path / "postgresql.auto.conf").symlink_to("/dev/zero")
    words = [str(program), "-c", "while read -r line; do :; done", "name", "-D", str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        said = tool("tunables", "--for", "postgresql", "--pid", str(process.pid))
    assert said.code == 2
    assert "postgresql.conf cannot be read: not a regular file" in said.err


@pytest.fixture
def instances() -> Iterator[Path]:
    """Where private servers are: their accounts may not enter a test's own folder."""
    with TemporaryDirectory(prefix="igen-tunables-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)
        for instance in control.selected(Path(folder), None):
            control.remove(instance)


@pytest.mark.parametrize(
    ("kind", "option", "settings", "state"),
    [
        pytest.param(kind, option.split(), settings, state, marks=needs(kind), id=kind)
        for kind, option, settings, state in (
            ("postgresql", "--set log_statement=all --no-durable", ["log of statements", "fsync"], "FAIL"),
            ("mariadb", "--set general_log=1", ["log of all statements"], "FAIL"),
            ("openldap", "", ["flush at each change"], "PASS"),
        )
    ],
)
def test_servers_are_judged_by_their_settings(
    tool: Tool, instances: Path, kind: str, option: list[str], settings: list[str], state: str
) -> None:
    words = [
        "instances",
        "up",
        kind,
        "--directory",
        str(instances),
        "--port-from",
        str(own_ports()),
        "--quiet",
    ]
    assert run_arguments([*words, *option]) == 0
    (instance,) = control.selected(instances, None)
    pid = int(status(instance).pid or 0)
    said = tool("tunables", "--pid", str(pid), "--all", "--json")
    states = {row["setting"]: row["state"] for row in said.rows("checks") if row["area"] == kind}
    assert [states[setting] for setting in settings] == [state] * len(settings), said.out
    assert said.code == int(any(row["state"] == "FAIL" for row in said.rows("checks")))
    if kind == "mariadb":
        studies = {row["setting"]: row.get("study") for row in said.rows("advice")}
        assert studies["buffer pool"] == "studies/advice-buffer-pool.toml"
        assert studies["log of all statements"] is None


def test_nginx_is_judged_by_its_file(tool: Tool, instances: Path) -> None:
    web.need()
    server = Web(instances, own_ports(), keepalive_requests=100)
    server.start()
    try:
        assert server.process is not None
        rows = tool("tunables", "--pid", str(server.process.pid), "--all", "--json").rows("checks")
    finally:
        server.stop()
    values = {row["setting"]: (row["state"], row["value"]) for row in rows if row["area"] == "nginx"}
    assert values["connections of a worker"] == ("PASS", "4096")
    state, log = values["log of requests"]
    assert state == "CHECK"
    assert log.startswith(("access.log", "connections.log"))
    assert values["requests on one connection"] == ("CHECK", "100")
