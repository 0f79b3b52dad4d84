"""The three hosts with a cluster of Ray on them, which carries the agents in the place of the stand-in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from igen.cluster.home import OBJECT_STORE_BYTES, PORT
from tests.fleet.three_hosts import DESK, LOAD_A, LOAD_B, PATIENCE_S, Hosts, control

SETTINGS = {
    "RAY_AUTH_MODE": "disabled",
    "RAY_USE_TLS": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ADDRESS": f"{control(DESK)}:{PORT}",
    "RAY_raylet_start_wait_time_s": f"{PATIENCE_S:g}",
}
"""The head looks after its nodes as it does by itself: on a busy machine a healthy one is slow to answer, and
igen notices a loss without it."""
SESSIONS = Path("/tmp/ray")
"""Where Ray has its sockets: nodes of one machine would take each other's."""
_WITH_OWN_SESSIONS = ("sh", "-c", 'mount -t tmpfs tmpfs "$0" && exec "$@"', SESSIONS)


class RayHosts(Hosts):
    """A head that only leads is on igen's host, a node on each of the others."""

    fleet = 'address = "auto"\ninsecure = true\n'
    noticed_s = 20.0

    def carry(self) -> None:
        """Starts the cluster."""
        os.environ.update(SETTINGS, XDG_CACHE_HOME=str(self.folder / "cache"))
        SESSIONS.mkdir(exist_ok=True)
        head = ("--head", f"--port={PORT}", "--num-cpus=0", "--include-dashboard=false")
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", SESSIONS], check=True)
        self._ray(DESK, *head).wait()
        nodes = [
            self._ray(host, f"--address={control(DESK)}:{PORT}", "--num-cpus=1") for host in (LOAD_A, LOAD_B)
        ]
        if any(node.wait() for node in nodes):
            raise RuntimeError("a node did not join the cluster")

    def _ray(self, host: str, *options: str) -> subprocess.Popen[bytes]:
        common = (f"--node-ip-address={control(host)}", f"--object-store-memory={OBJECT_STORE_BYTES}")
        ray = (sys.executable, "-m", "ray.scripts.scripts", "start", *common, *options)
        return self.start(host, *(() if host == DESK else _WITH_OWN_SESSIONS), *ray)

    def kill_carrier(self, host: str) -> None:
        """Ends the node's daemon at once."""
        done = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True, check=True)
        daemons = [pid for pid in done.stdout.split() if _name(pid) == "raylet"]
        assert len(daemons) == 1, daemons
        os.kill(int(daemons[0]), signal.SIGKILL)


def _name(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""
