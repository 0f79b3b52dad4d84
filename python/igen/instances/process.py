"""Processes of instances: started, known again, stopped by their id."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from igen.errors import IgenError
from igen.instances.account import as_account
from igen.instances.instance import Instance
from igen.instances.product import Command, Product

_LOOK_EVERY_S = 0.05
_STOP_LIMIT_S = 60.0
_LOG_LINES = 12
_WITH_PID_FILE = 'echo $$ > "$0" && exec "$@"'
"""The process writes its pid and then becomes the server: none is ever without it, whatever ends iGen."""


def execute(product: Product, command: Command, text: str = "") -> str:
    """Runs a command as the server's account and returns what it prints; `text` is its standard input.

    Raises `IgenError` with its last words.
    """
    done = subprocess.run(
        as_account(product, command), input=text, check=False, capture_output=True, text=True, cwd="/"
    )
    if done.returncode != 0:
        raise failed(command, done.stderr or done.stdout)
    return done.stdout


def failed(command: Command, said: str) -> IgenError:
    """The error of a command, with its last words."""
    words = said.strip().splitlines()[-_LOG_LINES:]
    return IgenError(f"{Path(command[0]).name} failed: " + "\n  ".join(words))


def serve(product: Product, instance: Instance) -> subprocess.Popen[bytes]:
    """Starts the server, which goes on when iGen ends, and which Ctrl-C does not reach."""
    command = ["sh", "-c", _WITH_PID_FILE, str(instance.pid_file), *product.serve(instance)]
    with instance.log.open("ab") as log:
        return subprocess.Popen(
            as_account(product, command),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def wait_ready(
    product: Product,
    instance: Instance,
    server: subprocess.Popen[bytes],
    limit_s: float,
    stopped: Callable[[], bool],
) -> None:
    """Waits until it answers. Raises `IgenError` with the end of its log when it does not."""
    deadline_s = time.monotonic() + limit_s
    while not _answers(product, instance):
        if server.poll() is not None or time.monotonic() > deadline_s or stopped():
            why = "was interrupted" if stopped() else "did not start"
            lines = instance.log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
            raise IgenError("\n  ".join([f"{instance.name} {why}", *lines]), where=str(instance.log))
        time.sleep(_LOOK_EVERY_S)


def _answers(product: Product, instance: Instance) -> bool:
    try:
        execute(product, product.administer(instance, None), product.ping)
    except IgenError:
        return False
    return True


def runs(product: Product, instance: Instance) -> bool:
    """Whether the process of its last start is still that server, and no other that got the same pid."""
    pid = instance.pid
    if pid <= 0:
        return False
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return False
    return Path(words[0]).name == product.server and any(f"{instance.folder}/" in word for word in words[1:])


def stop(product: Product, instance: Instance) -> None:
    """Ends the server, by force where it takes too long."""
    if runs(product, instance):
        pid = instance.pid
        os.kill(pid, product.stop_signal)
        if not _ended([pid]):
            kill(product, instance)
    instance.pid_file.unlink(missing_ok=True)


def kill(product: Product, instance: Instance) -> None:
    """Ends the server and all of its processes with SIGKILL, and waits until they are gone."""
    if not runs(product, instance):
        return
    tree = process_tree(instance.pid)
    for pid in tree:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    if not _ended(tree):
        raise IgenError(f"{instance.name} (process {tree[0]}) does not end")


def process_tree(pid: int) -> list[int]:
    """A process and all that descend from it."""
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
    """What a process and its descendants take, shared pages counted once; None where that is secret."""
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
    """Whether they end within the limit."""
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
