"""Tryton, a business application from PyPI, with its parties (customers and suppliers) on SQLite."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping
from pathlib import Path

from igen.errors import InputError
from igen.instances import process
from igen.instances.application import APPLICATIONS
from igen.instances.instance import Instance
from igen.instances.product import Command, Needs

MIB = 1 << 20
DATABASE = "tryton"
USERS, PARTIES = "users", "parties"
"""Settings that are iGen's; all others are `section.option` of Tryton's configuration."""
_DEFAULTS = {USERS: 200, PARTIES: 1000}
_OWN = ("web.listen", "database.path", "database.uri")
"""Options by which others could reach it, or its data would lie elsewhere."""
_NAME = re.compile(r"\w(?:[\w. -]*\w)?")
_CONFIGURATION = "tryton.conf"
_COUNTS = "counts"
_ASK = """\
import http.client, sys
line = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=10)
try:
    line.request("POST", "/rpc/", sys.stdin.read(), {"Content-Type": "application/json"})
    answer = line.getresponse()
except OSError as error:
    sys.exit(str(error))
print(answer.read().decode())
sys.exit(answer.status != 200)
"""
_ASK_VERSION = '{"id": 0, "method": "common.server.version", "params": []}'


class Tryton:
    """One process, whose threads share one interpreter: about one processor."""

    name = "tryton"
    scheme = "http"
    package = "python3"
    account = "nobody"
    first_port = 14090
    stop_signal = signal.SIGTERM
    # Release 8.0: 96 MiB when it has answered each kind of request; a thread for each connection.
    needs = Needs(
        cache_bytes=0,
        memory_bytes=160 * MIB,
        connection_bytes=MIB // 8,
        disk_bytes=4 * MIB,
        log_bytes=0,
        loads={},
    )
    default_for = ()
    keeps_data = True
    server = "python"
    open_to = (
        "any user of this machine can load it, nobody from elsewhere: anybody may sign in as `user0`, `user1`"
        " and so on with `shop-floor`"
    )
    ping = _ASK_VERSION
    provision = _ASK_VERSION
    bulk_loader = None

    def version(self) -> Command:
        """The release of its server. Raises `InputError` where it is not fetched."""
        return [_python(), "-I", "-c", "import trytond; print('Tryton', trytond.__version__)"]

    def initialise(self, data: Path) -> Command | None:
        """Makes the database: modules, users, parties."""
        made = Path(__file__).with_name("tryton_data.py").read_text(encoding="utf-8")
        counts = (data.parent / _COUNTS).read_text(encoding="utf-8").split()
        return [_python(), "-I", "-c", made, str(data.parent / _CONFIGURATION), *counts]

    def configure(self, instance: Instance, data: Path) -> Mapping[str, str]:
        """Its configuration, and how much is to be made. Raises `InputError`."""
        sections: dict[str, dict[str, str]] = {
            "web": {"listen": f"127.0.0.1:{instance.port}", "root": str(data / "web")},
            "database": {"path": str(data)},
            # A user who thinks stays signed in.
            "session": {"timeout": "86400"},
        }
        counts = dict(_DEFAULTS)
        for name, value in instance.settings.items():
            section, dot, option = name.partition(".")
            if name in counts:
                counts[name] = _count(name, value)
            elif name.lower() in _OWN:
                raise InputError(
                    f"`{name}` is iGen's own",
                    where="--set",
                    hint="--port-from chooses the port, --directory where instances and their data are",
                )
            elif dot and _NAME.fullmatch(section) and _NAME.fullmatch(option) and value.isprintable():
                sections.setdefault(section, {})[option] = value
            else:
                raise InputError(
                    f"`{name}` is no setting of Tryton's",
                    where="--set",
                    hint=f"{USERS}, {PARTIES}, or an option of its configuration, such as cache.record=5000",
                )
        lines = [
            line
            for section, options in sections.items()
            for line in (f"[{section}]", *(f"{option} = {value}" for option, value in options.items()))
        ]
        return {_CONFIGURATION: "\n".join(lines) + "\n", _COUNTS: f"{counts[USERS]} {counts[PARTIES]}\n"}

    def serve(self, instance: Instance) -> Command:
        """`trytond`."""
        python = _python()
        program = str(Path(python).with_name("trytond"))
        return [python, program, "-c", str(instance.folder / _CONFIGURATION), "-d", DATABASE]

    def administer(self, instance: Instance, database: str | None) -> Command:
        """Posts what it is given as a call that needs no session."""
        return [_python(), "-I", "-c", _ASK, str(instance.port)]

    def target(self, folder: Path, port: int) -> str:
        """Its calls, and its pages where `web.root` names a client."""
        return f"http://127.0.0.1:{port}"

    def socket_target(self, instance: Instance) -> str:
        """None: it has no socket."""
        return ""


def tiers(instance: Instance) -> dict[str, list[int]]:
    """Its one tier; empty where it does not run."""
    return {"application": [instance.pid]} if process.runs(Tryton(), instance) else {}


def _python() -> str:
    return str(APPLICATIONS["tryton"].python)


def _count(name: str, text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 100_000:
        raise InputError(f"`{text}` is no number from 1 to 100,000", where=f"--set {name}")
    return int(text)
