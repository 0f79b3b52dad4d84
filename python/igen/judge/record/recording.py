"""One recorded execution of a job: the lines of a jobs file as typed values.

The file may end anywhere. What is missing is told by `Recording.fault`, and what was measured before stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import Any

from msgspec import Struct

from igen.damage import Damage
from igen.errors import IgenError
from igen.facts import FLEET_HOSTS
from igen.facts.declaration import name_for_load
from igen.failure import failures_of
from igen.foreign_text import cleaned
from igen.judge.record import form
from igen.judge.record.form import FORMS, formed
from igen.judge.record.histogram import NO_TIMES, Histogram, decode, decode_all
from igen.judge.record.snapshot import Snapshot, Statistics, on_grid
from igen.judge.trust.rules.recording import FULL_INTERVAL_SHARE
from igen.loads import Load, Loads, several
from igen.protocol import PROTOCOL
from igen.units import NS_PER_S, parse_time_s

Event = Mapping[str, Any]
_PLACE = ("run", "system", "title", "level", "repeat", "order", "purpose", "test", "started_unix_s", "job")
"""What the store's first line says."""
MOST_INTERVALS = 2048
"""Intervals of an execution, and readings of a subject, in memory: neighbours of more are joined."""
_BATCH = 1024
"""Events that are in memory at once."""
_OF_ALL = ("phase", "start_s", "end_s", "operations_since_s")
"""What a snapshot says once for all loads."""


class Reading(Struct, frozen=True, gc=False):
    """One reading of one monitor about one subject."""

    at_s: float
    counters: Mapping[str, float]
    gauges: Mapping[str, float]


@dataclass(slots=True, kw_only=True)
class Recording:
    """Everything that one jobs file says."""

    job_file: str = ""
    run: str = ""
    system: str = ""
    title: str = ""
    level: int = 0
    repeat: int = 0
    order: int | None = None
    """Place in the order of all executions of the study, from 0; None if unknown."""
    purpose: str = "sweep"
    test: str = ""
    """Where the study names several."""
    started_unix_s: float = 0.0
    job: dict[str, Any] = field(default_factory=dict)
    """As the agent understood it, or as it was sent where the agent said nothing."""
    host: str = ""
    version: str = ""
    """Version of the agent."""
    snapshots: list[Snapshot] = field(default_factory=list)
    joined: int = 1
    """Intervals of the agent that one of the `snapshots` covers: a power of two."""
    readings: dict[tuple[str, str], list[Reading]] = field(default_factory=lambda: defaultdict(list))
    """By monitor and subject, in the order of time; those of the machine of the first agent."""
    elsewhere: dict[str, dict[tuple[str, str], list[Reading]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    """The same of the other load machines, by host."""
    of_tier_hosts: dict[str, dict[tuple[str, str], list[Reading]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )
    """The same of machines that only serve, by the `host` of their tiers."""
    canaries: list[tuple[bool, float]] = field(default_factory=list)
    """(after the measurement, spins per second)."""
    defaults: dict[str, Any] = field(default_factory=dict)
    """Values of the parameters that the job does not set."""
    facts: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    errors: list[form.Message] = field(default_factory=list)
    outcome: str | None = None
    """`complete`, `interrupted`, `failed`; None if the agent never said."""
    unfinished_users: int = 0
    exit_code: int | None = None
    signal: int | None = None
    stderr: str = ""
    truncated: bool = True
    """The store's closing line is missing."""
    damage: list[Damage] = field(default_factory=list)
    """Lines that are damaged or missing, and left out."""
    first_user: int = 0
    """Number of its first user: not 0 if it is one of several loads alone."""
    _loads: tuple[Mapping[str, Any], Loads] | None = field(
        init=False, default=None, repr=False, compare=False
    )
    """The loads of a job, with that job."""

    @property
    def loads(self) -> Loads:
        """What it was asked to drive."""
        if self._loads is None or self._loads[0] is not self.job:
            self._loads = self.job, Loads.of(self.job)
        return self._loads[1]

    @property
    def load_model(self) -> str:
        """`closed`, `paced` or `open`; `several` for several loads at once."""
        return self.loads.model

    @property
    def is_closed(self) -> bool:
        """Whether all its loads are."""
        return all(load.model == "closed" for load in self.loads)

    def of_load(self, name: str) -> Recording:
        """What it says of one of several loads, as if that were a job of its own."""
        others = takewhile(lambda other: other.name != name, self.loads)
        # What is said of this load alone comes last: it stands for what is said of all.
        facts = sorted(self.facts, key=lambda fact: name_for_load(fact, name) != fact)
        snapshots = [each.loads[name] for each in self.snapshots if name in each.loads]
        drained = [each.users for each in snapshots if each.phase == "drain"]
        return replace(
            self,
            job=self.loads.job_of(self.job, name),
            facts={own: self.facts[fact] for fact in facts if (own := name_for_load(fact, name)) is not None},
            snapshots=snapshots,
            # Whoever is still there when the drain is over has not ended its transaction.
            unfinished_users=drained[-1] if drained else 0,
            first_user=sum(other.users or 0 for other in others),
        )

    @property
    def load(self) -> dict[str, Any]:
        """The parameters of the load model; of several loads none."""
        return dict(Load.of(self.job.get("load")).asked)

    @property
    def users(self) -> int | None:
        """Users asked for; None for an open load that may use as many as it takes."""
        return self.loads.users

    @property
    def own_users(self) -> int | None:
        """Those of `users` that this agent drives: all, unless several agents share the job."""
        share: dict[str, int] = self.job.get("share") or {"index": 0, "of": 1}
        users = self.users
        if users is None:
            return None
        before, after = (
            max(-(-(number - share["index"]) // share["of"]), 0)
            for number in (self.first_user, self.first_user + users)
        )
        return after - before

    @property
    def offered_per_s(self) -> float | None:
        """What an open or paced load offers."""
        return self.loads.offered_per_s

    @property
    def targets(self) -> list[str]:
        """The systems under test, as URLs."""
        return list(self.job.get("targets") or [])

    @property
    def along_targets(self) -> bool:
        """Whether it stands on a curve along the number of targets, not along the load of the same ones."""
        return self.purpose == "scale"

    @property
    def curve_place(self) -> tuple[float, ...]:
        """Where the run stands on its curve: users, or for an open load the offered rate; of each load."""
        return tuple(load.amount for load in self.loads)

    @property
    def tiers(self) -> list[dict[str, Any]]:
        """Processes that serve together, as the job names them."""
        return list(self.job.get("tiers") or [])

    def readings_of(self, host: str) -> dict[tuple[str, str], list[Reading]]:
        """Return where readings of that host belong; those without a host are of the agent's machine."""
        if not host or host == self.host:
            return self.readings
        if any(tier.get("host") == host for tier in self.tiers):
            return self.of_tier_hosts[host]
        return self.elsewhere[host] if host in (self.facts.get(FLEET_HOSTS) or ()) else self.readings

    @property
    def interval_s(self) -> float:
        """Planned length of an interval, as many of the agent's as are `joined`."""
        return self.joined * parse_time_s(str((self.job.get("phases") or {}).get("interval_s", 1.0)))

    def join(self, joined: int) -> None:
        """Keep as many of the agent's intervals as one, and of the readings in that time the last."""
        if joined > 1:
            length_s = self.interval_s / self.joined * joined
            self.joined = joined
            self.snapshots = on_grid(self.snapshots, length_s)
            for series in self._series():
                series[:] = _last_in_each(length_s, series)

    @property
    def _longest(self) -> int:
        """Number of the snapshots, or of the readings of a subject."""
        return max(len(self.snapshots), *map(len, self._series()), 0)

    def _series(self) -> Iterator[list[Reading]]:
        for machine in (self.readings, *self.elsewhere.values(), *self.of_tier_hosts.values()):
            yield from machine.values()

    def bound(self) -> None:
        """Join intervals until a bounded number of them is left: long executions do not fit into memory.

        Intervals between which time is missing are not joined.
        """
        self.join(self.joined)
        while (longest := self._longest) > MOST_INTERVALS and self.interval_s > 0:
            self.join(2 * self.joined)
            if self._longest == longest:
                self.joined //= 2
                return

    @property
    def measure(self) -> list[Snapshot]:
        """The intervals of MEASURE."""
        return [snapshot for snapshot in self.snapshots if snapshot.phase == "measure"]


def _last_in_each(length_s: float, readings: Sequence[Reading]) -> list[Reading]:
    """Return the last reading in each cell of a grid."""
    cells = [each.at_s // length_s for each in readings]
    return [
        each for each, cell, after in zip(readings, cells, [*cells[1:], None], strict=True) if cell != after
    ]


def throughput_series(recording: Recording) -> list[float]:
    """Successful transactions per second in each whole interval of MEASURE, for `steady_state`."""
    return [snapshot.transactions.count / snapshot.length_s for snapshot in whole_intervals(recording)]


def whole_intervals(recording: Recording) -> list[Snapshot]:
    """The intervals of MEASURE without the last one if that was cut short (below 95 % of the plan).

    A late tick makes one interval longer and the next shorter: both stay, so that no time is left out.
    """
    intervals = recording.measure
    cut_short = intervals and intervals[-1].length_s < FULL_INTERVAL_SHARE.value * recording.interval_s
    return intervals[:-1] if cut_short else intervals


def recording_from_events(events: Iterable[Event], job_file: str = "") -> Recording:
    """The lines of one jobs file, in order, as dictionaries of one key; the end may be missing.

    Events of an unknown kind are left out: a newer agent may say more. Known ones that do not have the form
    that `schema/event.schema.json` gives them are left out too, and are `damage`, by their places.
    """
    recording = Recording(job_file=job_file)
    add_events(recording, enumerate(events, start=1))
    return recording


def add_events(recording: Recording, numbered: Iterator[tuple[int, Event]]) -> None:
    """Take the next events of a job that goes on, each with the number of its line."""
    while batch := list(islice(numbered, _BATCH)):
        times = _decoder_of(event for _, event in batch)
        for number, event in batch:
            for kind, value in event.items():
                _take_line(recording, number, kind, value, times)
        recording.bound()


def _take_line(
    recording: Recording, number: int, kind: str, value: Any, times: Callable[[form.Times], Histogram]
) -> None:
    """Take a line; another form than the schema's is damage. Raises `IgenError` for a foreign protocol."""
    job_file = recording.job_file
    try:
        _take(recording, kind, value, times)
    except IgenError as error:
        error.where = f"{job_file or 'recording'}:{number}"
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        recording.damage.append(
            Damage(
                kind="event-malformed",
                file=job_file or "the recording",
                lines=(number,),
                count=1,
                of=cleaned(kind),
                error=cleaned(repr(error)),
            )
        )


def _check_protocol(protocol: Any) -> None:
    if protocol != PROTOCOL:
        raise IgenError(
            f"the agent's events are of protocol {protocol}; this igen reads {PROTOCOL}",
            hint="read them with the release of igen that recorded them",
        )


def _decoder_of(events: Iterable[Event]) -> Callable[[form.Times], Histogram]:
    """Reads the times of these events. All payloads are decoded beforehand: together that is much faster.

    Where one of them is broken each is decoded when its event is taken, so that the error names its line.
    """
    payloads = (each for event in events if "snapshot" in event for each in _payloads(event["snapshot"]))
    try:
        found = dict.fromkeys(payloads)
        decoded = dict(zip(found, decode_all(list(found)), strict=True))
    except (TypeError, ValueError):
        decoded = {}

    def times(of: form.Times) -> Histogram:
        payload = of.hdr, of.sum_ns
        histogram = decoded.get(payload)
        return decode(*payload) if histogram is None else histogram

    return times


def _payloads(snapshot: Any) -> Iterator[tuple[str, int]]:
    """Every histogram in a snapshot, as payload and sum; what has not the form of one is left out."""
    try:
        parts = [
            part
            for each in (snapshot, *several(snapshot).values())
            for part in (
                each["transactions"],
                *each.get("operations", {}).values(),
                *each.get("targets", []),
            )
        ]
        for part in parts:
            for name in ("service_time", "response_time", "failed_time"):
                if times := part.get(name):
                    yield times["hdr"], times["sum_ns"]
    except (KeyError, TypeError, AttributeError):
        return


def _take(recording: Recording, kind: str, value: Any, times: Callable[[form.Times], Histogram]) -> None:
    if kind == "hello":
        _check_protocol(value["protocol"])
    if kind not in FORMS:
        return
    match formed(FORMS[kind], value):
        case form.Reading() as read:
            reading = Reading(read.at_s, read.counters, read.gauges)
            recording.readings_of(read.host)[read.monitor, read.subject].append(reading)
        case form.Snapshot() as read:
            snapshot = _snapshot(read, value, times)
            if missing := set(recording.loads.names) - set(snapshot.loads):
                raise ValueError(f"nothing is said of {' and '.join(sorted(missing))}")
            recording.snapshots.append(snapshot)
        case form.JobStart():
            for name in _PLACE:
                setattr(recording, name, value.get(name, getattr(recording, name)))
        case form.Hello() as read:
            recording.job, recording.host, recording.version = value["job"], read.host, read.version
            recording.defaults = read.defaults or {}
            recording.started_unix_s = recording.started_unix_s or read.started_unix_s
        case form.Fact() as read:
            recording.facts[read.name] = read.value
        case form.Canary() as read:
            recording.canaries.append((read.after, read.spins_per_s))
        case form.Message() as read:
            if kind == "warning":
                recording.warnings.append(read.whole)
            else:
                recording.errors.append(read)
        case form.End() as read:
            recording.outcome, recording.unfinished_users = read.outcome, read.unfinished_users
        case form.JobEnd() as read:
            recording.exit_code, recording.signal = read.exit_code, read.signal
            recording.stderr, recording.truncated = read.stderr, False
            if read.interrupted and recording.outcome is None:
                # The user did not wait for the agent's last words: that is no fault of the system's.
                recording.outcome = "interrupted"


def _snapshot(read: form.Snapshot, value: Event, times: Callable[[form.Times], Histogram]) -> Snapshot:
    """Return an interval from the event as it was `read`, and from its value, which has all loads."""
    loads = {}
    for name, part in several(value).items():
        # A load has the form of a snapshot once what all loads share is added.
        whole = {**{key: value[key] for key in _OF_ALL if key in value}, **part}
        loads[name] = _snapshot(formed(form.Snapshot, whole), whole, times)
    return Snapshot(
        phase=read.phase,
        start_s=read.start_s,
        end_s=read.end_s,
        users=read.users,
        transactions=_statistics(read.transactions, times),
        operations={name: _statistics(part, times) for name, part in read.operations.items()},
        counters=read.counters,
        failures=failures_of(value.get("failures", ())),
        arrivals=read.arrivals,
        operations_since_s=read.operations_since_s,
        think_time_s=read.think_time_ns / NS_PER_S,
        targets=[_statistics(part, times) for part in read.targets],
        loads=loads,
    )


def _statistics(read: form.Statistics, times: Callable[[form.Times], Histogram]) -> Statistics:
    service_time = times(read.service_time)
    return Statistics(
        count=read.count,
        failed=read.failed,
        service_time=service_time,
        response_time=times(read.response_time) if read.response_time else service_time,
        failed_time=times(read.failed_time) if read.failed_time else NO_TIMES,
    )
