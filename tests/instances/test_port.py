"""Ports of private instances: what one command has chosen, no other chooses before the server listens."""

from __future__ import annotations

import socket
import subprocess
import sys

from igen.instances.port import chosen_port, is_free
from tests.own_ports import own_ports

HOLD = """
import sys
from igen.instances.port import chosen_port
with chosen_port(int(sys.argv[1])) as port:
    print(port)
    input()
"""


def test_two_commands_that_wish_for_the_same_port_choose_different_ones() -> None:
    wished = own_ports()
    command = [sys.executable, "-uc", HOLD, str(wished)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert int(other.stdout.readline()) == wished
    assert is_free(wished)
    with chosen_port(wished) as port:
        assert port != wished
        assert is_free(port)
    other.communicate("\n")
    with chosen_port(wished) as port:
        assert port == wished


def test_a_port_that_somebody_listens_on_is_not_chosen() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        wished = listening.getsockname()[1]
        assert not is_free(wished)
        with chosen_port(wished) as port:
            assert port != wished
