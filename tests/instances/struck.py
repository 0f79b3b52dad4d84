"""Runs a command line and sends its process a signal when a function of iGen is called, or has returned.

`python -m tests.instances.struck SIGNAL EVENT FUNCTION ARGUMENT...`; exit code 99 if that moment never comes.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

NEVER_CAME = 99


def main() -> None:
    """The program."""
    number, event, function, *sys.argv[1:] = sys.argv[1:]
    struck = threading.Event()

    def look(frame: FrameType, what: str, _argument: Any) -> None:
        code = frame.f_code
        if (
            what == event
            and code.co_qualname == function
            and "/igen/" in code.co_filename
            and not struck.is_set()
        ):
            struck.set()
            os.kill(os.getpid(), signal.Signals[number])

    from igen.cli import main as igen

    threading.setprofile(look)
    sys.setprofile(look)
    try:
        igen()
    finally:
        sys.setprofile(None)
        if not struck.is_set():
            os._exit(NEVER_CAME)


if __name__ == "__main__":
    main()
