"""ldclt, the load tool of 389 Directory Server, as a peer."""

from __future__ import annotations

import re

from bench import peers
from bench.servers import Directory
from bench.steady import Client, Window

REPORT = re.compile(r"ldclt\[\d+\]: Average rate: .*\( *([\d.]+)/sec\)")
WINDOW = Window(warmup_s=1, measure_s=1)
"""In its reports, not seconds: it makes one every ten seconds, whatever it is told."""


def install() -> None:
    """Makes sure that ldclt is there; its package starts no server unless one is set up."""
    peers.need("ldclt", "389-ds-base")


def client(directory: Directory, filter_pattern: str, low: int, high: int, connections: int) -> Client:
    """Searches for one entry each, with all attributes, on a connection for each thread. In `filter_pattern`
    a row of X stands for a number from `low` to `high`, with as many digits."""
    place = ["-h", directory.host, "-p", str(directory.port), "-b", directory.people]
    search = ["-e", "esearch,random,attrsonly=0", "-f", filter_pattern, "-r", str(low), "-R", str(high)]
    load = ["-n", str(connections), "-N", str(WINDOW.warmup_s + WINDOW.measure_s)]
    return Client(["ldclt", *place, *search, *load], searches_per_s)


def searches_per_s(line: str) -> float | None:
    """Searches a second, if `line` is a report."""
    found = REPORT.match(line)
    return float(found[1]) if found else None
