"""Where a user's cluster keeps its record and secrets, and the variables by which Ray finds them."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from igen.errors import IgenError
from igen.extras import CLUSTER
from igen.own_folder import read_record, write_record

RECORD = "cluster.json"
CARRIED = "igen-cluster"
"""The folder that goes to the other machines."""
TOKEN, CERTIFICATE, KEY = "token", "certificate.pem", "key.pem"
MARK = "IGEN_CLUSTER"
"""Each process of the cluster has this variable, with the folder of its secrets."""
TEMPORARY, TEMPORARY_OF_RAY = "igen-cluster", "ray"
"""How names of the private folders for Ray's sockets begin; Ray lets everybody write into its own, within."""
PORT, CLIENT_PORT = 6379, 10001
OBJECT_STORE_BYTES = 256 << 20
"""Ray takes a third of the memory otherwise; an agent's program is all that it is to hold."""
HEALTH = {
    "RAY_health_check_initial_delay_ms": "1000",
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_timeout_ms": "1000",
    "RAY_health_check_failure_threshold": "3",
}
"""A machine that is lost is known to be after 4 s instead of a minute; said to the head."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is known of a cluster that was started."""

    address: str
    """This machine's, as the other ones reach it."""
    port: int
    client_port: int
    process_id: int
    temporary: str
    """The folder of Ray's sockets and logs on this machine: absolute."""
    nodes: dict[str, str] = field(default_factory=dict)
    """The other machines, as they were named, with their addresses, which the certificate names."""
    insecure: bool = False


def folder() -> Path:
    """The folder of this user's cluster."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "igen" / "cluster"


def read() -> Cluster | None:
    """The cluster that was started; None where there is none. Raises `IgenError`."""
    try:
        return Cluster(**read_record(folder(), RECORD))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        hint = "`igen fleet down`, or remove the file"
        raise IgenError(
            f"the record cannot be read: {error}", where=str(folder() / RECORD), hint=hint
        ) from error


def write(cluster: Cluster) -> None:
    """Keeps the record."""
    write_record(folder(), RECORD, asdict(cluster))


def settings(secrets: Path, *, insecure: bool) -> dict[str, str]:
    """Variables of whatever is to speak with the cluster whose secrets are in this folder."""
    common = {MARK: str(secrets), "RAY_USAGE_STATS_ENABLED": "0"}
    if insecure:
        # Never unsaid: Ray would take a token that it finds in the home folder, and others would lack it.
        return {**common, "RAY_AUTH_MODE": "disabled", "RAY_USE_TLS": "0"}
    return {
        **common,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(secrets / TOKEN),
        "RAY_USE_TLS": "1",
        "RAY_TLS_SERVER_CERT": str(secrets / CERTIFICATE),
        "RAY_TLS_SERVER_KEY": str(secrets / KEY),
        "RAY_TLS_CA_CERT": str(secrets / CERTIFICATE),
    }


def take_settings(address: str) -> None:
    """Lets this process speak with this user's cluster, where `address` is `auto` and the cluster is up.

    What the caller's environment says itself holds; the secrets are for no other cluster.
    """
    said = {"RAY_AUTH_MODE", "RAY_USE_TLS", "RAY_ADDRESS"}
    if address != "auto" or said & os.environ.keys():
        return
    cluster = read()
    if cluster is None or not is_up():
        return
    speak_with(cluster)


def speak_with(cluster: Cluster) -> None:
    """Lets this process speak with this user's cluster, whatever its environment says."""
    own = settings(folder() / CARRIED, insecure=cluster.insecure)
    del own[MARK]  # this process is none of the cluster's
    os.environ.update(own)
    os.environ["RAY_ADDRESS"] = f"{cluster.address}:{cluster.port}"


def is_up() -> bool:
    """Whether something of the cluster runs on this machine: a record may outlive it, as when power fails."""
    return bool(processes(folder() / CARRIED))


def processes(secrets: Path) -> set[int]:
    """Those of this user's processes that were started with the mark of these secrets, and have not ended."""
    mark = f"{MARK}={secrets}".encode()
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes().split(b"\0") and path.stat().st_uid == os.getuid():
                found.add(int(path.parent.name))
        except OSError:
            continue  # it has ended, or belongs to somebody else
    return found - {os.getpid()}


def ray_program() -> str:
    """The program `ray` beside this interpreter, or in PATH. Raises `InputError`."""
    beside = Path(sys.executable).parent / "ray"
    found = str(beside) if beside.exists() else shutil.which("ray")
    if found is None:
        raise CLUSTER.missing("a cluster of load machines")
    return found
