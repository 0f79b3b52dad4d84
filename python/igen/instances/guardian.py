"""A small process that stops an instance when iGen is gone, whatever ended it: SIGKILL too.

It waits at a pipe whose other end only iGen holds, in a session of its own, so that neither Ctrl-C nor a
closed terminal reaches it.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from igen.agent_program import AGENT_VARIABLE
from igen.environment import environment_of
from igen.instances.instance import RECORD, read
from igen.instances.process import stop
from igen.instances.products import PRODUCTS

_DISMISSED = b"dismissed"
_NEEDS = ("HOME", "XDG_CACHE_HOME", AGENT_VARIABLE)
"""Where programs of servers are: by those a server is known again."""


@contextmanager
def ends_with_us(folder: Path) -> Iterator[None]:
    """Sees to it that the instance in a folder, which need not be there yet, does not outlive this process.

    Whoever leaves the `with` block in good order has stopped it, or lets it run.
    """
    guardian = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, str(folder)],
        cwd="/",
        env={**environment_of(_NEEDS), "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        guardian.communicate(_DISMISSED)


def main() -> None:
    """The guardian's whole life."""
    folder = Path(sys.argv[1])
    if sys.stdin.buffer.read() != _DISMISSED and (folder / RECORD).exists():
        instance = read(folder)
        stop(PRODUCTS[instance.kind], instance)


if __name__ == "__main__":
    main()
