"""The common part of applications from PyPI as private instances."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from igen.errors import InputError
from igen.instances.application import APPLICATIONS
from igen.instances.instance import Instance
from igen.instances.product import Command, Needs, Product

USERS = "users"
"""Setting for the number of accounts."""
MOST = 100_000
_SIZES = "counts"
_ASK_RELEASE = """\
import sys
from importlib.metadata import version
print(f"{sys.argv[1]} {version(sys.argv[2])}, lock {sys.argv[3]}")
"""
_ASK = """\
import http.client, sys
line = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=10)
first, _, body = sys.stdin.read().partition("\\n")
try:
    line.request(*first.split(), body or None, {"Content-Type": "application/json"})
    answer = line.getresponse()
    text = answer.read().decode()
except (OSError, http.client.HTTPException) as error:
    sys.exit(repr(error))
print(text)
sys.exit(answer.status != 200)
"""
"""Program that sends the request on its standard input: a method and a path, and below them a body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Takes:
    """Measured needs of each unit of a setting."""

    usual: int
    """Number of units in `needs`."""
    most: int = MOST
    memory_bytes: int = 0
    disk_bytes: int = 0


class FromPyPI(Product):
    """A server in Python, with its own interpreter."""

    name: str
    scheme = "http"
    package = "python3"
    account = "nobody"
    stop_signal = signal.SIGTERM
    default_for: Sequence[str] = ()
    keeps_data = True
    server = "python"
    open_to = (
        "any user of this machine can load it, other machines cannot connect; sign in as `user0`, `user1`"
        " and so on with `shop-floor`"
    )
    bulk_loader = None
    title: str
    """Its display name."""
    distribution: str
    """Its package on PyPI."""
    configuration: str
    """Name of the file with its configuration."""
    sizes: Mapping[str, int]
    """Settings for the amount of data, with their defaults."""
    takes: Mapping[str, Takes] = {}
    """Settings that change the needs of an instance."""

    def needs_of(self, settings: Mapping[str, str]) -> Needs:
        """Return the needs of an instance with these settings. Raises `InputError` for a malformed number."""
        memory_bytes, disk_bytes = self.needs.memory_bytes, self.needs.disk_bytes
        for name, each in self.takes.items():
            more = count(name, settings.get(name, str(each.usual)), each.most) - each.usual
            memory_bytes += more * each.memory_bytes
            disk_bytes += more * each.disk_bytes
        return replace(self.needs, memory_bytes=memory_bytes, disk_bytes=disk_bytes)

    @property
    def python(self) -> str:
        """Return its interpreter. Raises `InputError` if it is not installed."""
        return str(APPLICATIONS[self.name].python)

    def version(self) -> Command:
        """Return its release and its lock. Raises `InputError` if it is not installed."""
        return [self.python, "-I", "-c", _ASK_RELEASE, self.title, self.distribution, self._digest]

    @property
    def _digest(self) -> str:
        return APPLICATIONS[self.name].digest

    def python_of(self, instance: Instance) -> str:
        """The interpreter that serves an instance: of the same lock as the one that has made its data.

        Raises `InputError` where it is of another lock, or not fetched.
        """
        if not instance.version.endswith(f", lock {self._digest}"):
            raise InputError(
                f"{instance.name} was created by {instance.version}; this iGen has the lock {self._digest}",
                hint=f"remove it: igen instances down {self.name} --number {instance.number} --remove",
            )
        return self.python

    def initialise(self, data: Path) -> Command | None:
        """Return the command that creates its database with data, by `NAME_data.py`."""
        made = Path(__file__).with_name(f"{self.name}_data.py").read_text(encoding="utf-8")
        sizes = (data.parent / _SIZES).read_text(encoding="utf-8").split()
        return [self.python, "-I", "-c", made, str(data.parent / self.configuration), str(data), *sizes]

    def sizes_file(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Return the amounts of data for `initialise`. Raises `InputError`."""
        counts = [count(name, settings.get(name, str(usual))) for name, usual in self.sizes.items()]
        return {_SIZES: " ".join(map(str, counts)) + "\n"}

    def administer(self, instance: Instance, database: str | None) -> Command:
        """Return the command that sends `GET /path`, or `POST /path` with a body on the lines below."""
        return [self.python, "-I", "-c", _ASK, str(instance.port)]

    def target(self, folder: Path, port: int) -> str:
        """Return its URL."""
        return f"http://127.0.0.1:{port}"

    def socket_target(self, instance: Instance) -> str:
        """Return nothing: it has no socket."""
        return ""


def count(setting: str, text: str, most: int = MOST) -> int:
    """Return a setting that is a number from 1 on. Raises `InputError`."""
    if not text.isdecimal() or not text.isascii() or not 0 < int(text) <= most:
        raise InputError(f"`{text}` is not a number from 1 to {most:,}", where=f"--set {setting}")
    return int(text)
