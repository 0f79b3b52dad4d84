"""What applications from PyPI have in common as private instances: servers in Python, and what they hold."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from igen.errors import InputError
from igen.instances.application import APPLICATIONS
from igen.instances.instance import Instance
from igen.instances.product import Command

USERS = "users"
"""The setting for how many may sign in."""
MOST = 100_000
_SIZES = "counts"
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
"""Asks the server for what its standard input says: a method and a path, and below them a body."""


class FromPyPI:
    """A server in Python, which its own interpreter fills and runs."""

    name: str
    scheme = "http"
    package = "python3"
    account = "nobody"
    stop_signal = signal.SIGTERM
    default_for: Sequence[str] = ()
    keeps_data = True
    server = "python"
    open_to = (
        "any user of this machine can load it, nobody from elsewhere: anybody may sign in as `user0`, `user1`"
        " and so on with `shop-floor`"
    )
    bulk_loader = None
    configuration: str
    """Name of the file with its configuration."""
    sizes: Mapping[str, int]
    """Settings that say how much is made, with what they are unless they are given."""

    @property
    def python(self) -> str:
        """Its interpreter. Raises `InputError` where it is not fetched."""
        return str(APPLICATIONS[self.name].python)

    def initialise(self, data: Path) -> Command | None:
        """Makes its database with what is in it, by `NAME_data.py`."""
        made = Path(__file__).with_name(f"{self.name}_data.py").read_text(encoding="utf-8")
        sizes = (data.parent / _SIZES).read_text(encoding="utf-8").split()
        return [self.python, "-I", "-c", made, str(data.parent / self.configuration), str(data), *sizes]

    def sizes_file(self, settings: Mapping[str, str]) -> dict[str, str]:
        """How much is to be made, for `initialise`. Raises `InputError`."""
        counts = [count(name, settings.get(name, str(usual))) for name, usual in self.sizes.items()]
        return {_SIZES: " ".join(map(str, counts)) + "\n"}

    def administer(self, instance: Instance, database: str | None) -> Command:
        """Asks for what it is given: `GET /path`, or `POST /path` with a body on the lines below."""
        return [self.python, "-I", "-c", _ASK, str(instance.port)]

    def target(self, folder: Path, port: int) -> str:
        """Its pages and calls."""
        return f"http://127.0.0.1:{port}"

    def socket_target(self, instance: Instance) -> str:
        """None: it has no socket."""
        return ""


def count(setting: str, text: str, most: int = MOST) -> int:
    """A setting that is a number from 1 on. Raises `InputError`."""
    if not text.isdecimal() or not text.isascii() or not 0 < int(text) <= most:
        raise InputError(f"`{text}` is no number from 1 to {most:,}", where=f"--set {setting}")
    return int(text)
