"""All machines of a study's tiers that are not the load machine: reached when a job needs them, then read.

Each is read by a thread of its own; what they say waits until whoever writes the run takes it. Whatever
happens to one of them is a warning, never the end of a job.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any

from igen.facts import (
    TIER_HOST_CLOCK_AHEAD_S,
    TIER_HOST_CLOCK_ERROR_S,
    TIER_MEMORY,
    TIER_PROCESS_IDS,
    TIER_PROCESSORS,
    TIER_SOURCE,
)
from igen.monitors.machines import machines_of
from igen.monitors.over_ssh import read_over_ssh
from igen.monitors.said import Datum, Machine, NotRead, Ready, Said, Sample, Trouble
from igen.monitors.scrape import read_by_scraping
from igen.monitors.ship import Program

READY_S = 150.0
"""A job waits so long at most for a machine that is being reached: its program may have to be sent there."""
TOLD_S = 1.0
"""After so long it is told for whom the job waits: most are ready sooner."""
AGAIN_S = 30.0
"""One that failed is tried again by the first job after so long."""
MOST_WARNINGS = 32
"""Different ones of a machine in a job; that there are more is another."""
MORE = "says more warnings, which are left out"
_OF_TIERS = (TIER_SOURCE, TIER_MEMORY, TIER_PROCESSORS, TIER_PROCESS_IDS)
"""Facts of a tier, which are kept."""
_STEP_S = 0.05
_END_S = 5.0
_MOST_WAITING = 200_000
"""Things that were said and that nobody took."""

StoredEvent = dict[str, Any]


class Watch:
    """Says what was heard of other machines as events, with the times of the job that runs."""

    def __init__(self, agent: Path, is_interrupted: Callable[[], bool]) -> None:
        self._agent = agent
        self._is_interrupted = is_interrupted
        self._watched: dict[Machine, _Watched] = {}
        self._zero_s: float | None = None
        """Begin of the job's clock on the monotonic one of this process; None until that is known."""

    def begin(self, job: Mapping[str, Any], waits: Callable[[list[str]], None] = lambda _names: None) -> None:
        """Before a job: its machines are read when this returns, or failed. Other ones are left.

        `waits` is told the names of those that it waits for, whenever they change; of none at the end.
        """
        wanted = machines_of(job)
        self._end([machine for machine in self._watched if machine not in wanted])
        for machine in wanted:
            watched = self._watched.get(machine)
            if watched is None or watched.is_to_be_tried_again():
                late = watched.late if watched else None
                self._watched[machine] = _Watched(machine, self._agent, late)
        self._wait(waits)
        self._zero_s = None
        for each in self._watched.values():
            each.forget()

    def _wait(self, waits: Callable[[list[str]], None]) -> None:
        begin_s = time.monotonic()
        told: list[str] = []
        while waited_for := [each for each in self._watched.values() if each.is_waited_for()]:
            if self._is_interrupted():
                break
            waited_s = time.monotonic() - begin_s
            if waited_s >= READY_S:
                for each in waited_for:
                    each.give_up_waiting()
                break
            names = [each.machine.name for each in waited_for]
            if waited_s >= TOLD_S and names != told:
                waits(told := names)
            time.sleep(_STEP_S)
        if told:
            waits([])

    def started(self, started_unix_s: float) -> Iterator[StoredEvent]:
        """The load's clock began then, by the calendar: what is known of the machines, as events."""
        self._zero_s = started_unix_s - time.time() + time.monotonic()
        for each in self._watched.values():
            yield from each.facts()

    def take(self) -> Iterator[StoredEvent]:
        """What was heard since the last time; nothing before the job's clock is known."""
        if self._zero_s is None:
            return
        for each in self._watched.values():
            yield from each.events(self._zero_s)

    def close(self) -> None:
        """Ends all that was started."""
        self._end(list(self._watched))

    def _end(self, machines: list[Machine]) -> None:
        ended = [self._watched.pop(machine) for machine in machines]
        for each in ended:
            each.stop.set()
        until_s = time.monotonic() + _END_S
        for each in ended:
            each.thread.join(max(until_s - time.monotonic(), 0.0))


@dataclass(frozen=True, slots=True)
class _Gone:
    """The last that is said of a machine: why it is not read any more."""

    trouble: Trouble


class _Watched:
    """One machine, and the thread that reads it."""

    def __init__(self, machine: Machine, agent: Path, late: Trouble | None = None) -> None:
        self.machine = machine
        self.stop = Event()
        self.late = late
        """Why no job waits for it: it was not ready in time, and has not been since."""
        self._agent = agent
        self._said: Queue[Said | _Gone] = Queue(_MOST_WAITING)
        self._ready: Ready | None = None
        self._told_error_s = -1.0
        """The clock's largest error that stands in the file of this job."""
        self._facts: dict[str, Any] = {}
        self._lasting: dict[str, Trouble] = {}
        self._now: Trouble | None = None
        """One that was not followed by a reading yet."""
        self._gone: Trouble | None = None
        self._told: set[str] = set()
        """Troubles that stand in the file of this job."""
        self._answered = Event()
        self._failed_s: float | None = None
        self.thread = Thread(target=self._read, name=f"monitor {machine.name}", daemon=True)
        self.thread.start()

    def is_waited_for(self) -> bool:
        """Whether nobody knows yet if it can be read."""
        return self.late is None and not self._answered.is_set()

    def give_up_waiting(self) -> None:
        """It was waited for long enough, in this job and in later ones."""
        self.late = Trouble(f"was not ready within {READY_S:g} s, and is not waited for any more")

    def is_to_be_tried_again(self) -> bool:
        """Whether it failed some time ago."""
        return self._failed_s is not None and time.monotonic() - self._failed_s > AGAIN_S

    def forget(self) -> None:
        """What was heard before a job is none of its own, but for facts, and troubles that last."""
        for said in self._heard():
            self._keep(said)
        if self._ready is not None:
            self.late = None
        self._told.clear()
        self._told_error_s = -1.0

    def facts(self) -> Iterator[StoredEvent]:
        """What is known of the machine and of its clock."""
        for name, value in self._facts.items():
            yield _fact(name, value)
        if self._ready is not None:
            yield from self._clock(self._ready)

    def events(self, zero_s: float) -> Iterator[StoredEvent]:
        """What was heard, with the times of a job whose clock began at `zero_s`."""
        for said in self._heard():
            self._keep(said)
            match said:
                case Sample():
                    yield {"reading": _reading(self.machine.host, said, zero_s)}
                case Ready():
                    yield from self._clock(said)
                case Trouble(lasts=False) if self._now is not None:
                    yield from self._warning(self._now)
        for trouble in (*self._lasting.values(), self._now):
            if trouble is not None:
                yield from self._warning(trouble)
        for why in (self.late, self._gone):
            if why is not None:
                yield from self._told_once(why)

    def _clock(self, ready: Ready) -> Iterator[StoredEvent]:
        """Where the error is larger than it was in this job until now: of a fact the last one counts."""
        if ready.clock_error_s <= self._told_error_s:
            return
        self._told_error_s = ready.clock_error_s
        yield _fact(TIER_HOST_CLOCK_ERROR_S.of(self.machine.host), ready.clock_error_s)
        if ready.clock_ahead_s is not None:
            yield _fact(TIER_HOST_CLOCK_AHEAD_S.of(self.machine.host), ready.clock_ahead_s)

    def _warning(self, trouble: Trouble) -> Iterator[StoredEvent]:
        """As many as somebody reads, and that there are more."""
        if trouble.text not in self._told and len(self._told) >= MOST_WARNINGS:
            trouble = Trouble(MORE, at_unix_s=trouble.at_unix_s)
        yield from self._told_once(trouble)

    def _told_once(self, trouble: Trouble) -> Iterator[StoredEvent]:
        """Each once in a job, with the time at which it was first seen."""
        if trouble.text not in self._told:
            self._told.add(trouble.text)
            at = datetime.fromtimestamp(trouble.at_unix_s, UTC).strftime("%H:%M:%S UTC")
            text = f"{self.machine.name}: {trouble.text} (at {at})"
            yield {"warning": {"path": "tiers", "text": text}}

    def _heard(self) -> Iterator[Said | _Gone]:
        """What waits now: one that goes on speaking is heard again at the next look."""
        try:
            for _ in range(self._said.qsize()):
                yield self._said.get_nowait()
        except Empty:
            return

    def _keep(self, said: Said | _Gone) -> None:
        match said:
            case Ready():
                self._ready, self._now = said, None
            case Datum(name=name, value=value) if self._is_of_its_tiers(name):
                self._facts[name] = value
            case Trouble(lasts=True):
                full = len(self._lasting) >= MOST_WARNINGS and said.text not in self._lasting
                kept = Trouble(MORE, lasts=True, at_unix_s=said.at_unix_s) if full else said
                self._lasting.setdefault(kept.text, kept)
            case Trouble() if self._now is None or self._now.text != said.text:
                self._now = said
            case _Gone():
                self._gone = said.trouble

    def _is_of_its_tiers(self, fact: str) -> bool:
        """True if it is a fact about a tier of this machine: a few, whatever the machine says."""
        return any(each.part(fact) in self.machine.tier_names for each in _OF_TIERS)

    def _say(self, said: Said) -> None:
        try:
            self._said.put_nowait(said)
        except Full:
            raise NotRead(f"it says more than can be kept: {_MOST_WAITING:,} things") from None
        # Of one that is scraped a trouble is an answer, too.
        if isinstance(said, Ready) or (isinstance(said, Trouble) and self.machine.is_scraped):
            self._answered.set()

    def _read(self) -> None:
        try:
            if self.machine.is_scraped:
                read_by_scraping(self.machine, self._say, self.stop)
            else:
                read_over_ssh(self.machine, Program.of(self._agent), self._say, self.stop)
        except NotRead as error:
            self._fail(str(error))
        except Exception as error:  # a defect of ours must not end a study that only wanted to know more
            self._fail(f"{type(error).__name__}: {error}")

    def _fail(self, why: str) -> None:
        text = f"not read any more: {why}" if self._answered.is_set() else f"cannot be read: {why}"
        self._failed_s = time.monotonic()
        with self._said.mutex:
            # Where nobody took anything for long there may be no room.
            self._said.queue.append(_Gone(Trouble(text)))
        self._answered.set()


def _fact(name: str, value: Any) -> StoredEvent:
    return {"fact": {"name": name, "value": value}}


def _reading(host: str, sample: Sample, zero_s: float) -> dict[str, Any]:
    return {
        "host": host,
        "monitor": sample.monitor,
        "subject": sample.subject,
        "at_s": sample.at_s - zero_s,
        "counters": sample.counters,
        "gauges": sample.gauges,
    }
