"""Starts Ray's head on this machine, and ends it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from igen.cluster import credentials, home
from igen.cluster.home import CARRIED, HEALTH, MARK, RECORD, Cluster
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
    addresses = [credentials.resolved(node) for node in nodes]
    own = credentials.own_address(addresses)
    folder = home.folder()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    with only_one(folder, "starting or ending a cluster"):
        _refuse_second(port, client_port)
        secrets = folder / CARRIED
        credentials.make(secrets, own, port, addresses, insecure=insecure)
        settings = home.settings(secrets, insecure=insecure)
        process = _start(program, own, port, client_port, settings, folder / _LOG)
        cluster = Cluster(own, port, client_port, process.pid, addresses, insecure)
        home.write(cluster)
        try:
            _wait_until_up(process, folder / _LOG)
        except BaseException:
            _end(secrets)
            (folder / RECORD).unlink()
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
            (folder / RECORD).unlink(missing_ok=True)
    return cluster


def is_up() -> bool:
    """Whether something of the cluster runs on this machine."""
    return bool(_processes(home.folder() / CARRIED))


def _refuse_second(port: int, client_port: int) -> None:
    if home.read() is not None and is_up():
        raise InputError("a cluster of yours is up already", hint="`igen cluster down` ends it")
    for option, each in (("--port", port), ("--client-port", client_port)):
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("0.0.0.0", each))
            except OSError as error:
                hint = "another program listens there, perhaps another cluster: name another port"
                raise InputError(f"port {each}: {error.strerror}", where=option, hint=hint) from error


def _start(
    program: str, address: str, port: int, client_port: int, settings: dict[str, str], log: Path
) -> subprocess.Popen[bytes]:
    command = [
        *(program, "start", "--head", "--block", f"--node-ip-address={address}", f"--port={port}"),
        *(f"--ray-client-server-port={client_port}", "--include-dashboard=false"),
        f"--object-store-memory={home.OBJECT_STORE_BYTES}",
    ]
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
        while (running := _processes(secrets)) and time.monotonic() < end_s:
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


def _processes(secrets: Path) -> set[int]:
    """Those of this user's processes that were started with the cluster's mark, and have not ended."""
    mark = f"{MARK}={secrets}".encode()
    found = set()
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes().split(b"\0") and path.stat().st_uid == os.getuid():
                found.add(int(path.parent.name))
        except OSError:
            continue  # it has ended, or belongs to somebody else
    return found - {os.getpid()}
