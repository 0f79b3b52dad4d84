"""What differs between kinds of servers. A new kind is one file and one word in `products.py`."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from igen.errors import InputError

if TYPE_CHECKING:
    from igen.instances.instance import Instance

USER = "igen"
"""Who loads: needs no password, and owns its database and no more of the server than its figures."""
DATABASE = "igen"

Command = Sequence[str]


class Product(Protocol):
    """A kind of server."""

    name: str
    scheme: str
    """Of its targets."""
    package: str
    """Debian's."""
    server: str
    """The name of the program that serves, by which a process is known again."""
    account: str
    """Whose server it is where we are root, because servers refuse to be root's."""
    first_port: int
    stop_signal: signal.Signals
    """Ends it soon, its connections included, and leaves its data consistent."""
    needs: Needs
    provision: str
    """SQL that makes user and database where they are not there; may run at every start."""

    def version(self) -> Command:
        """Prints the server's version. Raises `InputError` when it is not installed."""

    def initialise(self, data: Path) -> Command:
        """Fills an empty data folder, without waiting for the disk: there is nothing in it to lose."""

    def configure(self, account: str) -> Mapping[str, str]:
        """Files to write into a new data folder, by name; `account` is whose processes may administer it."""

    def serve(self, instance: Instance) -> Command:
        """Runs until it is stopped."""

    def administer(self, instance: Instance, database: str | None) -> Command:
        """Executes the SQL on its standard input with all rights; `database` is the kind's own when None."""

    def socket_target(self, instance: Instance) -> str:
        """Its database over the Unix socket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What an instance takes, measured."""

    memory_bytes: int
    """Of an idle one, beside its cache."""
    connection_bytes: int
    """Of each connection that has done work."""
    disk_bytes: int
    """Before anything is loaded."""
    log_bytes: int
    """To which its write-ahead log may grow under load beyond that, with its default settings."""
    loads: Mapping[str, Load]
    """By workload that can be loaded into new instances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What the data of a workload take of the disk, by the parameter that they grow with; measured."""

    parameter: str
    bytes_each: int
    """For each unit of the parameter, indexes included."""
    first_bytes: int = 0
    """Beside that, such as an undo log that grows while data are loaded."""


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
