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
OPEN_TO_ALL = (
    f"any user of this machine can load them, as user {USER} without a password; nobody from elsewhere"
)

Command = Sequence[str]


class Product(Protocol):
    """A kind of server. Each is derived from this one, for what most have in common."""

    name: str
    scheme: str
    """Scheme of its targets' URLs."""
    package: str
    """Debian's."""
    account: str
    """Whose server it is where we are root, because servers refuse to be root's."""
    first_port: int
    stop_signal: signal.Signals
    """Ends it soon, its connections included, and leaves its data consistent."""
    needs: Needs
    """With the usual settings."""
    options: Sequence[str] = ()
    """Settings of its own that are options of `igen instances up`, too."""
    open_to: str
    """Who may connect, in words."""
    ping: str
    """What `administer` is given to see whether it answers."""
    provision: str
    """What `administer` is given at every start: makes user and database where they are not there."""

    keeps_data: bool
    """Whether there is anything to keep when it is stopped."""

    @property
    def default_for(self) -> Sequence[str]:
        """Workloads, besides those that are loaded into it, that start it where no target is named."""

    @property
    def server(self) -> str:
        """The name of the program that serves, by which a process is known again."""

    @property
    def bulk_loader(self) -> BulkLoader | None:
        """None where there is none: then data are loaded over connections."""

    def needs_of(self, settings: Mapping[str, str]) -> Needs:
        """What an instance with such settings takes. Raises `InputError` where they are wrong."""
        return self.needs

    def tiers(self, instance: Instance) -> dict[str, list[int]]:
        """Process ids by tier where such instances have some, and this one runs; empty otherwise."""
        return {}

    def version(self) -> Command:
        """Prints the server's version. Raises `InputError` when it is not installed."""

    def initialise(self, data: Path) -> Command | None:
        """Fills an empty data folder, without waiting for the disk: there is nothing in it to lose.

        None where an empty one is all that it needs.
        """

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Files to write into the instance's folder before `data` are used, by name."""

    def serve(self, instance: Instance) -> Command:
        """Runs until it is stopped."""

    def administer(self, instance: Instance, database: str | None) -> Command:
        """Does what its standard input says with all rights; `database` is the kind's own when None."""

    def target(self, folder: Path, port: int) -> str:
        """Its database over TCP; neither the instance's folder nor what is in it need be there yet."""

    def socket_target(self, instance: Instance) -> str:
        """Its database over the Unix socket; empty where no workload goes that way."""


class BulkLoader(Protocol):
    """A server's own loader, by far the fastest; it needs no server that runs."""

    def load(self, instance: Instance) -> Command:
        """Fills the data folder that the configuration names with what is on its standard input."""

    def look(self, instance: Instance) -> Command:
        """Prints nothing where nothing is loaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What an instance takes, measured."""

    cache_bytes: int = 128 << 20
    """Cache of an instance unless another size is asked for; 0 where it has the operating system's alone."""
    memory_bytes: int
    """Memory of an idle instance, beside its cache."""
    connection_bytes: int
    """Memory of each connection that has done work."""
    disk_bytes: int
    """Before anything is loaded."""
    log_bytes: int
    """To which its write-ahead log may grow under load beyond that, with its default settings."""
    loads: Mapping[str, DataSize]
    """By workload that can be loaded into new instances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSize:
    """What the data of a workload take of the disk, by the parameter that they grow with; measured."""

    parameter: str
    bytes_each: int
    """For each unit of the parameter, indexes included."""
    first_bytes: int = 0
    """Beside that, such as an undo log that grows while data are loaded."""


def program(name: str, folders: Sequence[Path], package: str) -> str:
    """The path of a program. Raises `InputError` when it is not installed."""
    for folder in folders:
        if (folder / name).exists():
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise InputError(
            f"the server is not installed: there is no program {name}",
            hint=f"install Debian's: apt-get install {package}",
        )
    return found
