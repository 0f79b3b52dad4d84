"""Where a user's cluster keeps its record and secrets, and the variables by which Ray finds them."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from igen.errors import IgenError, InputError
from igen.own_folder import read_record, write_record

RECORD = "cluster.json"
CARRIED = "igen-cluster"
"""The folder that goes to the other machines."""
TOKEN, CERTIFICATE, KEY = "token", "certificate.pem", "key.pem"
MARK = "IGEN_CLUSTER"
"""Each process of the cluster has this variable, with the folder of its secrets."""
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
    nodes: list[str] = field(default_factory=list)
    """Addresses of the other machines that the certificate names."""
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
        hint = "`igen cluster down`, or remove the file"
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
    """Lets this process speak with this user's cluster, where `address` is `auto`.

    What the caller's environment says itself holds; the secrets are for no other cluster.
    """
    said = {"RAY_AUTH_MODE", "RAY_USE_TLS", "RAY_ADDRESS"}
    if address != "auto" or said & os.environ.keys():
        return
    cluster = read()
    if cluster is None:
        return
    own = settings(folder() / CARRIED, insecure=cluster.insecure)
    del own[MARK]  # this process is none of the cluster's
    os.environ.update(own)
    os.environ["RAY_ADDRESS"] = f"{cluster.address}:{cluster.port}"


def ray_program() -> str:
    """The program `ray` beside this interpreter, or in PATH. Raises `InputError`."""
    beside = Path(sys.executable).parent / "ray"
    found = str(beside) if beside.exists() else shutil.which("ray")
    if found is None:
        hint = "`pip install 'igen-bench[cluster]'` installs it"
        raise InputError("a cluster of load machines needs Ray", hint=hint)
    return found
