"""Tryton, a business application from PyPI, with its parties (customers and suppliers) on SQLite."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from igen.errors import InputError
from igen.instances import process
from igen.instances.from_pypi import USERS, FromPyPI
from igen.instances.instance import Instance
from igen.instances.product import Command, Needs

MIB = 1 << 20
DATABASE = "tryton"
PARTIES = "parties"
_OWN = ("web.listen", "database.path", "database.uri")
"""Options that would make it reachable for others, or move its data."""
_NAME = re.compile(r"\w(?:[\w. -]*\w)?")
_ASK_VERSION = 'POST /rpc/\n{"id": 0, "method": "common.server.version", "params": []}'


class Tryton(FromPyPI):
    """A single process, whose threads share an interpreter: about one processor."""

    name = "tryton"
    title = "Tryton"
    distribution = "trytond"
    first_port = 14090
    # Release 8.0: 96 MiB when it has answered each kind of request; a thread for each connection.
    needs = Needs(
        cache_bytes=0,
        memory_bytes=160 * MIB,
        connection_bytes=MIB // 8,
        disk_bytes=4 * MIB,
        log_bytes=0,
        loads={},
    )
    ping = _ASK_VERSION
    provision = _ASK_VERSION
    configuration = "tryton.conf"
    sizes: Mapping[str, int] = {USERS: 200, PARTIES: 1000}

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Its configuration, and how much is to be made. Raises `InputError`.

        All settings that are not iGen's are `section.option` of Tryton's configuration.
        """
        sections: dict[str, dict[str, str]] = {
            "web": {"listen": f"127.0.0.1:{instance.port}", "root": str(data / "web")},
            "database": {"path": str(data)},
            # A user who thinks stays signed in.
            "session": {"timeout": "86400"},
        }
        for name, value in instance.settings.items():
            section, dot, option = name.partition(".")
            if name in self.sizes:
                continue
            if name.lower() in _OWN:
                raise InputError(
                    f"`{name}` is set by iGen",
                    where="--set",
                    hint="--port-from sets the port, --directory the folder of instances and their data",
                )
            if not (dot and _NAME.fullmatch(section) and _NAME.fullmatch(option) and value.isprintable()):
                raise InputError(
                    f"`{name}` is not a setting of Tryton",
                    where="--set",
                    hint=f"{USERS}, {PARTIES}, or an option of its configuration, such as cache.record=5000",
                )
            sections.setdefault(section, {})[option] = value
        lines = [
            line
            for section, options in sections.items()
            for line in (f"[{section}]", *(f"{option} = {value}" for option, value in options.items()))
        ]
        return {self.configuration: "\n".join(lines) + "\n", **self.sizes_file(instance.settings)}

    def serve(self, instance: Instance) -> Command:
        """`trytond`."""
        python = self.python_of(instance)
        program = str(Path(python).with_name("trytond"))
        return [python, program, "-c", str(instance.folder / self.configuration), "-d", DATABASE]

    def tiers(self, instance: Instance) -> dict[str, list[int]]:
        """Return its only tier; empty if it is not running."""
        return {"application": [instance.pid]} if process.runs(self, instance) else {}
