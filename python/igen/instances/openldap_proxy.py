"""OpenLDAP as a proxy before the `openldap` instances of the same directory (slapd-meta(5))."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from igen.errors import InputError
from igen.instances import process
from igen.instances.instance import Instance, all_in
from igen.instances.openldap import MIB, Openldap
from igen.instances.product import Needs
from igen.instances.slapd import SUFFIX, Slapd, configuration, socket

_MODULES = ("back_ldap", "back_meta", "back_monitor")
_SHARDED = f"ou=People,{SUFFIX}"
"""What is shown of each instance: beside it they hold the same entries."""


class OpenldapProxy(Slapd):
    """Asks all instances that ran when it was started, and gathers their answers."""

    name = "openldap-proxy"
    first_port = 13881
    needs = Needs(
        cache_bytes=0,
        memory_bytes=20 * MIB,
        connection_bytes=MIB // 4,
        disk_bytes=0,
        log_bytes=0,
        loads={},
    )
    open_to = "any user of this machine can search them; nobody from elsewhere"
    bulk_loader = None

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """One tree out of many. Raises `InputError` where there is none."""
        openldap = Openldap()
        shards = [one for one in all_in(instance.folder.parent) if one.kind == openldap.name]
        running = [one for one in shards if process.is_ready(openldap, one)]
        if not running:
            raise InputError(
                f"there is nothing that {self.name} could stand before",
                where=str(instance.folder.parent),
                hint=f"start some first: igen instances up {openldap.name} --count 2",
            )
        targets = [f'uri "ldap://127.0.0.1:{one.port}/{_SHARDED}"' for one in running]
        return configuration(
            _MODULES,
            instance.settings,
            databases=[
                ["database meta", f'suffix "{SUFFIX}"', *targets],
                ["database monitor"],
            ],
        )

    def target(self, folder: Path, port: int) -> str:
        """The tree, as nobody."""
        return f"ldap://127.0.0.1:{port}/{SUFFIX}"

    def socket_target(self, instance: Instance) -> str:
        """The tree over the Unix socket, as nobody."""
        return f"ldap://localhost/{SUFFIX}?socket={quote(str(socket(instance)))}"
