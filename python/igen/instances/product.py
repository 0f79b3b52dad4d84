"""What differs between kinds of servers. A new kind is one file and one word in `products.py`."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from igen.errors import InputError

if TYPE_CHECKING:
    from igen.instances.instance import Instance

USER = "igen"
DATABASE = "igen"

Command = Sequence[str]


class Product(Protocol):
    """A kind of server."""

    name: str
    scheme: str
    """Of its targets."""
    package: str
    """Debian's."""
    account: str
    """Whose server it is where we are root, because servers refuse to be root's."""
    first_port: int
    stop_signal: signal.Signals
    """Ends it soon, its connections included, and leaves its data consistent."""
    needs: Needs

    def initialise(self, instance: Instance) -> Command:
        """Makes an empty data folder."""

    def serve(self, instance: Instance) -> Command:
        """Runs until it is stopped."""

    def ready(self, instance: Instance) -> Command:
        """Succeeds once it answers."""

    def create(self, instance: Instance) -> Command:
        """Creates the database, once."""

    def socket(self, instance: Instance) -> Path:
        """Where its Unix socket is, as a target names it."""

    def socket_target(self, instance: Instance) -> str:
        """Its database over the Unix socket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What an instance takes, measured on an empty one."""

    memory_bytes: int
    """Beside its cache."""
    connection_bytes: int
    """Of each connection."""
    disk_bytes: int
    """Before anything is loaded."""


def program(product: Product, name: str, folders: Sequence[Path]) -> str:
    """The path of a program. Raises `InputError` when it is not installed."""
    for folder in folders:
        if (folder / name).exists():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise InputError(
            f"{product.name} is not installed: there is no program {name}",
            hint=f"install Debian's package: apt-get install {product.package}",
        )
    return found
