"""A program that never stops speaking, or never ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import PIPE
from threading import Event

from igen.monitors.child import KEPT_BYTES, drained


@contextmanager
def started(script: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-I", "-S", "-c", script]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, bufsize=0) as process:
        try:
            yield process
        finally:
            process.kill()


def test_of_one_that_never_stops_speaking_the_last_is_kept() -> None:
    with started("while True: print('x' * 65536)") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(1), "it has begun"
        last = drained(process, [process.stdout, process.stderr], 0.5)
        assert process.poll() is None, "it is left to whoever started it"
    assert len(last) == KEPT_BYTES


def test_the_last_words_of_one_that_ends_are_heard() -> None:
    with started("import sys; sys.stdin.read(); print('over', file=sys.stderr)") as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.close()
        assert drained(process, [process.stderr], 60.0).strip() == b"over"
        assert process.poll() == 0


def test_who_is_told_to_stop_does_not_wait() -> None:
    stop = Event()
    stop.set()
    with started("import time; time.sleep(600)") as process:
        assert process.stderr is not None
        assert drained(process, [process.stderr], 600.0, stop) == b""
