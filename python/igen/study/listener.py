"""Each line of a running agent goes into the file first, then to observer and judge."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from igen.facts import ENVIRONMENT_CONCURRENT_RUNS
from igen.fleet.local import Command, JobExit
from igen.judge.record.recording import Recording, add_events
from igen.judge.run.measured import measure
from igen.store.active import ActiveRun
from igen.store.job_file import JobWriter
from igen.study.observer import Observer
from igen.study.surroundings import Surroundings

EXTENSIONS = 3
"""Most extensions of a level that is not steady."""
EXTENSION_SHARE = 0.5
"""Length of an extension, as a share of the planned measurement."""
MOST_KEPT = 1024
"""Most events that wait for the judge: more would cost memory."""


class JobListener:
    """Records a job and its surroundings, watches for other runs in the store, answers `measured`."""

    def __init__(
        self,
        writer: JobWriter,
        job: dict[str, Any],
        active: ActiveRun,
        observer: Observer,
        warn: Callable[[str], None],
        surroundings: Surroundings | None = None,
        measured: Callable[[], None] | None = None,
    ) -> None:
        """`surroundings` were told that the job begins; None for a job without any.

        `measured` is called once, when the first interval of the measurement is in the file.
        """
        self.reached_measure = False
        """True if the measurement has started."""
        self._writer = writer
        self._measure_s: float = job["phases"]["measure_s"]
        self._active = active
        self._observer = observer
        self._warn = warn
        self._surroundings = surroundings
        self._measured = measured
        self._concurrent_runs = 0
        self._extensions = 0
        self._has_failed = False
        self._recording = Recording()
        self._taken = 0
        """Number of events in the recording."""
        self._kept: list[dict[str, Any]] = []
        """Events that are not yet in the recording."""
        self._keep({"job_start": writer.start})

    def line(self, line: bytes) -> None:
        """Store the line unchanged."""
        self._writer.line(line)

    def event(self, event: dict[str, Any]) -> Command | None:
        """Keep the event for the judge, and answer it if it is a question."""
        self._keep(event)
        self._observer.event(event)
        if "warning" in event:
            self._warn(event["warning"]["text"])
        if "snapshot" in event:
            self._watch_other_runs()
            if self._measured is not None and event["snapshot"]["phase"] == "measure":
                self._measured()
                self._measured = None
        if self._surroundings is not None:
            self._take(self._surroundings.beside(event))
        return self._answer() if "measured" in event else None

    def finish(self, exit: JobExit) -> None:
        """Close the job's record with its end, and with an error that the agent could not report."""
        if self._surroundings is not None:
            self._take(self._surroundings.rest())
        if exit.error is not None and not self._has_failed:
            self._append({"error": exit.error})
        end = {
            "exit_code": exit.exit_code,
            "signal": exit.signal,
            "interrupted": exit.interrupted,
            "ended_unix_s": time.time(),
            "stderr": exit.stderr,
        }
        self._writer.end(end)

    def _append(self, event: dict[str, Any]) -> None:
        self._keep(event)
        self._writer.event(event)

    def _keep(self, event: dict[str, Any]) -> None:
        self.reached_measure |= event.get("phase", {}).get("phase") == "measure"
        self._has_failed |= "error" in event
        self._kept.append(event)
        if len(self._kept) == MOST_KEPT:
            self._take_kept()

    def _take_kept(self) -> None:
        add_events(self._recording, enumerate(self._kept, self._taken + 1))
        self._taken += len(self._kept)
        self._kept.clear()

    def _take(self, told: Iterable[dict[str, Any]]) -> None:
        for event in told:
            self._append(event)
            if "warning" in event:
                self._warn(event["warning"]["text"])

    def _watch_other_runs(self) -> None:
        others = self._active.others()
        if others <= self._concurrent_runs:
            return
        self._warn("another run is active in this store: both runs disturb each other")
        self._concurrent_runs = others
        self._append({"fact": {"name": ENVIRONMENT_CONCURRENT_RUNS, "value": others}})

    def _answer(self) -> Command:
        # A finding stays, however long the measurement becomes: what an extension adds is data.
        if self._extensions == EXTENSIONS or self._is_flat():
            return "finish"
        self._extensions += 1
        return {"extend": {"measure_s": EXTENSION_SHARE * self._measure_s}}

    def _is_flat(self) -> bool:
        self._take_kept()
        return measure(self._recording).is_flat
