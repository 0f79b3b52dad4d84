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
"""The part of the tree that is shown of each instance; all other entries are the same."""


class OpenldapProxy(Slapd):
    """A proxy that queries all instances that ran at its start, and merges their answers."""

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
    open_to = "any user of this machine can search them; other machines cannot connect"
    bulk_loader = None

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Return the merged tree. Raises `InputError` if there is no tree."""
        openldap = Openldap()
        shards = [one for one in all_in(instance.folder.parent) if one.kind == openldap.name]
        running = [one for one in shards if process.is_ready(openldap, one)]
        if not running:
            raise InputError(
                f"{self.name} needs running instances",
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
        """Return the tree, for anonymous users."""
        return f"ldap://127.0.0.1:{port}/{SUFFIX}"

    def socket_target(self, instance: Instance) -> str:
        """Return the tree over the Unix socket, for anonymous users."""
        return f"ldap://localhost/{SUFFIX}?socket={quote(str(socket(instance)))}"
