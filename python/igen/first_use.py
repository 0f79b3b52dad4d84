"""The first use of a type by msgspec, which must not happen in two threads at once.

msgspec reads the annotations of a dataclass or a `Struct` when the type is first decoded, and keeps what it
found at the type. A second thread that decodes the same type meanwhile uses the unfinished notes and crashes
the process: the console died of it if a plan was asked for twice at its start.
"""

from __future__ import annotations

import threading
from typing import TypeVar

import msgspec

Kind = TypeVar("Kind")
_ready: set[type] = set()
_reading = threading.Lock()


def ready(kind: type[Kind]) -> type[Kind]:
    """Return the type itself when msgspec has read its annotations and those of the types within it."""
    if kind not in _ready:
        with _reading:
            msgspec.json.Decoder(kind)
            _ready.add(kind)
    return kind
