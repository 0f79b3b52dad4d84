"""Free ports of 127.0.0.1."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from igen.errors import IgenError

_ATTEMPTS = 100


def is_free(port: int) -> bool:
    """Return True if a server could listen on it."""
    return _free_port(port) == port


@contextmanager
def chosen_port(wished: int) -> Iterator[int]:
    """That port, or another one where somebody listens on it, kept from other commands of iGen until the end.

    Between the choice and the server's first moment nobody listens there: two commands would choose the same.
    A socket whose name exists once on this machine says that a port is chosen, and goes with its process.
    """
    for attempt in range(_ATTEMPTS):
        port = _free_port(wished if attempt == 0 else 0)
        with socket.socket(socket.AF_UNIX) as claim:
            try:
                claim.bind(f"\0igen-port-{port}")
            except OSError:
                continue
            if is_free(port):
                yield port
                return
    raise IgenError("no port of 127.0.0.1 is free", hint="stop servers that are not needed")


def _free_port(wished: int) -> int:
    """Return a socket with this port of 127.0.0.1, or with a port that the kernel chooses."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", wished))
        except (OSError, OverflowError):
            listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
