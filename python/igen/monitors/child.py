"""What a program that was started says at its end, read in pieces: it may never stop saying it."""

from __future__ import annotations

import os
import selectors
import time
from collections.abc import Sequence
from subprocess import Popen
from threading import Event
from typing import IO

STEP_S = 0.2
"""So often one looks whether it is time to stop."""
PIECE_BYTES = 1 << 16
KEPT_BYTES = 4096


def drained(
    process: Popen[bytes], streams: Sequence[IO[bytes]], within_s: float, stop: Event | None = None
) -> bytes:
    """Reads until the program has ended, or so long at most, or until `stop`; the last that it said.

    What another program, such as one that shares a connection, still holds open is not waited for.
    """
    last = b""
    until_s = time.monotonic() + within_s
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream, selectors.EVENT_READ)
        while (left_s := until_s - time.monotonic()) > 0 and not (stop and stop.is_set()):
            has_ended = process.poll() is not None
            ready = selector.select(0 if has_ended else min(STEP_S, left_s))
            for key, _ in ready:
                piece = os.read(key.fd, PIECE_BYTES)
                last = (last + piece)[-KEPT_BYTES:]
                if not piece:
                    selector.unregister(key.fileobj)
            if has_ended and not ready:
                break
    return last
