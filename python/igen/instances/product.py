"""The interface of a kind of server. A new kind is one file and one word in `products.py`."""

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
"""User of the load: has no password, owns its database, and may read the server's statistics."""
DATABASE = "igen"
OPEN_TO_ALL = (
    f"any user of this machine can load them, as user {USER} without a password; other machines cannot "
    "connect"
)

Command = Sequence[str]


class Product(Protocol):
    """A kind of server: base class with the behaviour that most kinds share."""

    name: str
    scheme: str
    """Scheme of its targets' URLs."""
    package: str
    """Debian's."""
    account: str
    """Account of the server if iGen runs as root, which servers refuse."""
    first_port: int
    stop_signal: signal.Signals
    """Signal that stops it and its connections soon, with consistent data."""
    needs: Needs
    """Needs with the default settings."""
    options: Sequence[str] = ()
    """Its settings that are also options of `igen instances up`."""
    open_to: str
    """Who may connect, in words."""
    ping: str
    """Input of `administer` that checks if it answers."""
    provision: str
    """Input of `administer` at every start: creates missing users and databases."""

    keeps_data: bool
    """True if it has data to keep after a stop."""

    @property
    def default_for(self) -> Sequence[str]:
        """Return other workloads that start it without a target, besides the workloads loaded into it."""

    @property
    def server(self) -> str:
        """Return the name of its program, which identifies its process."""

    @property
    def bulk_loader(self) -> BulkLoader | None:
        """Return its bulk loader; None if data is loaded over connections."""

    def needs_of(self, settings: Mapping[str, str]) -> Needs:
        """Return the needs of an instance with these settings. Raises `InputError` if they are wrong."""
        return self.needs

    def tiers(self, instance: Instance) -> dict[str, list[int]]:
        """Return the process ids by tier; empty if it has no tiers or is not running."""
        return {}

    def version(self) -> Command:
        """Return the command that prints the server's version. Raises `InputError` if it is not installed."""

    def initialise(self, data: Path) -> Command | None:
        """Fills an empty data folder, without waiting for the disk: there is nothing in it to lose.

        None where an empty one is all that it needs.
        """

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Return files to write into the instance's folder before `data` is used, by name."""

    def serve(self, instance: Instance) -> Command:
        """Return the command of the server, which runs until it is stopped."""

    def administer(self, instance: Instance, database: str | None) -> Command:
        """Return the command that runs its standard input as administrator; None is the kind's database."""

    def target(self, folder: Path, port: int) -> str:
        """Return its database over TCP; the instance's folder need not exist yet."""

    def socket_target(self, instance: Instance) -> str:
        """Return its database over the Unix socket; empty if no workload uses it."""


class BulkLoader(Protocol):
    """A server's own loader, by far the fastest; the server need not run."""

    def load(self, instance: Instance) -> Command:
        """Return the command that fills the data folder of the configuration from its standard input."""

    def look(self, instance: Instance) -> Command:
        """Return the command that prints nothing if the folder is empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Measured needs of an instance."""

    cache_bytes: int = 128 << 20
    """Default size of the cache; 0 if it uses only the operating system's cache."""
    memory_bytes: int
    """Memory of an idle instance without its cache."""
    connection_bytes: int
    """Memory of each connection that has done work."""
    disk_bytes: int
    """Disk space without data."""
    log_bytes: int
    """Additional disk space of its write-ahead log under load, with its default settings."""
    loads: Mapping[str, DataSize]
    """Disk space of data by workload."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSize:
    """Measured disk space of a workload's data, by the parameter that it depends on."""

    parameter: str
    bytes_each: int
    """Bytes for each unit of the parameter, with indexes."""
    first_bytes: int = 0
    """Bytes in addition, such as an undo log that grows during the load."""


def program(name: str, folders: Sequence[Path], package: str) -> str:
    """Return the path of a program. Raises `InputError` if it is not installed."""
    for folder in folders:
        if (folder / name).exists():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise InputError(
            f"the server is not installed: program {name} not found",
            hint=f"install it: apt-get install {package}",
        )
    return found
