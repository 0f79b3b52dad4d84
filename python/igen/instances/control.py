"""Instances up, down and listed."""

from __future__ import annotations

import shutil
import socket
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from igen.errors import IgenError, InputError, Interrupted
from igen.instances import process
from igen.instances.instance import RECORD, Instance, all_in, default_directory, read
from igen.instances.product import DATABASE, USER, Product
from igen.instances.products import PRODUCTS, product_of
from igen.instances.resources import demand, disk_bytes

DEFAULT_CACHE_BYTES = 128 << 20
DEFAULT_CONNECTIONS = 200
_AT_ONCE = 4
"""Starts at the same time: more only wait for the same disk."""
_START_LIMIT_S = 60.0
_LONGEST_SOCKET = 100
"""Bytes; the system allows 107 for the path of a socket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What each instance should be."""

    port_from: int | None = None
    """Of the first instance; the others follow. The kind's own when None."""
    cache_bytes: int = DEFAULT_CACHE_BYTES
    max_connections: int = DEFAULT_CONNECTIONS
    settings: Mapping[str, str] | None = None
    """Of the server, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """An instance now."""

    name: str
    state: str
    """`running`, `stopped`, or `lost` where it ended without being stopped."""
    target: str
    socket_target: str
    port: int
    pid: int | None
    memory_bytes: int | None
    disk_bytes: int
    folder: str


def target(instance: Instance) -> str:
    """Its database over TCP."""
    return f"{PRODUCTS[instance.kind].scheme}://{USER}@127.0.0.1:{instance.port}/{DATABASE}"


def socket_target(instance: Instance) -> str:
    """Its database over the Unix socket."""
    return PRODUCTS[instance.kind].socket_target(instance)


def up(
    kind: str,
    count: int,
    directory: Path | None = None,
    *,
    wish: Wish | None = None,
    force: bool = False,
    say: Callable[[str], None] = lambda _text: None,
    stopped: Callable[[], bool] = lambda: False,
) -> list[Instance]:
    """Sees to it that instances 1 to `count` of a kind run; those that were made before keep what they are.

    `say` is told what goes on. When `stopped` becomes true, or one fails, those that were just started are
    stopped again. Raises `InputError` before anything is made where there is not enough memory or disk.
    """
    product = product_of(kind)
    wish = wish or Wish()
    directory = (directory or default_directory()).absolute()
    made = {one.number: one for one in all_in(directory) if one.kind == kind}
    missing = [number for number in range(1, count + 1) if number not in made]
    for number in missing:
        _check_new(product, directory / f"{kind}-{number}", _port(product, wish, number))
    if missing:
        asked = demand(product, len(missing), wish.cache_bytes, wish.max_connections, directory)
        say(asked.sentence(kind))
        if not force:
            asked.check()
    wanted = [made.get(number) or _make(product, directory, number, wish) for number in range(1, count + 1)]
    to_start = [one for one in wanted if not process.runs(one)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        jobs = {one.number: pool.submit(_start, product, one, say, stopped) for one in to_start}
    failed = next((error for job in jobs.values() if (error := job.exception())), None)
    if failed or stopped():
        for job in jobs.values():
            if not job.exception():
                process.stop(product, job.result())
        for number in missing:
            _discard_unborn(directory / f"{kind}-{number}")
    if stopped():
        raise Interrupted("interrupted: what was started is stopped")
    if failed:
        raise failed
    return [jobs[one.number].result() if one.number in jobs else one for one in wanted]


def start(instance: Instance) -> Instance:
    """Starts an instance that does not run."""
    return _start(PRODUCTS[instance.kind], instance, lambda _text: None, lambda: False)


def stop(instance: Instance) -> None:
    """Stops an instance; its data stay."""
    process.stop(PRODUCTS[instance.kind], instance)
    read(instance.folder).started(0)


def kill(instance: Instance) -> None:
    """Ends an instance as a crash would, all of its processes with SIGKILL."""
    process.kill(instance)


def remove(instance: Instance) -> None:
    """Stops an instance and removes it with its data."""
    process.stop(PRODUCTS[instance.kind], instance)
    if instance.run_folder != instance.folder:
        shutil.rmtree(instance.run_folder, ignore_errors=True)
    shutil.rmtree(instance.folder)


def status(instance: Instance) -> Status:
    """What an instance is now."""
    running = process.runs(instance)
    return Status(
        name=instance.name,
        state="running" if running else "lost" if instance.pid else "stopped",
        target=target(instance),
        socket_target=socket_target(instance),
        port=instance.port,
        pid=instance.pid if running else None,
        memory_bytes=process.memory_bytes(instance) if running else None,
        disk_bytes=disk_bytes(instance.folder),
        folder=str(instance.folder),
    )


def selected(directory: Path | None, kind: str | None, numbers: Sequence[int] = ()) -> list[Instance]:
    """The instances of a kind (all kinds when None) with these numbers (all when empty)."""
    if kind is not None:
        product_of(kind)
    found = [one for one in all_in(directory or default_directory()) if kind in (None, one.kind)]
    unknown = sorted(set(numbers) - {one.number for one in found})
    if unknown:
        raise InputError(f"there is no instance {unknown[0]}", hint="`igen instances list` shows them")
    return [one for one in found if not numbers or one.number in numbers]


def _port(product: Product, wish: Wish, number: int) -> int:
    return (wish.port_from or product.first_port) + number - 1


def _check_new(product: Product, folder: Path, port: int) -> None:
    if folder.exists():
        raise InputError(
            f"there is a folder that holds no instance (no {RECORD})",
            where=str(folder),
            hint="remove it, or choose another --directory",
        )
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", port))
        except OSError as error:
            raise InputError(
                f"port {port} of 127.0.0.1 is in use", hint="choose other ports with --port-from"
            ) from error
    # Programs that are missing are told before anything is made.
    product.serve(
        Instance(
            kind=product.name,
            number=0,
            folder=folder,
            run_folder=folder,
            port=port,
            cache_bytes=0,
            max_connections=0,
        )
    )


def _make(product: Product, directory: Path, number: int, wish: Wish) -> Instance:
    folder = directory / f"{product.name}-{number}"
    folder.mkdir(parents=True)
    process.check_reachable(product, folder)
    process.give(product, folder)
    instance = Instance(
        kind=product.name,
        number=number,
        folder=folder,
        run_folder=folder,
        port=_port(product, wish, number),
        cache_bytes=wish.cache_bytes,
        max_connections=wish.max_connections,
        settings=dict(wish.settings or {}),
    )
    if len(str(folder)) + len("/.s.PGSQL.65535.lock") > _LONGEST_SOCKET:
        short = Path(tempfile.mkdtemp(prefix="igen-"))
        process.give(product, short)
        instance = replace(instance, run_folder=short)
    instance.write()
    return instance


def _start(
    product: Product, instance: Instance, say: Callable[[str], None], stopped: Callable[[], bool]
) -> Instance:
    if not instance.data.exists():
        say(f"{instance.name}: making an empty database")
        process.execute(product, product.initialise(instance))
    instance = instance.started(process.serve(product, instance))
    try:
        process.wait_ready(product, instance, _START_LIMIT_S, stopped)
        process.execute(product, product.create(instance))
    except IgenError:
        process.stop(product, instance)
        raise
    say(f"{instance.name}: ready on port {instance.port}")
    return instance


def _discard_unborn(folder: Path) -> None:
    """Removes an instance that was made by this call and never became ready."""
    if (folder / RECORD).exists() and not process.runs(read(folder)):
        remove(read(folder))
