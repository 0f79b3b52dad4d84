"""One process for analysis serves the consoles of many tests, one after the other.

To begin one takes 0.3 s of processor time, and its first chart 0.4 s. `test_analyst.py` and the tests in a
browser begin their own.
"""

from __future__ import annotations

import os
import select
from concurrent.futures import ProcessPoolExecutor
from multiprocessing.connection import Connection
from typing import ClassVar

from igen.console.analyst import Analyst


class KeptAnalyst(Analyst):
    """Takes over the process that another one has left, if that still lives."""

    _left: ClassVar[tuple[ProcessPoolExecutor, Connection | None, int] | None] = None

    def _started(self) -> ProcessPoolExecutor:
        left, KeptAnalyst._left = KeptAnalyst._left, None
        if left is None:
            return super()._started()
        # The descriptor of a process can be read once the process has ended.
        if select.select([left[2]], [], [], 0)[0]:
            os.close(left[2])
            return super()._started()
        self._pool, self._lifeline, self._process = left
        return left[0]

    def leave(self) -> None:
        """Leaves the process, if it waits for a question, to whoever asks next."""
        if self._pool is not None and self._process is not None and not self._under_way:
            KeptAnalyst._left = self._pool, self._lifeline, self._process
            self._pool = self._lifeline = self._process = None
