"""Real servers for tests: private instances, fast because nothing waits for the disk."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from igen.instances import control
from igen.instances.instance import Instance
from igen.instances.products import PRODUCTS

FAST = {
    "postgresql": {"fsync": "off", "synchronous_commit": "off"},
    "mariadb": {"innodb_flush_log_at_trx_commit": "0", "innodb_log_file_size": "16M"},
}
PROGRAMS = {"postgresql": "/usr/lib/postgresql", "mariadb": "/usr/sbin/mariadbd"}

Start = Callable[..., Instance]


def need(kind: str) -> None:
    """Skips the test where there is no such server, unless it can be installed."""
    if Path(PROGRAMS[kind]).exists() or shutil.which(Path(PROGRAMS[kind]).name):
        return
    package = PRODUCTS[kind].package
    if os.geteuid() == 0:
        subprocess.run(["apt-get", "install", "-y", "-qq", package], check=False, capture_output=True)
    if not Path(PROGRAMS[kind]).exists():
        pytest.skip(f"{kind} is not installed (Debian's package {package})")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def running(kind: str, folder: Path, *, durable: bool = False, **settings: str) -> Instance:
    """A small instance in a folder of its own."""
    need(kind)
    wish = control.Wish(
        port_from=free_port(),
        cache_bytes=64 << 20,
        settings={**({} if durable else FAST[kind]), **settings},
    )
    (instance,) = control.up(kind, 1, folder, wish=wish)
    return instance


@pytest.fixture(scope="session")
def server_folder() -> Iterator[Path]:
    """Where instances of tests are: short enough for sockets, and open to the accounts of servers."""
    folder = Path(mkdtemp(prefix="igen-test-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield folder
    for directory in folder.iterdir():
        for instance in control.selected(directory, None):
            control.remove(instance)
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgresql(server_folder: Path) -> Instance:
    """A PostgreSQL that all tests share."""
    return running("postgresql", server_folder / "shared")


@pytest.fixture(scope="session")
def mariadb(server_folder: Path) -> Instance:
    """A MariaDB that all tests share."""
    return running("mariadb", server_folder / "shared")


@pytest.fixture(params=["postgresql", "mariadb"])
def server(request: pytest.FixtureRequest) -> Instance:
    """Each kind of server in turn; tests share it."""
    instance: Instance = request.getfixturevalue(request.param)
    return instance


@pytest.fixture
def own_server(server_folder: Path, request: pytest.FixtureRequest) -> Iterator[Start]:
    """Starts a server of the test's own, removed afterwards."""
    started: list[Path] = []

    def start(kind: str, *, durable: bool = False, **settings: str) -> Instance:
        started.append(server_folder / f"own-{len(list(server_folder.iterdir()))}")
        return running(kind, started[-1], durable=durable, **settings)

    yield start
    for folder in started:
        for instance in control.selected(folder, None):
            control.remove(instance)


def sql(instance: Instance, statements: str, database: str = "igen") -> str:
    """What the server's own client prints."""
    if instance.kind == "postgresql":
        place = [f"--host={instance.run_folder}", f"--port={instance.port}", "--username=igen"]
        command = ["psql", "-XAtq", *place, f"--dbname={database}", f"--command={statements}"]
    else:
        socket = f"--socket={instance.run_folder}/socket"
        command = ["mariadb", "--no-defaults", "-N", socket, "--user=root", f"--database={database}"]
        command.append(f"--execute={statements}")
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def new_database(instance: Instance, name: str) -> str:
    """The target of an empty database of a test's own."""
    administration = "postgres" if instance.kind == "postgresql" else "mysql"
    sql(instance, f"DROP DATABASE IF EXISTS {name}", administration)
    sql(instance, f"CREATE DATABASE {name}", administration)
    return control.target(instance).removesuffix("igen") + name
