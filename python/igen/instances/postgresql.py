"""PostgreSQL."""

from __future__ import annotations

import signal
from pathlib import Path

from igen.instances.instance import Instance
from igen.instances.product import DATABASE, USER, Command, Needs, program

MIB = 1 << 20


class Postgresql:
    """PostgreSQL as Debian packages it, the newest version that is installed."""

    name = "postgresql"
    scheme = "postgresql"
    package = "postgresql"
    account = "postgres"
    first_port = 15432
    stop_signal = signal.SIGINT
    needs = Needs(memory_bytes=40 * MIB, connection_bytes=3 * MIB, disk_bytes=55 * MIB)

    def initialise(self, instance: Instance) -> Command:
        """`initdb`, its superuser named igen."""
        return [
            self._program("initdb"),
            f"--pgdata={instance.data}",
            f"--username={USER}",
            "--auth=trust",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
        ]

    def serve(self, instance: Instance) -> Command:
        """`postgres`, with the settings on its command line."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(instance.port),
            "unix_socket_directories": str(instance.run_folder),
            "shared_buffers": f"{instance.cache_bytes // 1024}kB",
            "max_connections": str(instance.max_connections),
            **instance.settings,
        }
        options = [f"-c{name}={value}" for name, value in settings.items()]
        return [self._program("postgres"), f"-D{instance.data}", *options]

    def ready(self, instance: Instance) -> Command:
        """Asks it something."""
        return self._psql(instance, "SELECT 1", "postgres")

    def create(self, instance: Instance) -> Command:
        """Creates the database, if it is not there."""
        found = f"SELECT FROM pg_database WHERE datname = '{DATABASE}'"
        sql = f"SELECT 'CREATE DATABASE {DATABASE}' WHERE NOT EXISTS ({found}) \\gexec"
        connect = self._psql(instance, "", "postgres")[:-1]
        return ["sh", "-c", 'sql="$1"; shift; printf "%s\\n" "$sql" | "$@"', "sh", sql, *connect]

    def socket(self, instance: Instance) -> Path:
        """The folder of the socket."""
        return instance.run_folder

    def socket_target(self, instance: Instance) -> str:
        """Its database over the Unix socket."""
        return f"postgresql://{USER}@localhost:{instance.port}/{DATABASE}?host={self.socket(instance)}"

    def _psql(self, instance: Instance, sql: str, database: str) -> list[str]:
        place = [f"--host={instance.run_folder}", f"--port={instance.port}", f"--username={USER}"]
        command = [self._program("psql"), "--no-psqlrc", "--quiet", *place, f"--dbname={database}"]
        return [*command, f"--command={sql}"]

    def _program(self, name: str) -> str:
        versions = Path("/usr/lib/postgresql").glob("*/bin")
        newest = sorted(versions, key=lambda path: int(path.parent.name), reverse=True)
        return program(self, name, newest)
