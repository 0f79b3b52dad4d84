"""OpenLDAP's server `slapd`, with any backend."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote

from igen.instances.instance import Instance
from igen.instances.product import Command, Product, program

SUFFIX = "dc=example,dc=com"
_CONFIGURATION = "slapd.conf"
_PACKAGES = "slapd ldap-utils"
_FOLDERS = (Path("/usr/sbin"), Path("/usr/bin"))
_SCHEMAS = ("core", "cosine", "inetorgperson")
_OWN_FILES = 64
"""Spare open files of a server in addition to its connections."""
_SHORTENED = r"s/.*: \(slapd [^ ]*\) .*/\1/p"


class Slapd(Product):
    """Base class of kinds that run `slapd`."""

    scheme = "ldap"
    package = _PACKAGES
    server = "slapd"
    account = "openldap"
    stop_signal = signal.SIGTERM
    default_for = ()
    keeps_data = True
    # To be allowed in is answer enough, and a tree has no users or databases that would have to be made.
    ping = ""
    provision = ""

    def version(self) -> Command:
        """Return the command that extracts the version from the output of `slapd -VV`."""
        return ["sh", "-c", f"\"$0\" -VV 2>&1 | sed -n '{_SHORTENED}'", openldap_program(self.server)]

    def initialise(self, data: Path) -> Command | None:
        """Return no command: databases create their files themselves."""
        return None

    def serve(self, instance: Instance) -> Command:
        """Return the command `slapd` in the foreground, with file descriptors for all its connections."""
        return [
            "prlimit",
            # It makes tables for all that it might open: in some containers more than a billion.
            f"--nofile={instance.max_connections + _OWN_FILES}:",
            openldap_program(self.server),
            "-h",
            f"ldap://127.0.0.1:{instance.port}/ {_socket_url(instance)}",
            "-f",
            str(configuration_file(instance)),
            # In the foreground; it says what is said at any level, such as why it does not start.
            "-d",
            "none",
        ]

    def administer(self, instance: Instance, database: str | None) -> Command:
        """Return the command `ldapmodify` as the owner of the process."""
        return [openldap_program("ldapmodify"), "-Q", "-Y", "EXTERNAL", "-H", _socket_url(instance)]


def openldap_program(name: str) -> str:
    """Return the path of a program of OpenLDAP. Raises `InputError` if it is not installed."""
    return program(name, _FOLDERS, _PACKAGES)


def configuration_file(instance: Instance) -> Path:
    """`slapd.conf` of an instance."""
    return instance.folder / _CONFIGURATION


def configuration(
    modules: Iterable[str], directives: Mapping[str, str], databases: Iterable[Iterable[str]]
) -> Mapping[str, str]:
    """Return `slapd.conf`: settings of the server, then its databases."""
    lines = [
        *(f"include /etc/ldap/schema/{name}.schema" for name in _SCHEMAS),
        "modulepath /usr/lib/ldap",
        *(f"moduleload {name}" for name in modules),
        *written({"sizelimit": "unlimited", "loglevel": "0", **directives}),
        *(line for database in databases for line in database),
    ]
    return {_CONFIGURATION: "\n".join(lines) + "\n"}


def written(directives: Mapping[str, str]) -> list[str]:
    """Return the lines of directives."""
    return [f"{name} {value}" for name, value in directives.items()]


def socket(instance: Instance) -> Path:
    """Return its Unix socket."""
    return instance.run_folder / "socket"


def _socket_url(instance: Instance) -> str:
    return f"ldapi://{quote(str(socket(instance)), safe='')}"
