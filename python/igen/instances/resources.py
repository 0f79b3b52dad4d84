"""Memory and disk space of instances, checked before they are created."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from igen.errors import InputError
from igen.instances.memory import available_bytes
from igen.instances.product import Needs, Product
from igen.units import format_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """Needs of an instance."""

    product: Product
    settings: tuple[tuple[str, str], ...] = ()
    """Settings that change its needs."""
    cache_bytes: int
    max_connections: int
    is_new: bool
    """True if its data do not exist yet."""
    load_bytes: int = 0
    """Bytes that will be loaded into a new instance."""

    @property
    def needs(self) -> Needs:
        """Return the needs of an instance with its settings. Raises `InputError` if they are wrong."""
        return self.product.needs_of(dict(self.settings))

    @property
    def memory_bytes(self) -> int:
        """Return its memory with a full cache and all connections in use."""
        needs = self.needs
        return self.cache_bytes + needs.memory_bytes + self.max_connections * needs.connection_bytes

    @property
    def disk_bytes(self) -> int:
        """Return the disk space for its data, for loaded data and for its log under load."""
        needs = self.needs
        return (needs.disk_bytes + needs.log_bytes + self.load_bytes) * self.is_new

    def sentence(self, count: int) -> str:
        """Return a text about `count` such instances."""
        needs = self.needs
        cache = f"cache {format_bytes(self.cache_bytes)}, " * (self.cache_bytes > 0)
        memory = (
            f"up to {format_bytes(self.memory_bytes)} of memory ({cache}"
            f"server {format_bytes(needs.memory_bytes)}, {self.max_connections} connections of "
            f"{format_bytes(needs.connection_bytes)} each)"
        )
        log = f" and up to {format_bytes(needs.log_bytes)} of log under load" * (needs.log_bytes > 0)
        loaded = "with the loaded data" if self.load_bytes else "before data is loaded"
        disk = (
            f"{format_bytes(needs.disk_bytes + self.load_bytes)} of disk {loaded}{log}"
            if self.is_new
            else "no more disk than its existing data"
        )
        return f"{count} × {self.product.name}{', each' * (count > 1)}: {memory}; {disk}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Free:
    """Free memory and disk space of this machine or container."""

    memory_bytes: int
    disk_bytes: int

    def sentence(self) -> str:
        """Return a text about the free resources."""
        return f"free: {format_bytes(self.memory_bytes)} of memory, {format_bytes(self.disk_bytes)} of disk"

    def check(self, demands: Sequence[Demand]) -> None:
        """Raise `InputError` if they are not enough for all instances."""
        for what, remedy, needed_bytes, free_bytes in (
            (
                "memory",
                "use fewer instances, a smaller --memory or fewer --max-connections",
                sum(demand.memory_bytes for demand in demands),
                self.memory_bytes,
            ),
            (
                "disk",
                "make space or choose another --directory",
                sum(demand.disk_bytes for demand in demands),
                self.disk_bytes,
            ),
        ):
            if needed_bytes > free_bytes:
                raise InputError(
                    f"not enough {what}: {format_bytes(needed_bytes)} needed, {format_bytes(free_bytes)} "
                    "free",
                    hint=f"{remedy}, or ignore this with --force",
                )


def free(directory: Path) -> Free:
    """Return the free resources for a directory, which need not exist yet."""
    existing = next(path for path in (directory, *directory.parents) if path.exists())
    return Free(
        memory_bytes=available_bytes(),
        disk_bytes=shutil.disk_usage(existing).free,
    )


def used_disk_bytes(folder: Path) -> int:
    """Return the disk space of a folder."""
    total = 0
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            # Servers remove files and folders all the time.
            with suppress(OSError):
                total += os.lstat(f"{parent}/{name}").st_blocks * 512
    return total
