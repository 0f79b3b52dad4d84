"""Questions to a program over its pipes, with a limit on every wait."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Iterator

from igen.errors import IgenError

_PIECE_BYTES = 1 << 20
_KEPT_BYTES = 1 << 16
_END_S = 5.0
"""Longest time between the end of a program's output and its exit."""


def no_answer(name: str, silence_s: float) -> IgenError:
    """Return the error of a program that hangs."""
    return IgenError(f"{name} has not answered for {silence_s:g} s", hint="is the machine overloaded?")


class Talk:
    """A program that answers questions. All three pipes are served at once: a full pipe cannot block it."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], silence_s: float) -> None:
        """Take a process with unbuffered pipes. It may be silent for `silence_s`."""
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.process = process
        self._name, self._silence_s = name, silence_s
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        self.errors = b""
        """Return the end of its standard error."""
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)

    def line(self, question: bytes) -> bytes:
        """Return the line that answers a question; a part of it if the program has ended.

        Raises `IgenError` if it is silent for too long.
        """
        answer = bytearray()
        for piece in self.pieces(question):
            answer += piece
            if answer.endswith(b"\n"):
                break
        return bytes(answer)

    def pieces(self, question: bytes, *, last: bool = False) -> Iterator[bytes]:
        """Yield the answer in pieces until the program closes its output; no question follows the `last` one.

        Raises `IgenError` if it is silent for too long.
        """
        unsaid = memoryview(question)
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdin, selectors.EVENT_WRITE)
            selector.register(self._stdout, selectors.EVENT_READ)
            selector.register(self._stderr, selectors.EVENT_READ)
            silent_at = time.monotonic() + self._silence_s
            while self._stdout in selector.get_map():
                patience_s = silent_at - time.monotonic()
                ready = selector.select(patience_s) if patience_s > 0 else []
                if not ready:
                    self.process.kill()
                    raise no_answer(self._name, self._silence_s)
                for key, _ in ready:
                    if key.fileobj is self._stdin:
                        unsaid = self._said(unsaid)
                        if not unsaid:
                            selector.unregister(self._stdin)
                            if last:
                                self._end_input()
                        continue
                    piece = os.read(key.fd, _PIECE_BYTES)
                    if not piece:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is self._stderr:
                        self.errors = (self.errors + piece)[-_KEPT_BYTES:]
                    else:
                        yield piece
                        silent_at = time.monotonic() + self._silence_s

    def _said(self, unsaid: memoryview) -> memoryview:
        try:
            return unsaid[os.write(self._stdin.fileno(), unsaid) :]
        except BrokenPipeError:  # its end is about to be seen
            return unsaid[:0]

    def _end_input(self) -> None:
        self._stdin.close()
        self.process.stdin = None

    def end(self) -> int:
        """Close its input, wait a moment for its end, or kill it. Return its exit code."""
        with self.process:
            try:
                self._end_input()
                _, rest = self.process.communicate(timeout=_END_S)
                self.errors = (self.errors + rest)[-_KEPT_BYTES:]
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.process.returncode
