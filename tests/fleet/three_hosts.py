"""Three hosts as network namespaces: one with igen and a web server, two that load it.

They are on two bridges, so that a load machine can be cut off from igen and still reach the server. It runs
in namespaces of its own (`unshare`), needs no rights, and all of it ends with its first process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from igen.fleet.agent import find_agent

DESK, LOAD_A, LOAD_B = "desk", "load-a", "load-b"
HOSTS = (DESK, LOAD_A, LOAD_B)
PORT = 8000
"""The port of each server: the hosts are this test's own."""
PATIENCE_S = 120.0
IN_OWN_NAMESPACES = (
    *("unshare", "--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child"),
    "--mount-proc",
)


def control(host: str) -> str:
    """The address by which igen and load machines speak with each other."""
    return f"10.77.0.{HOSTS.index(host) + 1}"


def load(host: str) -> str:
    """The address by which a load machine reaches the server."""
    return f"10.78.0.{HOSTS.index(host) + 1}"


def wait_until(what: Callable[[], Any]) -> Any:
    """What `what` returns once it is true."""
    end_s = time.monotonic() + PATIENCE_S
    while not (found := what()):
        if time.monotonic() > end_s:
            raise AssertionError("it did not come")
        time.sleep(0.02)
    return found


class Hosts:
    """The hosts with their servers, in this process's namespaces."""

    fleet = ""
    """Lines of a study's fleet that say where the agents are; none where that is hidden from igen."""
    noticed_s = 0.0
    """So long what carries an agent may go on when it was killed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.book = folder / "book"
        self.store = folder / "runs"
        self._carriers: dict[str, subprocess.Popen[bytes]] = {}
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
        _make_network()
        self.start(DESK, sys.executable, "-m", "tests.fleet.counting_server", load(DESK), PORT, self.book)
        self.agent = find_agent()
        self.carry()

    def carry(self) -> None:
        """Starts what carries agents to the load machines: a stand-in that igen takes for an agent."""
        for host in (LOAD_A, LOAD_B):
            self.start_carrier(host)
        self.agent = self.folder / "agent"
        places = f"{control(LOAD_A)}:{PORT} {control(LOAD_B)}:{PORT}"
        self.agent.write_text(
            f'#!/bin/sh\n[ "$1" = run ] || exec {find_agent()} "$@"\n'
            f"exec {sys.executable} -I -S {_carrier()} ask {places}\n"
        )
        self.agent.chmod(0o755)

    def start(self, host: str, *command: object) -> subprocess.Popen[bytes]:
        """Starts a program on a host."""
        inside = ["ip", "netns", "exec", host, *map(str, command)]
        return subprocess.Popen(inside, stdin=subprocess.DEVNULL)

    def start_carrier(self, host: str) -> None:
        """Starts what carries a load machine's agent, and waits until it listens."""
        command = (sys.executable, "-I", "-S", _carrier(), "serve", control(host), PORT)
        self._carriers[host] = self.start(host, *command, find_agent(), self.folder / host)
        listens = f"{control(host)}:{PORT}"
        wait_until(
            lambda: listens in subprocess.run(
                ["ip", "netns", "exec", host, "ss", "-ltn"], capture_output=True, text=True, check=True
            ).stdout
        )  # fmt: skip

    def kill_carrier(self, host: str) -> None:
        """Ends at once what carries a load machine's agent."""
        self._carriers[host].kill()
        self._carriers[host].wait()

    def kill_agent(self, host: str) -> None:
        """Ends a load machine's agent at once."""
        os.kill(int((self.folder / host).read_text()), signal.SIGKILL)

    def cut_off(self, host: str) -> None:
        """Takes the network between igen and a load machine away; it still reaches the server."""
        subprocess.run(["ip", "-n", host, "link", "set", "control", "down"], check=True)

    def heal(self, host: str) -> None:
        """Gives it back."""
        subprocess.run(["ip", "-n", host, "link", "set", "control", "up"], check=True)

    def igen(self, *arguments: str) -> subprocess.Popen[str]:
        """Starts igen on its host."""
        environment = {**os.environ, "IGEN_AGENT": str(self.agent), "IGEN_STORE": str(self.store)}
        return subprocess.Popen(
            ["ip", "netns", "exec", DESK, sys.executable, "-m", "igen.cli", *arguments],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def requests(self) -> list[tuple[float, str, str]]:
        """What the server was asked for: when, by which host, path."""
        names = {load(host): host for host in HOSTS}
        lines = [
            line.split(" ") for line in self.book.read_text().splitlines(keepends=True) if line[-1] == "\n"
        ]
        return [(float(at_s), names[source], path.rstrip()) for at_s, source, path in lines]


def _carrier() -> Path:
    return Path(__file__).with_name("carrier.py")


def _make_network() -> None:
    for bridge in ("control", "load"):
        subprocess.run(["ip", "link", "add", bridge, "type", "bridge"], check=True)
        subprocess.run(["ip", "link", "set", bridge, "up"], check=True)
    for number, host in enumerate(HOSTS):
        commands = [f"netns add {host}"]
        for bridge, address in (("control", control(host)), ("load", load(host))):
            commands += [
                f"link add {bridge}{number} type veth peer name {bridge} netns {host}",
                f"link set {bridge}{number} master {bridge} up",
                f"-n {host} addr add {address}/24 dev {bridge}",
                f"-n {host} link set {bridge} up",
            ]
        for command in (*commands, f"-n {host} link set lo up"):
            subprocess.run(["ip", *command.split()], check=True)
