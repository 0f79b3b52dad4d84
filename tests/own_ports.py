"""Ports of a test's own, also in place of the usual ones that pages and studies name.

A port belongs to the process of tests that claimed it until that ends: several of them run side by side, and
a port that nobody listens on yet may be one that another has just chosen. All are below 32,768, where those
ports begin that the kernel gives to clients.
"""

from __future__ import annotations

import random
import re
import socket

from igen.instances.port import is_free
from igen.instances.products import PRODUCTS

SPAN = 10
"""So many ports from the first of each kind on are named by pages and studies."""
WEB = 15_080
"""The port of the web server on the page about those."""
SHOP = 15_280
"""The first port of the shop on the pages about tiers."""
FIRST_PORTS = {*(product.first_port for product in PRODUCTS.values()), SHOP}
USUAL = {port for first in FIRST_PORTS for port in range(first, first + SPAN)} | {WEB}
DISTANCES = range(1_000, 32_768 - max(USUAL))
OWN = range(20_000, 32_000)
ATTEMPTS = 200

_claims: dict[int, socket.socket] = {}
"""By port what holds it: a socket whose name exists once on this machine, and goes with its process."""
_distances: list[int] = []
"""The distances of this process, whose ports are claimed."""


def own_ports(count: int = 1) -> int:
    """The first of some ports in a row that nobody listens on, and no other process of tests will."""
    for first in random.Random().sample(OWN, ATTEMPTS):
        if _claim(set(range(first, first + count))):
            return first
    raise RuntimeError("no free ports for the servers of a test")


def moved(text: str, distance: int) -> str:
    """The text with each usual port moved."""
    return re.sub(
        r"(?<!\d)\d{5}(?!\d)",
        lambda found: str(int(found[0]) + distance) if int(found[0]) in USUAL else found[0],
        text,
    )


def free_distance() -> int:
    """A distance by which nobody listens on any of the moved ports, and no other process of tests will."""
    for distance in _distances:
        if all(is_free(port + distance) for port in USUAL):
            return distance
    for distance in random.Random().sample(DISTANCES, ATTEMPTS):
        if _claim({port + distance for port in USUAL}):
            _distances.append(distance)
            return distance
    raise RuntimeError("no free ports for the servers of a test")


def _claim(ports: set[int]) -> bool:
    """Claims all of the ports or none of them."""
    if ports & _claims.keys():
        return False
    claims = {}
    try:
        for port in ports:
            claims[port] = socket.socket(socket.AF_UNIX)
            claims[port].bind(f"\0igen-test-port-{port}")
        if not all(is_free(port) for port in ports):
            raise OSError
    except OSError:
        for claim in claims.values():
            claim.close()
        return False
    _claims.update(claims)
    return True
