"""What instances will take of memory and disk, told before they take it."""

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
    """What one instance takes."""

    product: Product
    settings: tuple[tuple[str, str], ...] = ()
    """Its own settings, by which it takes more or less."""
    cache_bytes: int
    max_connections: int
    is_new: bool
    """Its data are yet to be made."""
    load_bytes: int = 0
    """What will be loaded into it if it is new."""

    @property
    def needs(self) -> Needs:
        """The needs of an instance with its settings. Raises `InputError` where they are wrong."""
        return self.product.needs_of(dict(self.settings))

    @property
    def memory_bytes(self) -> int:
        """Its cache when it is full, and connections that are all open and have worked."""
        needs = self.needs
        return self.cache_bytes + needs.memory_bytes + self.max_connections * needs.connection_bytes

    @property
    def disk_bytes(self) -> int:
        """Disk for its data with what will be loaded, and for its log under load."""
        needs = self.needs
        return (needs.disk_bytes + needs.log_bytes + self.load_bytes) * self.is_new

    def sentence(self, count: int) -> str:
        """For the user, of `count` such instances."""
        needs = self.needs
        cache = f"cache {format_bytes(self.cache_bytes)}, " * (self.cache_bytes > 0)
        memory = (
            f"{format_bytes(self.memory_bytes)} of memory at most ({cache}"
            f"server {format_bytes(needs.memory_bytes)}, {self.max_connections} connections of "
            f"{format_bytes(needs.connection_bytes)} each)"
        )
        log = f" and up to {format_bytes(needs.log_bytes)} of log under load" * (needs.log_bytes > 0)
        loaded = "with what is loaded" if self.load_bytes else "before anything is loaded"
        disk = (
            f"{format_bytes(needs.disk_bytes + self.load_bytes)} of disk {loaded}{log}"
            if self.is_new
            else "the disk that its data take already"
        )
        return f"{count} × {self.product.name}{', each' * (count > 1)}: {memory}; {disk}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Free:
    """What this machine, or the container on it, has left."""

    memory_bytes: int
    disk_bytes: int

    def sentence(self) -> str:
        """For the user."""
        return f"free: {format_bytes(self.memory_bytes)} of memory, {format_bytes(self.disk_bytes)} of disk"

    def check(self, demands: Sequence[Demand]) -> None:
        """Raises `InputError` where there is not enough for all of them."""
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
                    f"{format_bytes(needed_bytes)} of {what} are more than the {format_bytes(free_bytes)} "
                    "that are free",
                    hint=f"{remedy}, or go on with --force",
                )


def free(directory: Path) -> Free:
    """What is left for a directory, which need not be there yet."""
    existing = next(path for path in (directory, *directory.parents) if path.exists())
    return Free(
        memory_bytes=available_bytes(),
        disk_bytes=shutil.disk_usage(existing).free,
    )


def used_disk_bytes(folder: Path) -> int:
    """What a folder takes on disk."""
    total = 0
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            # Servers remove files and folders all the time.
            with suppress(OSError):
                total += os.lstat(f"{parent}/{name}").st_blocks * 512
    return total
