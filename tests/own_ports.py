"""Ports of a test's own in place of the usual ones that pages and studies name.

Somebody else may listen on a usual port, and two pages may run at the same time: so all usual ports are moved
by one distance that is free, each worker of pytest-xdist within a range of its own.
"""

from __future__ import annotations

import os
import random
import re
import socket

from igen.instances.products import PRODUCTS

SPAN = 10
"""So many ports from the first of each kind on are named by pages and studies."""
WEB = 15_080
"""The port of the web server on the page about those."""
FIRST_DISTANCE, LAST_DISTANCE, WORKERS = 1_000, 17_000, 4
"""What is moved stays below 32,768, where ports begin that the kernel gives to clients."""
USUAL = {
    port for product in PRODUCTS.values() for port in range(product.first_port, product.first_port + SPAN)
} | {WEB}


def moved(text: str, distance: int) -> str:
    """The text with each usual port moved."""
    return re.sub(
        r"(?<!\d)\d{5}(?!\d)",
        lambda found: str(int(found[0]) + distance) if int(found[0]) in USUAL else found[0],
        text,
    )


def free_distance() -> int:
    """A distance by which nobody listens on any of the moved ports."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % WORKERS
    each = (LAST_DISTANCE - FIRST_DISTANCE) // WORKERS
    first = FIRST_DISTANCE + worker * each
    last = first + each - (max(USUAL) - min(USUAL))
    for distance in random.Random().sample(range(first, last), k=50):
        if all(_is_free(port + distance) for port in USUAL):
            return distance
    raise RuntimeError("no free ports for the servers of a test")


def _is_free(port: int) -> bool:
    with socket.socket() as listening:
        try:
            listening.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
