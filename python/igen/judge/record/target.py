"""Where the work of a job is done, which decides whose processor time is whose."""

from __future__ import annotations

from enum import Enum
from urllib.parse import urlsplit

from igen.facts import TARGETS_SERVERS
from igen.judge.record.recording import Recording

_IN_PROCESS_SCHEMES = {"", "duckdb", "file", "host", "sqlite"}
_LOCAL_HOSTS = {"", "localhost", "::1"}


class Place(Enum):
    """Where the system under test is, seen from the load process."""

    IN_PROCESS = "in the load process itself"
    LOCAL = "a server on the same machine"
    REMOTE = "a server on another machine"


def target_place(recording: Recording) -> Place:
    """Return where the targets are; of several the nearest counts. A job without any does its work itself.

    The agent reports which targets are servers of its machine; without its monitors their names decide.
    """
    targets = [urlsplit(target) for target in recording.job.get("targets") or [""]]
    if any(target.scheme in _IN_PROCESS_SCHEMES for target in targets):
        return Place.IN_PROCESS
    servers = recording.facts.get(TARGETS_SERVERS)
    if isinstance(servers, list):
        return Place.LOCAL if any(server is not None for server in servers) else Place.REMOTE
    hosts = [(target.hostname or "").lower() for target in targets]
    here = _LOCAL_HOSTS | {recording.host.lower()}
    if any(host in here or host.startswith("127.") or is_socket(host) for host in hosts):
        return Place.LOCAL
    return Place.REMOTE


def is_socket(host: str) -> bool:
    """Return True if the host of a target is the percent-encoded path of a Unix socket."""
    return host.lower().startswith("%2f")


def target_schemes(targets: list[str]) -> set[str]:
    """The kinds of the targets: `sqlite`, `postgresql`."""
    return {urlsplit(target).scheme for target in targets}
