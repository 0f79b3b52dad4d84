"""`igen fleet` with Ray itself: protected, found by `--fleet auto`, and gone when it is ended."""

from __future__ import annotations

import json
import os
import socket
import ssl
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from igen.cluster.home import CARRIED, CERTIFICATE, RECORD, settings
from tests.own_ports import own_ports

pytest.importorskip("ray", reason="Ray is not installed: the extra `cluster` brings it")
pytestmark = pytest.mark.xdist_group("ray")
PATIENCE_S = 300.0


def test_a_cluster_of_ones_own_loads_and_lets_nobody_else_in(tmp_path: Path) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    own |= {"XDG_STATE_HOME": str(tmp_path), "IGEN_STORE": str(tmp_path / "runs")}

    def igen(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "igen.cli", *arguments],
            env=own | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    def told(*arguments: str) -> Any:
        done = igen(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    port = own_ports(2)
    up = told("fleet", "up", "--port", str(port), "--client-port", str(port + 1))
    temporary = Path(json.loads((tmp_path / "igen" / "cluster" / RECORD).read_text())["temporary"])
    run = ["run", "model", "--users", "2", "--agents", "1", "--fleet", "auto", "--repeats", "1"]
    run += ["--duration", "1s", "--warmup", "0.2s", "--quiet"]
    try:
        assert told("fleet", "status")["machines"] == [up["address"].partition(":")[0]]
        assert list(temporary.glob("ray/session_*/sockets/plasma_store*"))
        assert (temporary / "ray" / "ray_current_cluster").exists(), "the one of /tmp/ray is somebody else's"
        (level,) = told(*run)["systems"][0]["levels"]
        assert level["transactions"] > 0
        secrets = tmp_path / "igen" / "cluster" / CARRIED
        (tmp_path / "wrong").write_text(64 * "0")
        wrong = settings(secrets, insecure=False) | {
            "RAY_AUTH_TOKEN_PATH": str(tmp_path / "wrong"),
            "RAY_ADDRESS": up["address"],
        }
        stranger = igen(*run, **wrong)
        assert stranger.returncode == 1
        refused = ("there is no cluster at `auto`", "refused the connection")
        assert any(each in stranger.stderr for each in refused), stranger.stderr
        assert "Unauthenticated" in stranger.stderr
        assert not _speaks_without_certificate(up["address"], secrets / CERTIFICATE)
    finally:
        assert told("fleet", "down") == {"up": False, "leave": []}
    assert told("fleet", "status") == {"up": False}
    assert not temporary.exists()


def _speaks_without_certificate(place: str, authority: Path) -> bool:
    """Whether the head answers whoever has no certificate of the cluster."""
    host, _, port = place.rpartition(":")
    context = ssl.create_default_context(cafile=authority)
    context.set_alpn_protocols(["h2"])
    try:
        with (
            socket.create_connection((host, int(port)), 30.0) as plain,
            context.wrap_socket(plain, server_hostname=host) as secure,
        ):
            secure.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")
            return bool(secure.recv(1))
    except (ssl.SSLError, ConnectionError):
        return False
