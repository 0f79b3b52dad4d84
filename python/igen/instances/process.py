"""Processes of instances: started without root's rights, known again, stopped by their id."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from igen.errors import IgenError, InputError
from igen.instances.instance import Instance
from igen.instances.product import Command, Product

_LOOK_EVERY_S = 0.05
_STOP_LIMIT_S = 60.0
_LOG_LINES = 12


def as_account(product: Product, command: Command) -> list[str]:
    """`command` without root's rights where we have them; setpriv becomes it, so that its pid stays."""
    if os.geteuid() != 0:
        return [*command]
    account = product.account
    return ["setpriv", f"--reuid={account}", f"--regid={account}", "--init-groups", *command]


def give(product: Product, folder: Path) -> None:
    """Gives a folder to the server's account."""
    if os.geteuid() == 0:
        shutil.chown(folder, product.account, product.account)


def check_reachable(product: Product, folder: Path) -> None:
    """Raises `InputError` where the server's account may not enter a folder."""
    test = as_account(product, ["test", "-x", str(folder)])
    if subprocess.run(test, check=False).returncode != 0:
        raise InputError(
            f"the user {product.account}, as whom {product.name} runs, may not enter it",
            where=str(folder),
            hint="choose another --directory, such as one below /var/tmp, or give others the right to enter",
        )


def execute(product: Product, command: Command) -> None:
    """Runs a command of the server's to its end. Raises `IgenError` with its last words."""
    done = subprocess.run(as_account(product, command), check=False, capture_output=True, text=True, cwd="/")
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip().splitlines()[-_LOG_LINES:]
        raise IgenError(f"{Path(command[0]).name} failed: " + "\n  ".join(words))


def serve(product: Product, instance: Instance) -> int:
    """Starts the server, which goes on when iGen ends; returns its pid."""
    with instance.log.open("a", encoding="utf-8") as log:
        process = subprocess.Popen(
            as_account(product, product.serve(instance)),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    return process.pid


def wait_ready(product: Product, instance: Instance, limit_s: float, stopped: Callable[[], bool]) -> None:
    """Waits until it answers. Raises `IgenError` with the end of its log when it does not."""
    deadline_s = time.monotonic() + limit_s
    ready = as_account(product, product.ready(instance))
    while subprocess.run(ready, check=False, capture_output=True, cwd="/").returncode != 0:
        _reap(instance.pid)
        if not runs(instance) or time.monotonic() > deadline_s or stopped():
            why = "was interrupted" if stopped() else "did not start"
            lines = instance.log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LOG_LINES:]
            raise IgenError("\n  ".join([f"{instance.name} {why}", *lines]), where=str(instance.log))
        time.sleep(_LOOK_EVERY_S)


def runs(instance: Instance) -> bool:
    """Whether the process of its last start is still that server, and no other that got the same pid."""
    if instance.pid <= 0:
        return False
    try:
        words = Path(f"/proc/{instance.pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(str(instance.data).encode() in word for word in words)


def stop(product: Product, instance: Instance) -> None:
    """Ends the server, by force where it takes too long."""
    if not runs(instance):
        return
    os.kill(instance.pid, product.stop_signal)
    if not _ended(instance, _STOP_LIMIT_S):
        kill(instance)


def kill(instance: Instance) -> None:
    """Ends the server and all of its processes with SIGKILL, and waits until they are gone."""
    if not runs(instance):
        return
    tree = process_tree(instance.pid)
    for pid in tree:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    if not _ended(instance, _STOP_LIMIT_S):
        raise IgenError(f"{instance.name} (process {instance.pid}) does not end")
    deadline_s = time.monotonic() + _STOP_LIMIT_S
    while any(_lives(pid) for pid in tree) and time.monotonic() < deadline_s:
        time.sleep(_LOOK_EVERY_S)


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


def memory_bytes(instance: Instance) -> int | None:
    """What its processes take, pages that they share counted once; None where that may not be read."""
    total = 0
    for pid in process_tree(instance.pid) if runs(instance) else []:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        except ProcessLookupError:
            continue
        except OSError:
            return None
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    return total


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _ended(instance: Instance, limit_s: float) -> bool:
    deadline_s = time.monotonic() + limit_s
    while _lives(instance.pid):
        if time.monotonic() > deadline_s:
            return False
        time.sleep(_LOOK_EVERY_S)
        _reap(instance.pid)
    _reap(instance.pid)
    return True


def _reap(pid: int) -> None:
    """Buries it if it is our child."""
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
