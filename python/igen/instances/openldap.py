"""OpenLDAP with one memory-mapped database."""

from __future__ import annotations

import base64
import hashlib
import pwd
import secrets
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from igen.instances.account import account_of
from igen.instances.instance import Instance
from igen.instances.product import Command, DataSize, Needs
from igen.instances.slapd import (
    SUFFIX,
    Slapd,
    configuration,
    configuration_file,
    openldap_program,
    socket,
    written,
)

MIB = 1 << 20
_ADMINISTRATOR = f"cn=admin,{SUFFIX}"
_PASSWORD = "password"
_MODULES = ("back_mdb", "back_monitor", "argon2")
_MAPPED_BYTES = 1 << 38
"""Address space for 100 million entries. The file has this length, but uses disk space for its data only."""
_OF_DATABASE = {
    "access", "add_content_acl", "checkpoint", "dbnosync", "envflags", "extra_attrs", "idlexp", "index",
    "lastbind", "lastmod", "limits", "maxderefdepth", "maxentrysize", "maxreaders", "maxsize", "mode",
    "monitoring", "multival", "readonly", "restrict", "rtxnsize", "searchstack",
}  # fmt: skip
"""Directives of a database (slapd.conf(5), slapd-mdb(5)); other directives are of the server."""


class Slapadd:
    """OpenLDAP's bulk loader."""

    def load(self, instance: Instance) -> Command:
        """Return the command `slapadd` in quick mode: its input is valid, and a failure starts again."""
        return [openldap_program("slapadd"), "-q", "-f", str(configuration_file(instance))]

    def look(self, instance: Instance) -> Command:
        """Return the command `slapcat` of the root of the tree."""
        root = f"ldap:///{SUFFIX}??base"
        return [openldap_program("slapcat"), "-f", str(configuration_file(instance)), "-H", root]


class Openldap(Slapd):
    """OpenLDAP as Debian packages it."""

    name = "openldap"
    first_port = 13891
    bulk_loader = Slapadd()
    # Version 2.5.13: 6 MiB idle; 400 connections of ldap-siteminder took 4.3 MiB; 100,000 entries took
    # 157 MB, which are mapped: they are in the operating system's cache and in nobody's own memory.
    needs = Needs(
        cache_bytes=0,
        memory_bytes=20 * MIB,
        connection_bytes=MIB // 32,
        disk_bytes=MIB,
        log_bytes=0,
        loads={
            workload: DataSize(parameter="entries", bytes_each=1_600)
            for workload in ("ldap-search", "ldap-siteminder", "ldap-bind", "ldap-modify", "ldap-mixed")
        },
    )
    open_to = (
        "any user of this machine can search them, other machines cannot connect; the administrator's"
        " password is in a file that only you can read"
    )

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Return the configuration: a tree, monitoring, and settings that the administrator may change."""
        account = pwd.getpwnam(account_of(self))
        owner = rf"gidNumber={account.pw_gid}\\+uidNumber={account.pw_uid},cn=peercred,cn=external,cn=auth"
        of_server = {"authz-regexp": f'"^{owner}$" "{_ADMINISTRATOR}"'}
        of_tree = {
            "suffix": f'"{SUFFIX}"',
            "rootdn": f'"{_ADMINISTRATOR}"',
            "rootpw": _hash(_password(instance.folder)),
            "directory": f'"{data}"',
            "maxsize": str(_MAPPED_BYTES),
            "index": "objectClass,uid eq",
            **({} if instance.durable else {"dbnosync": ""}),
        }
        for name, value in instance.settings.items():
            (of_tree if name in _OF_DATABASE else of_server)[name] = value
        return configuration(
            _MODULES,
            of_server,
            databases=[
                ["database config", f'rootdn "{_ADMINISTRATOR}"'],
                ["database mdb", *written(of_tree)],
                ["database monitor"],
            ],
        )

    def target(self, folder: Path, port: int) -> str:
        """Return its tree, as administrator."""
        password = folder / _PASSWORD
        query = f"?password_file={quote(str(password))}" if password.exists() else ""
        return f"ldap://{_ADMINISTRATOR}@127.0.0.1:{port}/{SUFFIX}{query}"

    def socket_target(self, instance: Instance) -> str:
        """Return its tree over the Unix socket, as administrator."""
        place = f"{_ADMINISTRATOR}@localhost/{SUFFIX}"
        files = {"password_file": instance.folder / _PASSWORD, "socket": socket(instance)}
        return f"ldap://{place}?{'&'.join(f'{name}={quote(str(path))}' for name, path in files.items())}"


def _password(folder: Path) -> str:
    """Return the file of the administrator's password, created on first use; only this user may read it."""
    path = folder / _PASSWORD
    if not path.exists():
        part = folder / f"{_PASSWORD}.part"
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
        part.write_text(secrets.token_urlsafe(24) + "\n", encoding="ascii")
        part.replace(path)
    return path.read_text(encoding="ascii").strip()


def _hash(password: str) -> str:
    """Return a salted password as `slapd` stores it (RFC 2307, {SSHA})."""
    salt = secrets.token_bytes(16)
    digest = hashlib.sha1(password.encode() + salt, usedforsecurity=False).digest()
    return "{SSHA}" + base64.b64encode(digest + salt).decode()
