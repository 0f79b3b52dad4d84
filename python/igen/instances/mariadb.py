"""MariaDB."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path

from igen.instances.account import account_of
from igen.instances.instance import Instance
from igen.instances.product import DATABASE, OPEN_TO_ALL, USER, Command, DataSize, Needs, Product, program

MIB = 1 << 20
_FOLDERS = (Path("/usr/sbin"), Path("/usr/bin"))
_NOT_DURABLE = {"innodb_flush_log_at_trx_commit": "0", "innodb_doublewrite": "0"}
_USERS = f"{USER}@localhost, {USER}@127.0.0.1"

_PREPARED_BY_DEFAULT = 16_382
"""Most prepared statements of all connections together."""


class Mariadb(Product):
    """MariaDB as Debian packages it."""

    name = "mariadb"
    scheme = "mysql"
    package = "mariadb-server"
    server = "mariadbd"
    account = "mysql"
    first_port = 13306
    stop_signal = signal.SIGTERM
    # Version 10.11: 87 MiB idle; 100 connections of sysbench took 46 MiB. The log is made in its full size.
    # 20,000 customers took 110 MB, 200,000 371 MB: the undo log grows by 67 MB at the first load. 20 branches
    # took 38 MB beside that.
    needs = Needs(
        memory_bytes=100 * MIB,
        connection_bytes=1 * MIB,
        disk_bytes=130 * MIB,
        log_bytes=0,
        loads={
            "oltp": DataSize(parameter="customers", bytes_each=1_550, first_bytes=80_000_000),
            "bank": DataSize(parameter="branches", bytes_each=2_000_000, first_bytes=80_000_000),
        },
    )
    default_for = ()
    keeps_data = True
    open_to = OPEN_TO_ALL
    ping = "SELECT 1;"
    bulk_loader = None
    # FILE or SUPER would let every user of the machine act as the server's account.
    provision = f"""
        CREATE DATABASE IF NOT EXISTS {DATABASE};
        CREATE USER IF NOT EXISTS {_USERS};
        GRANT ALL ON `{DATABASE}%`.* TO {_USERS};
        GRANT PROCESS, RELOAD, BINLOG MONITOR ON *.* TO {_USERS};
        GRANT SELECT ON performance_schema.* TO {_USERS};
    """

    def version(self) -> Command:
        """`mariadbd --version`."""
        return [program(self.server, _FOLDERS, self.package), "--version"]

    def initialise(self, data: Path) -> Command:
        """Return the command `mariadb-install-db`, without test database and anonymous users."""
        return [
            program("mariadb-install-db", _FOLDERS, self.package),
            "--no-defaults",
            f"--datadir={data}",
            # A server that starts removes the temporary tables of all others that share the folder.
            f"--tmpdir={data}",
            "--auth-root-authentication-method=socket",
            f"--auth-root-socket-user={account_of(self)}",
            "--skip-test-db",
            *_options(_NOT_DURABLE),
        ]

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Return no files: settings are options, users are in the data."""
        return {}

    def serve(self, instance: Instance) -> Command:
        """Return the command `mariadbd` with settings as options; its buffer pool is the only cache."""
        settings = {
            "bind_address": "127.0.0.1",
            "port": str(instance.port),
            "socket": str(self._socket(instance)),
            "datadir": str(instance.data),
            "tmpdir": str(instance.data),
            "innodb_buffer_pool_size": str(instance.cache_bytes),
            "innodb_flush_method": "O_DIRECT",
            "max_connections": str(instance.max_connections),
            "max_prepared_stmt_count": str(max(_PREPARED_BY_DEFAULT, 16 * instance.max_connections)),
            "local_infile": "1",
            **({} if instance.durable else _NOT_DURABLE),
            **instance.settings,
        }
        return [program(self.server, _FOLDERS, self.package), "--no-defaults", *_options(settings)]

    def administer(self, instance: Instance, database: str | None) -> Command:
        """Return the command `mariadb` as the user with the name of the process owner."""
        return [
            program("mariadb", _FOLDERS, self.package),
            "--no-defaults",
            "--batch",
            "--skip-column-names",
            f"--user={account_of(self)}",
            "--protocol=socket",
            f"--socket={self._socket(instance)}",
            f"--database={database or 'mysql'}",
        ]

    def target(self, folder: Path, port: int) -> str:
        """Return its database over TCP."""
        return f"mysql://{USER}@127.0.0.1:{port}/{DATABASE}"

    def socket_target(self, instance: Instance) -> str:
        """Return its database over the Unix socket."""
        return f"mysql://{USER}@localhost/{DATABASE}?socket={self._socket(instance)}"

    def _socket(self, instance: Instance) -> Path:
        return instance.run_folder / "socket"


def _options(settings: Mapping[str, str]) -> list[str]:
    return [f"--{name}={value}" for name, value in settings.items()]
