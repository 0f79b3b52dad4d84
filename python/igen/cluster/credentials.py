"""What whoever belongs to a cluster has: its token, its certificate with the key, and the way to join.

All machines have the same: whoever has them can run any program on each of the machines.
"""

from __future__ import annotations

import ipaddress
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from igen.cluster.home import (
    CERTIFICATE,
    KEY,
    MARK,
    OBJECT_STORE_BYTES,
    TEMPORARY,
    TEMPORARY_OF_RAY,
    TOKEN,
    settings,
)
from igen.environment import environment_of
from igen.errors import IgenError, InputError

TOKEN_BYTES = 32
DAYS = 365
"""How long the certificate holds."""
LOOPBACK = "127.0.0.1"
_WORLD = "8.8.8.8"
_WHERE = "temporary"
"""The file that says on a machine which has joined where Ray's folder is."""


def resolved(host: str) -> str:
    """The address of a host. Raises `InputError`."""
    try:
        return str(socket.getaddrinfo(host, None, socket.AF_INET, socket.SOCK_STREAM)[0][4][0])
    except OSError as error:
        raise InputError(f"`{host}` is not known: {error.strerror}", where="--node") from error


def own_address(nodes: Sequence[str]) -> str:
    """This machine's own address, as these other machines reach it. Raises `InputError`.

    Ray takes none of the loopback: it would put the address towards the world in its place.
    """
    outside = next((node for node in nodes if not ipaddress.ip_address(node).is_loopback), None)
    if outside is None:
        try:
            return _address_towards(_WORLD)
        except OSError:
            return LOOPBACK
    try:
        return _address_towards(outside)
    except OSError as error:
        raise InputError(f"there is no way to {outside}: {error.strerror}", where="--node") from error


def _address_towards(address: str) -> str:
    """Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect((address, 9))
        return str(way.getsockname()[0])


def make(folder: Path, head: str, port: int, nodes: Sequence[str], *, insecure: bool) -> None:
    """Makes the folder that goes to the other machines anew. Raises `IgenError`."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700, parents=True)
    if not insecure:
        _write(folder / TOKEN, secrets.token_urlsafe(TOKEN_BYTES), 0o600)
        _make_certificate(folder, [LOOPBACK, head, *nodes])
    _write(folder / "join", _join(f"{head}:{port}", insecure=insecure), 0o700)
    _write(folder / "leave", _LEAVE, 0o700)


def _write(path: Path, text: str, mode: int) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w", encoding="utf-8") as file:
        file.write(text)


def _make_certificate(folder: Path, addresses: Sequence[str]) -> None:
    """A certificate that is its own authority, for all machines: Ray compares the address that it asks for
    with those named here. OpenSSL writes the key for its owner alone."""
    named = ",".join(f"IP:{ipaddress.ip_address(each)}" for each in dict.fromkeys(addresses))
    program = shutil.which("openssl")
    if program is None:
        raise IgenError("TLS needs the program openssl", hint="`apt install openssl` installs it")
    command = [
        *(program, "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
        *(
            "-days",
            str(DAYS),
            "-subj",
            "/CN=igen-cluster",
            "-addext",
            f"subjectAltName=DNS:localhost,{named}",
        ),
        *("-keyout", str(folder / KEY), "-out", str(folder / CERTIFICATE)),
    ]
    done = subprocess.run(command, capture_output=True, check=False, umask=0o077, env=environment_of())
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise IgenError(f"openssl made no certificate: {said}")


def _join(head: str, *, insecure: bool) -> str:
    here = Path("$here")
    variables = "\n".join(
        f'export {name}="{value}"' for name, value in settings(here, insecure=insecure).items()
    )
    return f"""#!/bin/sh
# Makes this machine a load machine of the cluster at {head}: join ADDRESS, by which the others reach it.
# RAY names the program `ray` where it is not in PATH.
set -eu
umask 077
address=${{1:?which address}}
here=$(cd "$(dirname "$0")" && pwd)
"$here/leave"
temporary=$(mktemp -d /tmp/{TEMPORARY}-XXXXXXXX)
echo "$temporary" >"$here/{_WHERE}"
{variables}
exec "${{RAY:-ray}}" start --address={head} --node-ip-address="$address" \\
  --object-store-memory={OBJECT_STORE_BYTES} --temp-dir="$temporary/{TEMPORARY_OF_RAY}"
"""


_LEAVE = f"""#!/bin/sh
# Ends all that `join` has started on this machine, and removes Ray's folder.
here=$(cd "$(dirname "$0")" && pwd)
running() {{ grep -slzxF "{MARK}=$here" /proc/[0-9]*/environ | cut -d / -f 3; }}
for signal in TERM KILL; do
  left=100
  for process in $(running); do kill "-$signal" "$process" 2>/dev/null; done
  while [ "$left" -gt 0 ] && [ -n "$(running)" ]; do sleep 0.1; left=$((left - 1)); done
done
if [ -n "$(running)" ]; then echo "processes of the cluster do not end:" $(running) >&2; exit 1; fi
temporary=$(cat "$here/{_WHERE}" 2>/dev/null)
case "$temporary" in /tmp/{TEMPORARY}-*) rm -rf -- "$temporary" ;; esac
rm -f -- "$here/{_WHERE}"
"""
