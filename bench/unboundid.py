"""searchrate and authrate, the load tools of the UnboundID LDAP SDK, as peers."""

from __future__ import annotations

import re
from pathlib import Path

from bench import peers
from bench.servers import Directory
from bench.steady import Client, Window

VERSION = "7.0.5"
SHA256 = "463f0ee93f8046c6f72766f111fc27b18ab4727541968b9fa72699023e1b0ff0"
SEARCHES = re.compile(r"([\d.]+),[\d.]+,(?P<entries>[\d.]+),(?P<errors>[\d.]+),[\d.]+,[\d.]+\n")
BINDS = re.compile(r"([\d.]+),[\d.]+,(?P<errors>[\d.]+),[\d.]+,[\d.]+\n")
LEAST_ENTRIES = 0.99
"""By search: an entry may be counted in the interval after its search."""


def install() -> Path:
    """Makes sure that the SDK and a Java virtual machine are there."""
    peers.need("java", "default-jre-headless")
    return peers.jar("com.unboundid", "unboundid-ldapsdk", VERSION, SHA256)


def searchrate(
    sdk: Path, directory: Directory, filter_pattern: str, connections: int, window: Window
) -> Client:
    """Searches for one entry each, with all attributes, on a connection for each thread."""
    search = [f"--baseDN={directory.people}", "--scope=sub", f"--filter={filter_pattern}"]
    return Client([*_command(sdk, "searchrate", directory, connections, window), *search], searches_per_s)


def authrate(
    sdk: Path, directory: Directory, name: str, password: str, connections: int, window: Window
) -> Client:
    """Binds as the same person again and again: it has one password for all."""
    bind = ["--bindOnly", f"--baseDN=uid={name},{directory.people}", f"--credentials={password}"]
    return Client([*_command(sdk, "authrate", directory, connections, window), *bind], binds_per_s)


def searches_per_s(line: str) -> float | None:
    """Searches a second, if `line` is of an interval. RuntimeError when they did not find one entry each."""
    found = SEARCHES.fullmatch(line)
    if found is None:
        return None
    if float(found["entries"]) < LEAST_ENTRIES:
        raise RuntimeError(f"searchrate found {found['entries']} entries by search")
    return _without_errors(found, "searchrate")


def binds_per_s(line: str) -> float | None:
    """Binds a second, if `line` is of an interval. Raises RuntimeError when some failed."""
    found = BINDS.fullmatch(line)
    return None if found is None else _without_errors(found, "authrate")


def _without_errors(found: re.Match[str], tool: str) -> float:
    if float(found["errors"]) > 0:
        raise RuntimeError(f"{tool} had {found['errors']} errors a second")
    return float(found[1])


def _command(sdk: Path, tool: str, directory: Directory, connections: int, window: Window) -> list[str]:
    # Numbers with a decimal point, wherever the machine stands.
    java = ["java", "-Duser.language=en", "-Duser.country=US", "-jar", str(sdk), tool]
    place = [f"--hostname={directory.host}", f"--port={directory.port}"]
    load = [f"--numThreads={connections}", "--intervalDuration=1", f"--numIntervals={window.run_s}"]
    return [*java, *place, *load, "--csv"]
