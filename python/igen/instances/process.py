"""Processes of instances: started, identified and stopped by their id."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from igen.errors import IgenError
from igen.foreign_text import cleaned
from igen.instances.account import as_account, environment
from igen.instances.instance import Instance
from igen.instances.product import Command, Product
from igen.own_folder import read_record, write_record

_LOOK_EVERY_S = 0.05
_STOP_LIMIT_S = 60.0
_LOG_LINES = 12
_GATE = 'read -r go && exec "$@" </dev/null'
"""Program that executes the server on command, and ends if iGen ends before."""
_ON_THE_WAY = {"setpriv", "sh", "prlimit"}
"""Process names before the server is executed."""
_READY = "ready.json"
"""Name of the file with the process that is ready."""


def execute(product: Product, command: Command, text: str = "") -> str:
    """Runs a command as the server's account and returns what it prints; `text` is its standard input.

    Raises `IgenError` with its last words.
    """
    done = subprocess.run(
        as_account(product, command),
        input=text,
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        cwd="/",
        env=environment(),
    )
    if done.returncode != 0:
        raise failed(command, done.stderr or done.stdout)
    return done.stdout


def failed(command: Command, said: str) -> IgenError:
    """Return the error of a command, with the end of its output."""
    words = cleaned(said.strip()).splitlines()[-_LOG_LINES:]
    return IgenError(f"{Path(command[0]).name} failed: " + "\n  ".join(words))


def serve(product: Product, instance: Instance) -> subprocess.Popen[bytes]:
    """Starts the server, which goes on when iGen ends, and which Ctrl-C does not reach.

    Its pid is written before it is let go: none is ever without it, whatever ends iGen.
    """
    command = ["sh", "-c", _GATE, "sh", *product.serve(instance)]
    with instance.log.open("ab") as log:
        server = subprocess.Popen(
            as_account(product, command),
            cwd="/",
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    assert server.stdin is not None
    instance.pid_file.write_text(f"{server.pid}\n", encoding="ascii")
    with suppress(BrokenPipeError), server.stdin as gate:  # what went wrong is in the log
        gate.write(b"go\n")
    return server


def wait_ready(
    product: Product,
    instance: Instance,
    server: subprocess.Popen[bytes],
    limit_s: float,
    stopped: Callable[[], bool],
) -> None:
    """Wait until it answers. Raises `IgenError` with the end of its log if it does not."""
    deadline_s = time.monotonic() + limit_s
    while not _answers(product, instance):
        if server.poll() is not None or time.monotonic() > deadline_s or stopped():
            why = "was interrupted" if stopped() else "did not start"
            lines = instance.log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
            last_words = [cleaned(line) for line in lines]
            raise IgenError("\n  ".join([f"{instance.name} {why}", *last_words]), where=str(instance.log))
        time.sleep(_LOOK_EVERY_S)


def _answers(product: Product, instance: Instance) -> bool:
    try:
        execute(product, product.administer(instance, None), product.ping)
    except IgenError:
        return False
    return True


def runs(product: Product, instance: Instance) -> bool:
    """Return True if the process of its last start is still this server, not another process with its pid."""
    return _program(instance) == product.server


def is_ready(product: Product, instance: Instance) -> bool:
    """Return True if it is running with its users and databases."""
    try:
        record = read_record(instance.folder, _READY)
    except (OSError, ValueError):
        return False
    return record == {"pid": instance.pid} and runs(product, instance)


def mark_ready(instance: Instance) -> None:
    """Record that the work after a start is done."""
    write_record(instance.folder, _READY, {"pid": instance.pid})


def stop(product: Product, instance: Instance) -> None:
    """Stop the server, by force if it takes too long."""
    (instance.folder / _READY).unlink(missing_ok=True)
    if runs(product, instance):
        pid = instance.pid
        os.kill(pid, product.stop_signal)
        if not _ended([pid]):
            kill(product, instance)
    elif _program(instance) in _ON_THE_WAY:
        kill(product, instance)
    instance.pid_file.unlink(missing_ok=True)


def _program(instance: Instance) -> str:
    """Return the name of the process of its last start; empty if the pid is not of this instance."""
    pid = instance.pid
    if pid <= 0:
        return ""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return ""
    return Path(words[0]).name if any(f"{instance.folder}/" in word for word in words[1:]) else ""


def kill(product: Product, instance: Instance) -> None:
    """End the server and all its processes with SIGKILL, and wait until they are gone."""
    if _program(instance) not in {product.server, *_ON_THE_WAY}:
        return
    tree = process_tree(instance.pid)
    for pid in tree:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    if not _ended(tree):
        raise IgenError(f"{instance.name} (process {tree[0]}) does not stop")


def process_tree(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError, ValueError):
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    tree = [pid]
    for one in tree:
        tree += children.get(one, [])
    return tree


def memory_bytes(pid: int) -> int | None:
    """Return the memory of a process tree, shared pages counted once; None without permission."""
    total = 0
    for one in process_tree(pid):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except (ProcessLookupError, FileNotFoundError):
            continue
        except OSError:
            return None
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total


def _ended(pids: list[int]) -> bool:
    """Return True if they end within the limit."""
    deadline_s = time.monotonic() + _STOP_LIMIT_S
    while any(_lives(pid) for pid in pids):
        if time.monotonic() > deadline_s:
            return False
        time.sleep(_LOOK_EVERY_S)
    return True


def _lives(pid: int) -> bool:
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # a child of ours is buried
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
