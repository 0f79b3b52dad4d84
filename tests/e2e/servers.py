"""Real servers for tests: private instances, fast because nothing waits for the disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp

import pytest

from igen.errors import InputError
from igen.instances import control
from igen.instances.instance import Instance
from igen.instances.product import DATABASE, USER
from igen.instances.products import PRODUCTS
from tests.needed import missing
from tests.own_ports import own_ports

SMALL = {"postgresql": {}, "mariadb": {"innodb_log_file_size": "16M"}, "openldap": {}}
INSTALL = Path(__file__).parents[1] / "install-servers"

Start = Callable[..., Instance]


def need(kind: str) -> None:
    """Skips the test where there is no such server and it cannot be installed; fails it in CI."""
    product = PRODUCTS[kind]
    with suppress(InputError):
        product.version()
        return
    if os.geteuid() == 0:
        subprocess.run([INSTALL], check=False, capture_output=True)
    try:
        product.version()
    except InputError as error:
        missing(str(error))


def running(kind: str, folder: Path, *, durable: bool = False, **settings: str) -> Instance:
    """A small instance in a folder of its own."""
    need(kind)
    wish = control.Wish(
        port_from=own_ports(),
        cache_bytes=min(64 << 20, PRODUCTS[kind].needs.cache_bytes),
        durable=durable,
        settings={**SMALL[kind], **settings},
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
    """What the server's own client prints for statements of its administrator."""
    return control.administer(instance, statements, database)


def new_database(instance: Instance, name: str) -> str:
    """The target of an empty database of a test's own."""
    control.administer(instance, f"DROP DATABASE IF EXISTS {name};")
    if instance.kind == "postgresql":
        control.administer(instance, f"CREATE DATABASE {name} OWNER {USER};")
    else:
        control.administer(instance, f"CREATE DATABASE {name}; GRANT ALL ON {name}.* TO {USER}@localhost;")
    return control.target(instance).removesuffix(DATABASE) + name
