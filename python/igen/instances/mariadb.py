"""MariaDB."""

from __future__ import annotations

import signal
from pathlib import Path

from igen.instances.instance import Instance
from igen.instances.product import DATABASE, USER, Command, Needs, program

MIB = 1 << 20
_HOSTS = ("localhost", "127.0.0.1")
_FOLDERS = (Path("/usr/sbin"), Path("/usr/bin"))


class Mariadb:
    """MariaDB as Debian packages it."""

    name = "mariadb"
    scheme = "mysql"
    package = "mariadb-server"
    account = "mysql"
    first_port = 13306
    stop_signal = signal.SIGTERM
    needs = Needs(memory_bytes=100 * MIB, connection_bytes=1 * MIB, disk_bytes=130 * MIB)

    def initialise(self, instance: Instance) -> Command:
        """`mariadb-install-db`, without a test database."""
        return [
            program(self, "mariadb-install-db", _FOLDERS),
            "--no-defaults",
            f"--datadir={instance.data}",
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
        ]

    def serve(self, instance: Instance) -> Command:
        """`mariadbd`, with the settings on its command line; the buffer pool is its only cache."""
        settings = {
            "bind_address": "127.0.0.1",
            "port": str(instance.port),
            "socket": str(self.socket(instance)),
            "datadir": str(instance.data),
            "tmpdir": str(instance.data),
            "innodb_buffer_pool_size": str(instance.cache_bytes),
            "innodb_flush_method": "O_DIRECT",
            "max_connections": str(instance.max_connections),
            "local_infile": "1",
            **instance.settings,
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        return [program(self, "mariadbd", _FOLDERS), "--no-defaults", *options]

    def ready(self, instance: Instance) -> Command:
        """Asks it something."""
        return self._client(instance, "SELECT 1")

    def create(self, instance: Instance) -> Command:
        """Creates user and database, if they are not there."""
        users = [f"CREATE USER IF NOT EXISTS {USER}@'{host}'" for host in _HOSTS]
        rights = [f"GRANT ALL ON *.* TO {USER}@'{host}' WITH GRANT OPTION" for host in _HOSTS]
        return self._client(
            instance, "; ".join([f"CREATE DATABASE IF NOT EXISTS {DATABASE}", *users, *rights])
        )

    def socket(self, instance: Instance) -> Path:
        """The socket."""
        return instance.run_folder / "socket"

    def socket_target(self, instance: Instance) -> str:
        """Its database over the Unix socket."""
        return f"mysql://{USER}@localhost/{DATABASE}?socket={self.socket(instance)}"

    def _client(self, instance: Instance, sql: str) -> list[str]:
        client = program(self, "mariadb", _FOLDERS)
        return [
            client,
            "--no-defaults",
            "--user=root",
            f"--socket={self.socket(instance)}",
            f"--execute={sql}",
        ]
