"""The ldap3 crate as a peer: a small program of ours that searches with it."""

from __future__ import annotations

from pathlib import Path

from bench import peers
from bench.process import ROOT
from bench.servers import Directory
from bench.steady import Client, Window

SOURCE = ROOT / "bench" / "ldap3_search"


def install() -> Path:
    """Builds the program."""
    return peers.build(SOURCE)


def client(
    program: Path, directory: Directory, low: int, high: int, connections: int, window: Window
) -> Client:
    """Searches for `uid=user.N0`, N from `low` to `high`, with all attributes, on one thread."""
    load = [str(number) for number in (connections, window.run_s, low, high)]
    return Client([str(program), directory.url, directory.people, *load], searches_per_s)


def searches_per_s(line: str) -> float | None:
    """Searches a second, if `line` is a report."""
    return float(line.split()[0]) if line.endswith(" searches/s\n") else None
