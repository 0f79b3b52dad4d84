"""What happens with each line of a running agent: into the file first, then to observer and judge."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from igen.fleet.local import Command, JobExit
from igen.judge.measured import measure
from igen.judge.recording import Recording, add_events
from igen.monitors.watch import Watch
from igen.store.active import ActiveRun
from igen.store.job_file import JobWriter
from igen.study.observer import Observer
from igen.study.target_counts import CountsOverMeasure

FactsOf = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""What is known of a job beside what its agent tells, by name."""
EXTENSIONS = 3
"""How often at most a level that is not steady is measured longer."""
EXTENSION_SHARE = 0.5
"""How much longer, of the planned measurement."""


def no_facts(_job: Mapping[str, Any]) -> Mapping[str, Any]:
    """Nothing is known of it."""
    return {}


class JobListener:
    """Records a job and what its target counts, watches for other runs in the store, answers `measured`."""

    def __init__(
        self,
        writer: JobWriter,
        job: dict[str, Any],
        active: ActiveRun,
        observer: Observer,
        warn: Callable[[str], None],
        target_counts: CountsOverMeasure | None = None,
        facts: Mapping[str, Any] | None = None,
        watch: Watch | None = None,
    ) -> None:
        """`facts` are known before the agent says its own, and stand in the record beside them."""
        self.events: list[dict[str, Any]] = [{"job_start": writer.start}]
        self._writer = writer
        self._measure_s: float = job["phases"]["measure_s"]
        self._active = active
        self._observer = observer
        self._warn = warn
        self._target_counts = target_counts
        self._facts = dict(facts or {})
        self._watch = watch
        """Other machines on which tiers run; None for a job without them."""
        self._concurrent_runs = 0
        self._extensions = 0
        self._recording = Recording()
        self._decoded = 0
        """As many of the events are in the recording."""

    def line(self, line: bytes) -> None:
        """Keeps the line as it came."""
        self._writer.line(line)

    def event(self, event: dict[str, Any]) -> Command | None:
        """Keeps the event for the judge and answers it where it is a question."""
        self.events.append(event)
        self._observer.event(event)
        if "hello" in event:
            self._tell(self._facts)
            self._facts = {}
        if "warning" in event:
            self._warn(event["warning"]["text"])
        if "phase" in event and self._target_counts is not None:
            self._tell(self._target_counts.entered(event["phase"]["phase"]) or {})
        if "snapshot" in event:
            self._watch_other_runs()
        if self._watch is not None:
            if "hello" in event:
                for known in self._watch.started(float(event["hello"]["started_unix_s"])):
                    self._append(known)
            self._take_from_other_machines(self._watch)
        return self._answer() if "measured" in event else None

    @property
    def reached_measure(self) -> bool:
        """Whether the measurement began."""
        return any(event.get("phase", {}).get("phase") == "measure" for event in self.events)

    def finish(self, exit: JobExit) -> None:
        """Closes the job's record: what went wrong if the agent could not say it, and how it ended."""
        if self._watch is not None:
            self._take_from_other_machines(self._watch)
        if exit.error is not None and not any("error" in event for event in self.events):
            self._append({"error": exit.error})
        end = {
            "exit_code": exit.exit_code,
            "signal": exit.signal,
            "interrupted": exit.interrupted,
            "ended_unix_s": time.time(),
            "stderr": exit.stderr,
        }
        self.events.append({"job_end": end})
        self._writer.end(end)

    def _append(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        self._writer.event(event)

    def _tell(self, facts: Mapping[str, Any]) -> None:
        for name, value in facts.items():
            self._append({"fact": {"name": name, "value": value}})

    def _take_from_other_machines(self, watch: Watch) -> None:
        for event in watch.take():
            self._append(event)
            if "warning" in event:
                self._warn(event["warning"]["text"])

    def _watch_other_runs(self) -> None:
        others = self._active.others()
        if others <= self._concurrent_runs:
            return
        self._warn("another run is going on in this store: both disturb each other")
        self._concurrent_runs = others
        self._append({"fact": {"name": "environment.concurrent_runs", "value": others}})

    def _answer(self) -> Command:
        # A finding stays, however long the measurement becomes: what an extension adds is data.
        if self._extensions == EXTENSIONS or not self._is_unsteady():
            return "finish"
        self._extensions += 1
        return {"extend": {"measure_s": EXTENSION_SHARE * self._measure_s}}

    def _is_unsteady(self) -> bool:
        add_events(self._recording, self.events[self._decoded :], count(self._decoded + 1))
        self._decoded = len(self.events)
        return measure(self._recording).is_unsteady
