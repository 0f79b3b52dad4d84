"""Private servers of the benches: on loopback and a Unix socket, gone with all their data afterwards.

All are set up alike. A commit does not wait for the disk (`synchronous_commit=off`,
`innodb_flush_log_at_trx_commit=2`: a power failure may lose the last second, never consistency; slapd's
`dbnosync`: it may lose both), so that client and server are busy instead of waiting for a disk, which would
measure wake-ups. Everything fits into the server's cache.
"""

from __future__ import annotations

import os
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench import peers

CONNECTIONS = 1100
"""Most connections of a server: 1,000 users, and room for others."""

POSTGRESQL = {
    "autovacuum": "off",
    "checkpoint_timeout": "1h",
    "max_connections": str(CONNECTIONS),
    "max_wal_size": "8GB",
    "shared_buffers": "1GB",
    "synchronous_commit": "off",
    "work_mem": "1MB",
}
"""Settings beside PostgreSQL's defaults. The benches vacuum and checkpoint before each run."""

MARIADB = {
    "innodb_buffer_pool_size": "1G",
    "innodb_flush_log_at_trx_commit": "2",
    "innodb_log_file_size": "2G",
    "max_connections": str(CONNECTIONS),
    "open_files_limit": "8192",
}
"""Settings beside MariaDB's defaults."""

SOCKET_OPTIONS = {"postgresql": "host", "mysql": "socket"}
"""Where a target says that its host is a path."""

Command = Sequence[str | Path]

SUFFIX = "dc=example,dc=com"
ADMINISTRATOR = f"cn=admin,{SUFFIX}"

SLAPD = f"""\
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
sizelimit unlimited
loglevel 0
database mdb
suffix "{SUFFIX}"
rootdn "{ADMINISTRATOR}"
rootpw {{password}}
directory {{data}}
maxsize {2**30}
dbnosync
index objectClass eq
index uid eq
database monitor
"""
"""Configuration of slapd. Without rules of access all may read all."""

NGINX = """\
daemon off;
worker_processes {workers};
worker_rlimit_nofile {files};
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections {files}; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000000;
  keepalive_timeout 1h;
  server {{
    listen 127.0.0.1:{port}{options} backlog=16384;
    listen 127.0.0.2:{port}{options} backlog=16384;
    {certificate}
    root {folder}/files;
    location = / {{ return 200 "{body}"; }}
    {locations}
  }}
}}
"""
"""Configuration of nginx: no log, and connections that stay."""
CERTIFICATE = "certificate.pem"
WEB_FILES = 32_768
"""Open files of nginx, and of a client that has 28,000 connections to it, where the system allows them."""

OPEN_FILES = 16_384
"""Open files of a client of a directory and of slapd each: 5,000 users with two connections each, and room
for others. slapd makes tables for as many connections as it may have open files: not more than that."""

START_LIMIT_S = 60.0
DATABASE = "igen"
USER = "igen"


@dataclass(frozen=True, slots=True)
class Server:
    """A running server with an empty database of iGen's."""

    engine: str
    scheme: str
    port: int
    socket: Path
    """Folder of the socket (PostgreSQL), or the socket (MariaDB)."""
    host: str = "127.0.0.1"
    database: str = DATABASE
    user: str = USER

    def target(self, host: str) -> str:
        """Its database for iGen, over TCP or, where `host` is a path, over the Unix socket."""
        if not host.startswith("/"):
            return f"{self.scheme}://{self.user}@{host}:{self.port}/{self.database}"
        option = SOCKET_OPTIONS[self.scheme]
        return f"{self.scheme}://{self.user}@localhost:{self.port}/{self.database}?{option}={host}"

    def query(self, sql: str) -> str:
        """What its own client prints for `sql`, without headings."""
        if self.scheme == "postgresql":
            command = ["psql", "-XAtq", f"-h{self.socket}", f"-p{self.port}", f"-U{self.user}", f"-c{sql}"]
        else:
            command = ["mariadb", "--no-defaults", "-N", f"-S{self.socket}", f"-u{self.user}", f"-e{sql}"]
        done = subprocess.run([*command, self.database], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{self.engine}: {sql}: {done.stderr.strip()}")
        return done.stdout.strip()


@contextmanager
def postgresql() -> Iterator[Server]:
    """A PostgreSQL server of its own."""
    peers.need("pg_createcluster", "postgresql")
    binaries = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
    with _folder("postgres") as folder:
        port = _free_port()
        data = folder / "data"
        create: Command = [
            binaries / "initdb",
            f"--pgdata={data}",
            f"--username={USER}",
            "--auth=trust",
            "--no-sync",
        ]
        _execute("postgres", create)
        places = {"port": str(port), "listen_addresses": "127.0.0.1", "unix_socket_directories": str(folder)}
        settings = [f"-c{name}={value}" for name, value in {**POSTGRESQL, **places}.items()]
        server = Server("PostgreSQL", "postgresql", port, folder)
        ready = ["psql", "-Xq", f"-h{folder}", f"-p{port}", f"-U{USER}", f"-cCREATE DATABASE {DATABASE}"]
        # SIGINT ends the connections that are still there.
        command: Command = [binaries / "postgres", f"-D{data}", *settings]
        with _running("postgres", command, [*ready, "postgres"], folder, signal.SIGINT):
            yield server


@contextmanager
def mariadb() -> Iterator[Server]:
    """A MariaDB server of its own."""
    peers.need("mariadbd", "mariadb-server")
    with _folder("mysql") as folder:
        port = _free_port()
        data, place = folder / "data", folder / "socket"
        _execute("mysql", ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db"])
        places = {"datadir": str(data), "socket": str(place), "port": str(port), "bind_address": "127.0.0.1"}
        settings = [f"--{name}={value}" for name, value in {**MARIADB, **places}.items()]
        accounts = folder / "accounts.sql"
        accounts.write_text(
            f"CREATE DATABASE {DATABASE};\nCREATE USER {USER};\nGRANT ALL ON *.* TO {USER};\n"
        )
        command = ["mariadbd", "--no-defaults", *settings, f"--init-file={accounts}"]
        ready = ["mariadb", "--no-defaults", f"-S{place}", f"-u{USER}", "-eSELECT 1", DATABASE]
        with _running("mysql", command, ready, folder, signal.SIGTERM):
            yield Server("MariaDB", "mysql", port, place)


@dataclass(frozen=True, slots=True)
class Directory:
    """A running LDAP server with a tree of iGen's."""

    port: int
    password_file: Path
    """With the password of the administrator."""
    host: str = "127.0.0.1"
    people: str = f"ou=People,{SUFFIX}"

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"ldap://{self.host}:{self.port}"

    @property
    def anonymous(self) -> str:
        """Its tree for iGen, without a bind."""
        return f"{self.url}/{SUFFIX}"

    @property
    def administrator(self) -> str:
        """Its tree for iGen, as administrator."""
        place = f"{self.host}:{self.port}/{SUFFIX}"
        return f"ldap://{ADMINISTRATOR}@{place}?password_file={self.password_file}"


@contextmanager
def openldap(ldif: Path) -> Iterator[Directory]:
    """OpenLDAP's slapd of its own with the entries of `ldif`."""
    peers.need("slapd", "slapd", "slapd slapd/no_configuration boolean true\n")
    peers.need("ldapsearch", "ldap-utils")
    _allow_open_files(OPEN_FILES)
    account = "openldap"
    with _folder(account) as folder:
        port = _free_port()
        directory = Directory(port, folder / "password")
        password = secrets.token_urlsafe()
        _write_private(directory.password_file, password)
        configuration, data = folder / "slapd.conf", folder / "data"
        _write_private(configuration, SLAPD.format(password=password, data=data))
        data.mkdir()
        if os.geteuid() == 0:
            for path in (configuration, data):
                shutil.chown(path, account)
        with ldif.open("rb") as entries:
            _execute(account, ["slapadd", "-q", "-f", configuration], entries)
        command: Command = ["slapd", "-h", f"{directory.url}/", "-f", configuration, "-d", "0"]
        ready: Command = ["ldapsearch", "-x", "-H", directory.url, "-s", "base", "-b", directory.people, "dn"]
        with _running(account, command, ready, folder, signal.SIGTERM):
            yield directory


@contextmanager
def nginx(
    body_bytes: int,
    files: Mapping[str, str] | None = None,
    locations: str = "",
    *,
    workers: int = 1,
    http2: bool = False,
    tls: bool = False,
) -> Iterator[str]:
    """nginx of its own, which answers each request for `/` with so many bytes, and serves these files by
    name and these locations, in the words of its configuration; with so many worker processes, over HTTP/2
    alone or HTTP/1.1, with TLS or without; the target."""
    peers.need("nginx", "nginx")
    most = _most_open_files(WEB_FILES)
    _allow_open_files(most)
    with _folder("www-data") as folder:
        port = _free_port()
        configuration = folder / "nginx.conf"
        (folder / "files").mkdir(mode=0o755)
        for name, content in (files or {}).items():
            (folder / "files" / name).write_text(content, encoding="utf-8")
        text = NGINX.format(
            workers=workers,
            files=most,
            folder=folder,
            port=port,
            options=(" http2" if http2 else "") + (" ssl" if tls else ""),
            certificate=_certificate("www-data", folder) if tls else "",
            body="x" * body_bytes,
            locations=locations,
        )
        configuration.write_text(text, encoding="utf-8")
        command = ["nginx", "-c", str(configuration), "-e", str(folder / "error.log")]
        ready = ["bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{port}"]
        with _running("www-data", command, ready, folder, signal.SIGTERM):
            trust = f"?sslrootcert={folder / CERTIFICATE}"
            yield f"https://127.0.0.1:{port}{trust}" if tls else f"http://127.0.0.1:{port}"


def _certificate(account: str, folder: Path) -> str:
    """A certificate of its own in the folder, and the words of nginx's configuration for it."""
    certificate, key = folder / CERTIFICATE, folder / "key.pem"
    _execute(
        account,
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,IP:127.0.0.2"),
            *(
                "-addext",
                "basicConstraints=critical,CA:FALSE",
                "-days",
                "2",
                "-out",
                certificate,
                "-keyout",
                key,
            ),
        ],
    )
    protocols = "ssl_protocols TLSv1.2 TLSv1.3;"
    return f"ssl_certificate {certificate}; ssl_certificate_key {key}; {protocols}"


def _most_open_files(count: int) -> int:
    """So many, or as many as this program may open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return count if hard == resource.RLIM_INFINITY else min(hard, count)


def _allow_open_files(count: int) -> None:
    """Lets this process and those that it starts open so many files. Raises RuntimeError where the limit that
    it cannot change is lower."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise RuntimeError(f"{count} open files are needed and {hard} allowed: `ulimit -Hn` says so")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def _write_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")


@contextmanager
def _running(
    account: str,
    command: Sequence[str | Path],
    ready: Sequence[str | Path],
    folder: Path,
    end: signal.Signals,
) -> Iterator[None]:
    """Runs a server from the moment at which the command `ready` first succeeds."""
    with (folder / "log").open("w", encoding="utf-8") as log:
        process = subprocess.Popen(_as(account, command), stdout=log, stderr=log)
    try:
        limit_s = time.monotonic() + START_LIMIT_S
        while subprocess.run(ready, check=False, capture_output=True).returncode != 0:
            if process.poll() is not None or time.monotonic() > limit_s:
                raise RuntimeError(f"{command[0]} did not start: {(folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(end)
        process.wait()


@contextmanager
def _folder(account: str) -> Iterator[Path]:
    """A temporary folder of `account`, the name short enough for the path of a socket."""
    with tempfile.TemporaryDirectory(prefix="igen-bench-") as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, account)
        yield Path(folder)


def _execute(account: str, command: Command, stdin: IO[bytes] | None = None) -> None:
    done = subprocess.run(_as(account, command), check=False, stdin=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip()[-2000:]}")


def _as(account: str, command: Command) -> list[str]:
    """`command` without root's rights, which servers refuse; setpriv becomes it, so that its pid stays."""
    drop = (
        ["setpriv", f"--reuid={account}", f"--regid={account}", "--init-groups"] if os.geteuid() == 0 else []
    )
    return [*drop, *map(str, command)]


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])
