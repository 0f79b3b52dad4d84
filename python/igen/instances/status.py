"""The current state of an instance."""

from __future__ import annotations

from dataclasses import dataclass

from igen.instances import process
from igen.instances.instance import Instance
from igen.instances.products import PRODUCTS
from igen.instances.resources import used_disk_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceStatus:
    """An instance now."""

    name: str
    state: str
    """`running`, `stopped`, `lost` where it ended without being stopped, or `starting` until it is ready: for
    ever where the start was cut off.
    """
    target: str
    socket_target: str
    port: int
    pid: int | None
    memory_bytes: int | None
    """Memory with shared pages counted once (PSS); None if it is not running or without permission."""
    disk_bytes: int
    cache_bytes: int
    max_connections: int
    durable: bool
    settings: dict[str, str]
    version: str
    created_unix_s: int
    folder: str
    log: str
    tiers: dict[str, list[int]]
    """Process ids by tier, if it has tiers and is running."""


def target(instance: Instance) -> str:
    """Return its database over TCP."""
    return PRODUCTS[instance.kind].target(instance.folder, instance.port)


def socket_target(instance: Instance) -> str:
    """Return its database over the Unix socket."""
    return PRODUCTS[instance.kind].socket_target(instance)


def status(instance: Instance) -> InstanceStatus:
    """The current state of an instance."""
    pid = instance.pid
    product = PRODUCTS[instance.kind]
    running = process.runs(product, instance)
    state = "running" if process.is_ready(product, instance) else "starting" if running else ""
    return InstanceStatus(
        name=instance.name,
        state=state or ("lost" if pid else "stopped"),
        target=target(instance),
        socket_target=socket_target(instance),
        port=instance.port,
        pid=pid if running else None,
        memory_bytes=process.memory_bytes(pid) if running else None,
        disk_bytes=used_disk_bytes(instance.folder),
        cache_bytes=instance.cache_bytes,
        max_connections=instance.max_connections,
        durable=instance.durable,
        settings=instance.settings,
        version=instance.version,
        created_unix_s=instance.created_unix_s,
        folder=str(instance.folder),
        log=str(instance.log),
        tiers=product.tiers(instance),
    )
