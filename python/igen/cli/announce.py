"""Tells the program that started a study which run it became."""

from __future__ import annotations

import os

from igen.errors import InputError
from igen.store.run import Run
from igen.study.levels import PlannedLevel
from igen.study.observer import Observer
from igen.study.study import Study


class Announcer(Observer):
    """Writes the run's id to a descriptor that was open when igen was started."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def run_started(self, run: Run, study: Study, levels: list[PlannedLevel]) -> None:
        """Writes a line. Raises `InputError` where the descriptor takes none."""
        try:
            os.write(self._descriptor, f"{run.id}\n".encode())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InputError(f"descriptor {self._descriptor}: {reason}", where="--announce") from error
