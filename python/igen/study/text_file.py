"""Files that a user names: read within bounds, and only if they are plain files."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 4 << 20
"""Most bytes of a study, a scenario or a table, which travels in the job."""


def read_bounded(path: Path) -> bytes:
    """Return the content of a regular file, at most one byte more than `MOST_BYTES`. Raises `OSError`.

    A device may never end, and a pipe may never begin.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return file.read(MOST_BYTES + 1)
