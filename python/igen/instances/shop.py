"""The built-in shop: a web application in three tiers, served by the agent's own program."""

from __future__ import annotations

import http.client
import json
import signal
import socket
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from igen.agent_program import find_agent
from igen.errors import IgenError, InputError
from igen.instances import process
from igen.instances.instance import Instance
from igen.instances.product import Command, Needs, Product, program

MIB = 1 << 20
TIERS = ("web", "app", "data")
"""Tiers from the client to the data."""
TLS = "tls"
"""Setting of iGen; all other settings are options of `igen-agent serve shop`."""
_ON_OR_OFF = ("on", "off")
_CERTIFICATE, _KEY = "certificate.pem", "key.pem"
_PIDS = "tiers.json"
_DAYS = "3650"
_ANSWER_LIMIT_S = 2.0
_NAMES = "DNS:localhost,IP:127.0.0.1"


class Shop(Product):
    """A process for each tier, several for the application, and a supervisor."""

    name = "shop"
    scheme = "http"
    package = "openssl"
    # It refuses nobody, and its program may lie where no other account can reach it.
    account = "root"
    first_port = 14080
    stop_signal = signal.SIGTERM
    # 6 MiB idle, and 30 MiB of a full cache; 14 KiB a connection, more with TLS (ADR 17).
    needs = Needs(
        cache_bytes=0,
        memory_bytes=64 * MIB,
        connection_bytes=MIB // 32,
        disk_bytes=MIB // 16,
        log_bytes=0,
        loads={},
    )
    default_for = ("http", "web")
    options = ("nodes", "tls", "cache", "work")
    keeps_data = False
    open_to = "any user of this machine can load it, and sign in with `shop`; other machines cannot connect"
    ping = "/-/ready"
    provision = "/-/ready"
    bulk_loader = None

    @property
    def server(self) -> str:
        """Return the name of the agent's program."""
        return find_agent().name

    def version(self) -> Command:
        """`igen-agent --version`."""
        return [str(find_agent()), "--version"]

    def initialise(self, data: Path) -> Command | None:
        """Return no command: the data is generated in memory from the seed."""
        return None

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Create a certificate if TLS is on. Raises `InputError`."""
        wish = instance.settings.get(TLS, "off")
        if wish not in _ON_OR_OFF:
            raise InputError(f"`{wish}` must be on or off", where=f"--set {TLS}")
        if wish == "on" and not (instance.folder / _CERTIFICATE).exists():
            process.execute(self, _make_certificate(instance.folder))
        return {}

    def serve(self, instance: Instance) -> Command:
        """Return the command `igen-agent serve shop`."""
        options = {
            "listen": f"127.0.0.1:{instance.port}",
            "directory": str(instance.run_folder),
            "pids": str(instance.folder / _PIDS),
            **{name: value for name, value in instance.settings.items() if name != TLS},
        }
        if instance.settings.get(TLS) == "on":
            options["certificate"] = str(instance.folder / _CERTIFICATE)
            options["key"] = str(instance.folder / _KEY)
        return [
            str(find_agent()),
            "serve",
            self.name,
            *(f"--{name}={text}" for name, text in options.items()),
        ]

    def administer(self, instance: Instance, database: str | None) -> Command:
        """`igen-agent serve ask` at the socket of the web tier: what it is given is the path.

        Raises `IgenError` until its processes are told, which pages do not wait for.
        """
        if not tiers(instance):
            raise IgenError(f"{instance.name} has not reported its processes yet", where=str(instance.log))
        return [str(find_agent()), "serve", "ask", f"--socket={instance.run_folder / 'web'}"]

    def tiers(self, instance: Instance) -> dict[str, list[int]]:
        """Return its processes from web to data."""
        return tiers(instance)

    def target(self, folder: Path, port: int) -> str:
        """Its pages."""
        certificate = folder / _CERTIFICATE
        if certificate.exists():
            return f"https://127.0.0.1:{port}?sslrootcert={quote(str(certificate))}"
        return f"http://127.0.0.1:{port}"

    def socket_target(self, instance: Instance) -> str:
        """Return nothing: web servers are loaded over TCP."""
        return ""


def tiers(instance: Instance) -> dict[str, list[int]]:
    """Return the process ids of each tier, from web to data; empty if the shop is not ready."""
    running = set(process.process_tree(instance.pid)) if process.runs(Shop(), instance) else set()
    try:
        told = json.loads((instance.folder / _PIDS).read_text(encoding="utf-8"))
        found = {tier: [int(pid) for pid in told[tier]] for tier in TIERS}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    # What a killed shop has left says nothing of those that run.
    return found if all(pid in running for pids in found.values() for pid in pids) else {}


def cache_counts(instance: Instance) -> tuple[int, int] | None:
    """Hits and misses of the caches of its applications since they were started, over its Unix socket.

    None where they have no cache, or one of them does not answer.
    """
    request = b"GET /-/counts/app HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(_ANSWER_LIMIT_S)
            line.connect(str(instance.run_folder / "web"))
            line.sendall(request)
            answer = http.client.HTTPResponse(line)
            answer.begin()
            caches = [node["cache"] for node in json.load(answer)]
        return sum(each["hits"] for each in caches), sum(each["misses"] for each in caches)
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return None


def _make_certificate(folder: Path) -> Command:
    """Create a self-signed certificate for this machine; only this user may read the key."""
    return [
        program("openssl", [], "openssl"),
        *("req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *("-days", _DAYS, "-subj", "/CN=localhost", "-addext", f"subjectAltName={_NAMES}"),
        *("-addext", "basicConstraints=critical,CA:FALSE"),
        *("-keyout", str(folder / _KEY), "-out", str(folder / _CERTIFICATE)),
    ]
