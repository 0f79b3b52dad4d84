"""Starts Ray's head on this machine, and ends it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from igen.cluster import credentials, home
from igen.cluster.home import CARRIED, HEALTH, RECORD, TEMPORARY, TEMPORARY_OF_RAY, Cluster
from igen.environment import environment_of
from igen.errors import IgenError, InputError
from igen.own_folder import only_one

UP_S, DOWN_S = 120.0, 10.0
"""How long the head may take to start, and to end when it is asked to."""
_LOOK_S = 0.1
_STARTED = "Ray runtime started"
_LOG = "head.log"


def up(nodes: Sequence[str], *, port: int, client_port: int, insecure: bool) -> Cluster:
    """Starts the head of a cluster that these machines can join. Raises `InputError` and `IgenError`.

    All that the cluster has is made anew: a machine that belonged to an earlier one joins again.
    """
    program = home.ray_program()
    named = {node: credentials.resolved(node) for node in nodes}
    addresses = list(named.values())
    own = credentials.own_address(addresses)
    folder = home.folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    with only_one(folder, "starting or ending a cluster"):
        _refuse_second(port, client_port)
        _forget()
        secrets = folder / CARRIED
        credentials.make(secrets, own, port, addresses, insecure=insecure)
        settings = home.settings(secrets, insecure=insecure)
        # Of this user alone, whatever Ray permits within: whoever could replace its sockets needs no token.
        # Beside all others' in /tmp: a socket's path has 107 bytes at most, and XDG_RUNTIME_DIR ends with the
        # last login, which the cluster outlives.
        temporary = tempfile.mkdtemp(prefix=f"{TEMPORARY}-", dir="/tmp")
        try:
            command = _command(program, own, port, client_port, temporary)
            process = _start(command, settings, folder / _LOG)
            home.write(cluster := Cluster(own, port, client_port, process.pid, temporary, named, insecure))
            _wait_until_up(process, folder / _LOG)
        except BaseException:
            _end(secrets)
            (folder / RECORD).unlink(missing_ok=True)
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    return cluster


def down() -> Cluster | None:
    """Ends the head and all that it has started here; the cluster that was. Raises `IgenError`."""
    folder = home.folder()
    if not folder.exists():
        return None
    with only_one(folder, "starting or ending a cluster"):
        try:
            cluster = home.read()
        finally:
            _end(folder / CARRIED)
            _forget()
    return cluster


def _forget() -> None:
    """Removes what is left of a cluster that has ended."""
    try:
        cluster = home.read()
    except IgenError:
        cluster = None  # where its folder is, nobody knows
    (home.folder() / RECORD).unlink(missing_ok=True)
    if cluster is not None:
        shutil.rmtree(cluster.temporary, ignore_errors=True)


def _refuse_second(port: int, client_port: int) -> None:
    if home.is_up():
        raise InputError("a cluster of yours is up already", hint="`igen fleet down` ends it")
    for option, each in (("--port", port), ("--client-port", client_port)):
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("0.0.0.0", each))
            except OSError as error:
                hint = "another program listens there, perhaps another cluster: name another port"
                raise InputError(f"port {each}: {error.strerror}", where=option, hint=hint) from error


def _command(program: str, address: str, port: int, client_port: int, temporary: str) -> list[str]:
    return [
        *(program, "start", "--head", "--block", f"--node-ip-address={address}", f"--port={port}"),
        *(f"--ray-client-server-port={client_port}", "--include-dashboard=false"),
        f"--object-store-memory={home.OBJECT_STORE_BYTES}",
        f"--temp-dir={temporary}/{TEMPORARY_OF_RAY}",
    ]


def _start(command: list[str], settings: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    environment = {**environment_of(("HOME", "USER")), **HEALTH, **settings}
    with log.open("wb") as output:
        # A session of its own: it outlives this command and its terminal.
        return subprocess.Popen(
            command,
            cwd="/",
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
        )


def _wait_until_up(process: subprocess.Popen[bytes], log: Path) -> None:
    end_s = time.monotonic() + UP_S
    while _STARTED not in (said := log.read_text(errors="replace")):
        if process.poll() is not None:
            last = said.strip().rpartition("\n")[2] or f"it ended with code {process.returncode}"
            raise IgenError(f"Ray's head did not start: {last}", where=str(log))
        if time.monotonic() > end_s:
            raise IgenError(f"Ray's head did not start within {UP_S:g} s", where=str(log))
        time.sleep(_LOOK_S)


def _end(secrets: Path) -> None:
    """Ends all processes of the cluster on this machine: asked first, then at once."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        end_s = time.monotonic() + DOWN_S
        asked: set[int] = set()
        while (running := home.processes(secrets)) and time.monotonic() < end_s:
            for process_id in running - asked:
                try:
                    os.kill(process_id, number)
                except ProcessLookupError:
                    continue
            asked |= running
            time.sleep(_LOOK_S)
        if not running:
            return
    raise IgenError(f"processes of the cluster do not end: {sorted(running)}")
