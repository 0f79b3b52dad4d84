"""A small process that ends an instance when iGen is gone, whatever ended it: SIGKILL too.

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
from igen.instances.control import remove, stop
from igen.instances.instance import RECORD, read

_DISMISSED = b"dismissed"
_REMOVE = "remove"
_NEEDS = ("HOME", "XDG_CACHE_HOME", AGENT_VARIABLE)
"""Folders of server programs, which identify a server."""


@contextmanager
def ends_with_us(folder: Path, *, remove: bool) -> Iterator[None]:
    """Ensure that the instance in a folder, which need not be there yet, does not outlive the `with` block.

    A block that ends without an exception has stopped the instance, or lets it run. After an exception, and
    if this process ends, it is stopped; with `remove` it is removed too.
    """
    guardian = subprocess.Popen(
        [sys.executable, "-P", "-m", __name__, str(folder), *([_REMOVE] if remove else [])],
        cwd="/",
        env={**environment_of(_NEEDS), "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    except BaseException:
        guardian.communicate()
        raise
    guardian.communicate(_DISMISSED)


def main() -> None:
    """The guardian's whole life."""
    folder = Path(sys.argv[1])
    if sys.stdin.buffer.read() != _DISMISSED and (folder / RECORD).exists():
        end = remove if _REMOVE in sys.argv[2:] else stop
        end(read(folder))


if __name__ == "__main__":
    main()
