"""Instances up and down."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from igen.errors import InputError, Interrupted
from igen.instances import data_folder, process
from igen.instances.account import check_reachable, make_folder
from igen.instances.data_folder import Feed
from igen.instances.instance import RECORD, Instance, all_in, default_directory
from igen.instances.port import is_free
from igen.instances.product import Product
from igen.instances.products import PRODUCTS, product_of
from igen.instances.resources import Demand, free
from igen.instances.status import InstanceStatus, socket_target, status, target
from igen.own_folder import only_one
from igen.units import format_bytes

__all__ = ["Feed", "InstanceStatus", "socket_target", "status", "target"]

Say = Callable[[str], None]

DEFAULT_CONNECTIONS = 200
_AT_ONCE = 4
"""Most instances that start at the same time: more would wait for the same disk."""
_START_LIMIT_S = 60.0
_LOOK_UP_S = 0.2
_DOING = "starting or stopping instances"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Wanted properties of each instance."""

    port_from: int | None = None
    """Port of the first instance; the others follow. None is the kind's default."""
    cache_bytes: int | None = None
    """None is the kind's default."""
    max_connections: int = DEFAULT_CONNECTIONS
    durable: bool = True
    """False: commits do not wait for the disk, and a crash of the machine may cost all data."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of the server by name; they override all other settings."""
    load_bytes: int = 0
    """Disk space of the data that will be loaded into each new instance."""

    def differences(self, instance: Instance) -> Iterator[str]:
        """Yield differences between an instance and its wanted properties, except the port."""
        if self.cache_bytes not in (None, instance.cache_bytes):
            has, wished = map(format_bytes, (instance.cache_bytes, self.cache_bytes or 0))
            yield f"a cache of {has} instead of {wished}"
        if self.max_connections != instance.max_connections:
            yield f"{instance.max_connections} connections instead of {self.max_connections}"
        if self.durable != instance.durable:
            yield (
                "commits that wait for the disk"
                if instance.durable
                else "commits that do not wait for the disk"
            )
        for name in dict.fromkeys([*self.settings, *instance.settings]):
            there, asked = instance.settings.get(name), self.settings.get(name)
            if there != asked:
                yield f"{_setting(name, there)} instead of {_setting(name, asked)}"


def _setting(name: str, value: str | None) -> str:
    return f"the default of {name}" if value is None else f"{name}={value}"


def up(
    kind: str,
    count: int,
    directory: Path | None = None,
    *,
    wish: Wish | None = None,
    feed: Feed | None = None,
    force: bool = False,
    say: Say = lambda _text: None,
    warn: Say = lambda _text: None,
    stopped: Callable[[], bool] = lambda: False,
) -> list[Instance]:
    """Sees to it that instances 1 to `count` of a kind run; those that were made before keep what they are.

    New ones are loaded with what `feed` gives where their kind has a bulk loader. `say` is told what goes
    on, from several threads, `warn` what is not as it is wished for. When `stopped` becomes true, or one
    fails, those that were just started are stopped, and those that were just made removed. Raises
    `InputError` before an instance is made where there is not enough memory or disk, and `Interrupted`.
    """
    product = product_of(kind)
    wish = wish or Wish()
    feed = feed if product.bulk_loader else None
    directory = (directory or default_directory()).resolve()
    with _only_one(product, directory):
        every = all_in(directory)
        made = {one.number: one for one in every if one.kind == kind}
        missing = [number for number in range(1, count + 1) if number not in made]
        new = _described(product, directory, missing, wish)
        for one in new:
            _check_new(one, taken={other.port: other.name for other in every})
        found = [made[number] for number in range(1, count + 1) if number in made]
        idle = [one for one in found if not process.is_ready(product, one)]
        _check_resources(product, new, idle, directory, wish.load_bytes, force=force, say=say)
        for one in found:
            if differences := "; ".join(wish.differences(one)):
                warn(
                    f"{one.name} already exists with {differences} and is not changed; `igen instances down"
                    f" {kind} --number {one.number} --remove` removes it with its data"
                )
        for one in new:
            one.folder.mkdir()
            one.folder.chmod(0o755)
            one.write()
        try:
            _start_all(product, [*new, *idle], feed, say, stopped)
            if stopped():
                raise Interrupted("interrupted")
        except BaseException as error:
            for one in idle:
                stop(one)
            for one in new:
                remove(one)
            if stopped():
                raise Interrupted("interrupted: started instances were stopped") from error
            raise
    return sorted([*found, *new], key=lambda one: one.number)


def down(
    directory: Path | None = None,
    kind: str | None = None,
    numbers: Sequence[int] = (),
    *,
    remove_data: bool = False,
    say: Say = lambda _text: None,
) -> None:
    """Stop `selected` instances, and remove them with their data on request."""

    def end(instance: Instance) -> None:
        (remove if remove_data else stop)(instance)
        say(f"{instance.name}: {'removed' if remove_data else 'stopped'}")

    directory = (directory or default_directory()).resolve()
    if not selected(directory, kind, numbers):
        return
    with only_one(directory, _DOING), ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(end, selected(directory, kind, numbers)))


def start(instance: Instance) -> None:
    """Start an instance that is not running. Raises `IgenError` with the end of its log."""
    _start(PRODUCTS[instance.kind], instance, None, lambda _text: None, lambda: False)


def stop(instance: Instance) -> None:
    """Stop an instance and keep its data."""
    process.stop(PRODUCTS[instance.kind], instance)


def kill(instance: Instance) -> None:
    """End an instance as a crash would: all its processes with SIGKILL."""
    process.kill(PRODUCTS[instance.kind], instance)


def remove(instance: Instance) -> None:
    """Stop an instance and remove it with its data."""
    stop(instance)
    # The record goes last: what is left of an interrupted removal is still an instance.
    for folder in (instance.run_folder, instance.data, instance.folder):
        if folder.exists():
            shutil.rmtree(folder)


def administer(instance: Instance, text: str, database: str | None = None) -> str:
    """Execute SQL or LDIF as administrator, and return the output of the server's client."""
    product = PRODUCTS[instance.kind]
    return process.execute(product, product.administer(instance, database), text).strip()


def awaits_load(instance: Instance) -> bool:
    """Return True if it is running, empty, and can be loaded in bulk."""
    product = PRODUCTS[instance.kind]
    if product.bulk_loader is None or not process.is_ready(product, instance):
        return False
    return not process.execute(product, product.bulk_loader.look(instance)).strip()


def bulk_load(instance: Instance, feed: Feed, stopped: Callable[[], bool] = lambda: False) -> None:
    """Load an empty instance, which is stopped meanwhile; after an interrupt it is empty again."""
    stop(instance)
    try:
        data_folder.make(PRODUCTS[instance.kind], instance, feed, stopped)
    finally:
        start(instance)


def selected(directory: Path | None, kind: str | None, numbers: Sequence[int] = ()) -> list[Instance]:
    """Return the instances of a kind (None: all kinds) with these numbers (empty: all numbers)."""
    if kind is not None:
        product_of(kind)
    directory = (directory or default_directory()).resolve()
    found = [one for one in all_in(directory) if kind in (None, one.kind)]
    unknown = sorted(set(numbers) - {one.number for one in found})
    if unknown:
        raise InputError(f"there is no instance {unknown[0]}", hint="`igen instances list` shows them")
    return [one for one in found if not numbers or one.number in numbers]


def of_known_kinds() -> list[Instance]:
    """Return all instances of this user with a known kind. Raises `IgenError` if a record is broken."""
    return [one for one in selected(None, None) if one.kind in PRODUCTS]


def _described(product: Product, directory: Path, numbers: list[int], wish: Wish) -> list[Instance]:
    """Return new instances before they are created. Raises `InputError` if the server is not installed."""
    version = process.execute(product, product.version()).strip() if numbers else ""
    own = product.needs.cache_bytes
    if wish.cache_bytes and not own:
        raise InputError(
            f"{product.name} has no cache: it uses the cache of the operating system",
            where="--memory",
            hint="leave it out",
        )
    return [
        Instance(
            kind=product.name,
            number=number,
            folder=directory / f"{product.name}-{number}",
            port=(wish.port_from or product.first_port) + number - 1,
            cache_bytes=own if wish.cache_bytes is None else wish.cache_bytes,
            max_connections=wish.max_connections,
            durable=wish.durable,
            settings=dict(wish.settings),
            version=version,
            created_unix_s=int(time.time()),
        )
        for number in numbers
    ]


def _check_new(instance: Instance, taken: Mapping[int, str]) -> None:
    """Raise `InputError` if its folder or port is not free; `taken` are the ports of other instances."""
    if instance.folder.exists():
        raise InputError(
            f"the folder exists and is not an instance (no {RECORD})",
            where=str(instance.folder),
            hint="remove it, or choose another --directory",
        )
    port, hint = instance.port, "choose other ports with --port-from"
    if port in taken:
        raise InputError(f"port {port} belongs to {taken[port]}", hint=hint)
    if not 0 < port < 1 << 16:
        raise InputError(f"{port} is not a port: ports go from 1 to 65,535", hint=hint)
    if not is_free(port):
        raise InputError(f"port {port} of 127.0.0.1 is in use", hint=hint)


def _check_resources(
    product: Product,
    new: list[Instance],
    idle: list[Instance],
    directory: Path,
    load_bytes: int,
    *,
    force: bool,
    say: Say,
) -> None:
    demands = [
        Demand(
            product=product,
            settings=tuple(one.settings.items()),
            cache_bytes=one.cache_bytes,
            max_connections=one.max_connections,
            is_new=one in new,
            load_bytes=load_bytes,
        )
        for one in [*new, *idle]
    ]
    if not demands:
        return
    for demand, count in Counter(demands).items():
        say(demand.sentence(count))
    left = free(directory)
    say(left.sentence())
    if not force:
        left.check(demands)


@contextmanager
def _only_one(product: Product, directory: Path) -> Iterator[None]:
    """Lock the directory against other commands that start or stop instances; create it if missing."""
    if not directory.exists():
        directory.mkdir(parents=True)
        directory.chmod(0o755)
    check_reachable(product, directory)
    with only_one(directory, _DOING):
        yield


def _start_all(
    product: Product, instances: list[Instance], feed: Feed | None, say: Say, stopped: Callable[[], bool]
) -> None:
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        jobs = [pool.submit(_start, product, one, feed, say, stopped) for one in instances]
        try:
            _wait_for(jobs)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _wait_for(jobs: Iterable[Future[None]]) -> None:
    """Waits until all are done, or one has failed, whose error it raises.

    It looks up several times a second: a signal that comes to another thread, or just before this one begins
    to wait, is handled only when this one goes on.
    """
    waiting = set(jobs)
    while waiting:
        done, waiting = wait(waiting, _LOOK_UP_S, FIRST_COMPLETED)
        for job in done:
            job.result()


def _start(
    product: Product, instance: Instance, feed: Feed | None, say: Say, stopped: Callable[[], bool]
) -> None:
    if stopped():
        raise Interrupted(f"{instance.name} was not started")
    stop(instance)  # what is left of a start that was cut off
    if not instance.data.exists():
        if product.keeps_data:
            say(f"{instance.name}: {'loading a new' if feed else 'creating an empty'} database")
        data_folder.make(product, instance, feed, stopped)
    data_folder.configure(product, instance, instance.data)
    make_folder(product, instance.run_folder)
    server = process.serve(product, instance)
    try:
        process.wait_ready(product, instance, server, _START_LIMIT_S, stopped)
        administer(instance, product.provision)
        process.mark_ready(instance)
    except BaseException:
        stop(instance)
        raise
    say(f"{instance.name}: ready on port {instance.port}")
