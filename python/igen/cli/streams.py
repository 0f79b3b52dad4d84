"""The standard streams: closed by the caller, or read by a program that ends before igen does."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from typing_extensions import Buffer

_READER_HAS_ENDED = (errno.EPIPE, errno.EIO)
"""Errors of the kernel if the reader is gone: a closed pipe or terminal."""


def guard_streams() -> None:
    """Let igen continue without a reader of its output.

    Output to a stream that the caller has closed is dropped, and no file of a run takes the number of that
    stream. Output to a pipe whose reader has ended is dropped too: `igen run ... | head -3` measures to its
    end, and the store has the result.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
        elif mode == "w":
            setattr(sys, name, _guarded(stream))


def _guarded(stream: TextIO) -> TextIO:
    """Return a stream to the same descriptor that outlasts its reader."""
    return io.TextIOWrapper(
        io.BufferedWriter(_Outlasting(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.isatty() or stream is sys.stderr,
    )


class _Outlasting(io.FileIO):
    """A file that becomes the null device when its reader has ended."""

    def write(self, data: Buffer, /) -> int:
        """Write, and drop what nobody can read."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in _READER_HAS_ENDED:
                raise
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.fileno())
        os.close(null)
        return super().write(data)
