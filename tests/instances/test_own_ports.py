"""Ports of a test's own: nobody listens on them, and no other process of tests chooses them too."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from tests import own_ports


def test_two_processes_never_choose_the_same_port(monkeypatch: pytest.MonkeyPatch) -> None:
    program = "from tests.own_ports import own_ports; print(own_ports(3), flush=True); input()"
    other = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    first = int(other.stdout.readline())
    monkeypatch.setattr(own_ports, "ATTEMPTS", 1)
    try:
        for port in range(first, first + 3):
            monkeypatch.setattr(own_ports, "OWN", range(port, port + 1))
            with pytest.raises(RuntimeError, match="no free ports"):
                own_ports.own_ports()
    finally:
        other.communicate("\n")
    assert own_ports.own_ports() == first + 2


def test_a_port_that_somebody_listens_on_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        monkeypatch.setattr(own_ports, "ATTEMPTS", 1)
        monkeypatch.setattr(own_ports, "OWN", range(port, port + 1))
        with pytest.raises(RuntimeError, match="no free ports"):
            own_ports.own_ports()
