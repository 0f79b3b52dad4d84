"""PostgreSQL."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path

from igen.instances.account import account_of
from igen.instances.instance import Instance
from igen.instances.product import DATABASE, OPEN_TO_ALL, USER, Command, DataSize, Needs, Product, program

MIB = 1 << 20
_INSTALLED = Path("/usr/lib/postgresql")
_ADMINISTRATOR = "postgres"
_RULES, _OWNER = "pg_hba.conf", "pg_ident.conf"
_NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
_MAY_SET = "'commit_delay', 'deadlock_timeout', 'track_io_timing', 'wal_compression'"
"""Settings of superusers that a study may vary between sessions."""
_RESERVED = 3
"""Connections reserved for superusers (`superuser_reserved_connections`)."""


class Postgresql(Product):
    """PostgreSQL as Debian packages it: the newest version, or the one that made the data."""

    name = "postgresql"
    scheme = "postgresql"
    package = "postgresql"
    server = "postgres"
    account = "postgres"
    first_port = 15432
    stop_signal = signal.SIGINT
    # Version 15: 22 MiB idle; 100 connections of pgbench -M prepared took 150 MiB beside the cache;
    # 200,000 customers took 342 MB, 20 branches 31 MB.
    needs = Needs(
        memory_bytes=40 * MIB,
        connection_bytes=3 * MIB,
        disk_bytes=50 * MIB,
        log_bytes=1024 * MIB,
        loads={
            "oltp": DataSize(parameter="customers", bytes_each=1_720),
            "bank": DataSize(parameter="branches", bytes_each=1_600_000),
        },
    )
    default_for = ()
    keeps_data = True
    open_to = OPEN_TO_ALL
    ping = "SELECT 1;"
    bulk_loader = None
    provision = f"""
        SELECT 'CREATE ROLE {USER} LOGIN CREATEDB'
            WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{USER}') \\gexec
        SELECT format('GRANT %I TO {USER}', rolname) FROM pg_roles
            WHERE rolname IN ('pg_monitor', 'pg_checkpoint') \\gexec
        SELECT format('GRANT SET ON PARAMETER %I TO {USER}', name) FROM pg_settings
            WHERE name IN ({_MAY_SET}) AND current_setting('server_version_num')::int >= 150000 \\gexec
        SELECT 'CREATE DATABASE {DATABASE} OWNER {USER}'
            WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '{DATABASE}') \\gexec
    """

    def version(self) -> Command:
        """`postgres --version`."""
        return [self._program(self.server), "--version"]

    def initialise(self, data: Path) -> Command:
        """`initdb`."""
        return [
            self._program("initdb"),
            f"--pgdata={data}",
            f"--username={_ADMINISTRATOR}",
            "--auth=reject",
            "--encoding=UTF8",
            "--no-locale",
            "--no-sync",
        ]

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Return who may connect. Only the owner is superuser, because superusers may run programs."""
        return {
            _RULES: f"local all {_ADMINISTRATOR} peer map=owner\n"
            f"local all {USER} trust\n"
            f"host all {USER} 127.0.0.1/32 trust\n",
            _OWNER: f"owner {account_of(self)} {_ADMINISTRATOR}\n",
        }

    def serve(self, instance: Instance) -> Command:
        """Return the command `postgres`, with the settings as options."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(instance.port),
            "unix_socket_directories": str(instance.run_folder),
            "hba_file": str(instance.folder / _RULES),
            "ident_file": str(instance.folder / _OWNER),
            "shared_buffers": f"{instance.cache_bytes // 1024}kB",
            "max_connections": str(instance.max_connections + _RESERVED),
            **({} if instance.durable else _NOT_DURABLE),
            **instance.settings,
        }
        options = [f"-c{name}={value}" for name, value in settings.items()]
        return [self._program(self.server, instance.data), f"-D{instance.data}", *options]

    def administer(self, instance: Instance, database: str | None) -> Command:
        """Return the command `psql` as superuser."""
        return [
            self._program("psql", instance.data),
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--set=ON_ERROR_STOP=1",
            f"--host={instance.run_folder}",
            f"--port={instance.port}",
            f"--username={_ADMINISTRATOR}",
            f"--dbname={database or 'postgres'}",
        ]

    def target(self, folder: Path, port: int) -> str:
        """Return its database over TCP."""
        return f"postgresql://{USER}@127.0.0.1:{port}/{DATABASE}"

    def socket_target(self, instance: Instance) -> str:
        """Return its database over the Unix socket."""
        return f"postgresql://{USER}@localhost:{instance.port}/{DATABASE}?host={instance.run_folder}"

    def _program(self, name: str, data: Path | None = None) -> str:
        """Return the path of a program: of the version that created the data, or of the newest version."""
        made_by = data / "PG_VERSION" if data else None
        if made_by and made_by.exists():
            folders = [_INSTALLED / made_by.read_text().strip() / "bin"]
        else:
            versions = _INSTALLED.glob("*/bin")
            folders = sorted(versions, key=lambda path: float(path.parent.name), reverse=True)
        return program(name, folders, self.package)
