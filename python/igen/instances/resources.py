"""What instances will take of memory and disk, told before they take it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from igen.errors import InputError
from igen.instances.product import Product
from igen.units import format_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """What some instances of a kind take, and what there is."""

    count: int
    memory_bytes: int
    """Of each: its cache when it is full, and connections that are all open."""
    disk_bytes: int
    """Of each, before anything is loaded."""
    free_memory_bytes: int
    free_disk_bytes: int
    directory: Path

    def sentence(self, name: str) -> str:
        """For the user, before anything is started."""
        each = " each" if self.count > 1 else ""
        return (
            f"{self.count} × {name}: up to {format_bytes(self.memory_bytes)} of memory and "
            f"{format_bytes(self.disk_bytes)} of disk{each} before anything is loaded; "
            f"{format_bytes(self.free_memory_bytes)} and {format_bytes(self.free_disk_bytes)} are free"
        )

    def check(self) -> None:
        """Raises `InputError` where there is not enough."""
        for what, needed, free, remedy in (
            (
                "memory",
                self.memory_bytes,
                self.free_memory_bytes,
                "use fewer instances or a smaller --memory",
            ),
            ("disk", self.disk_bytes, self.free_disk_bytes, f"make space in {self.directory}"),
        ):
            if self.count * needed > free:
                raise InputError(
                    f"{self.count} × {format_bytes(needed)} of {what} are more than the "
                    f"{format_bytes(free)} that are free",
                    hint=f"{remedy}, or go on with --force",
                )


def demand(product: Product, count: int, cache_bytes: int, max_connections: int, directory: Path) -> Demand:
    """What `count` instances would take."""
    needs = product.needs
    existing = next(path for path in (directory, *directory.absolute().parents) if path.exists())
    return Demand(
        count=count,
        memory_bytes=cache_bytes + needs.memory_bytes + max_connections * needs.connection_bytes,
        disk_bytes=needs.disk_bytes,
        free_memory_bytes=_available_memory_bytes(),
        free_disk_bytes=shutil.disk_usage(existing).free,
        directory=existing,
    )


def disk_bytes(folder: Path) -> int:
    """What a folder takes on disk."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_blocks * 512
        except OSError:
            # Servers remove files all the time.
            continue
    return total


def _available_memory_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0
