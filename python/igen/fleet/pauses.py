"""Pauses of the collector of garbage: each look through all that igen holds takes tens of milliseconds."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def short_pauses() -> Iterator[None]:
    """Until the end of the `with` block the collector does not look again at what is there at its begin."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
