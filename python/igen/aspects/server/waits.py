"""What the sessions of servers were seen to do or wait for, as shares of the transactions' time.

A monitor looks at all sessions ten times a second. By Little's law the mean number of sessions in a state
is the rate of transactions times the time that each spends in it, so the share of the sessions is the share
of the time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from igen.aspects.server.parts import WaitShare
from igen.judge.figure.interval import wilson_interval

PREFIX = "wait_samples."
RUNNING = "running"
CLIENT = "client"
MOST = 0.8
"""A kind is said to be about one event or relation from this share of its samples on."""

KINDS = (
    # PostgreSQL: type and name of the wait event.
    (r"IO\.WAL(Sync|Write).*|LWLock\.WALWrite(Lock)?", "log flush"),
    (r"LWLock\.WAL.*", "log insertion"),
    (r"IPC\.SyncRep", "replication"),
    (r"Lock\..*|LWLock\.LockManager", "lock"),
    (r"LWLock\.Buffer(Content|_content)|BufferPin\..*", "hot page"),
    (r"IO\.DataFile(Read|Prefetch)", "data read"),
    (r"IO\.DataFile.*", "data write"),
    (r"Client\..*|client", CLIENT),
    (r"LWLock\..*", "latch"),
    # MariaDB and MySQL: instruments of the performance schema without `wait/`.
    (r"lock\.innodb|lock/.*|state\.Waiting for .*lock", "lock"),
    (r"io/file/(innodb/innodb_log_file|sql/binlog.*)", "log flush"),
    (r"io/file/innodb/innodb_dblwr_file", "data write"),
    (r"io/file/innodb/.*", "data read"),
    (r"io/socket/.*|idle", CLIENT),
    (r"synch/.*", "latch"),
    # States of the list of processes. MariaDB waits for the flush of its log in `Commit`, or, where the
    # flush is asynchronous (from 10.6 on), in `Updating status`: without flushes it is seen in neither.
    (r"state\.(Commit|Updating status|Waiting for prior transaction to commit)", "log flush"),
    (r"running|state\..*|io/table/.*", RUNNING),
)
"""The first pattern that fits the whole event decides."""


@dataclass(frozen=True, slots=True)
class Wait:
    """An event, and the table or index that it is about."""

    event: str
    relation: str = ""
    told_by: str = ""

    @classmethod
    def of(cls, counter: str) -> Wait:
        """From the counter's name: `wait_samples.Lock.tuple@lock:table orders`."""
        event, _, about = counter.removeprefix(PREFIX).partition("@")
        told_by, _, relation = about.partition(":")
        return cls(event, relation, told_by)

    @property
    def kind(self) -> str:
        """What the event means."""
        return next((kind for pattern, kind in KINDS if re.fullmatch(pattern, self.event)), "other")


@dataclass(frozen=True, slots=True)
class Samples:
    """Sessions seen over several moments."""

    moments: int
    waits: Counter[Wait]
    """With the sessions that wait for their client under `client`."""

    @property
    def sessions(self) -> int:
        """All that were seen in a transaction."""
        return self.waits.total()

    def __add__(self, other: Samples) -> Samples:
        return Samples(self.moments + other.moments, self.waits + other.waits)


NOTHING = Samples(0, Counter())


def samples_between(first: Mapping[str, float], last: Mapping[str, float], busy_users: int | None) -> Samples:
    """From the counters of two readings.

    `busy_users` are the users of a closed load without think time or work aside: they are always in a
    transaction, so those of them whose sessions are idle are on the client's side or under way. For other
    loads only sessions with an open transaction are known to be in one.
    """

    def grown(name: str) -> int:
        return round(max(last.get(name, 0.0) - first.get(name, 0.0), 0.0))

    moments = grown("sampled_moments")
    waits = Counter({Wait.of(name): grown(name) for name in last if name.startswith(PREFIX)})
    at_client = grown("sampled_idle_in_transaction")
    if busy_users is not None:
        missing = max(busy_users * moments - grown("sampled_active") - at_client, 0)
        at_client += min(grown("sampled_idle"), missing)
    waits[Wait(CLIENT)] += at_client
    return Samples(moments, +waits)


def shares_by_event(samples: Samples) -> list[WaitShare]:
    """By event and relation, the largest first."""
    return [_share(samples, wait, wait.kind, count) for wait, count in samples.waits.most_common()]


def shares_by_kind(samples: Samples) -> list[WaitShare]:
    """By kind, the largest first; with the event, and the relation, that most of a kind share."""
    kinds: dict[str, Counter[Wait]] = {}
    for wait, count in samples.waits.items():
        kinds.setdefault(wait.kind, Counter())[wait] += count
    ordered = sorted(kinds.items(), key=lambda row: -row[1].total())
    return [_share(samples, _most(waits), kind, waits.total()) for kind, waits in ordered]


def _most(waits: Counter[Wait]) -> Wait:
    """What most of the samples have in common; several ways to know a relation are given as one."""
    events: Counter[str] = Counter()
    relations: Counter[str] = Counter()
    for wait, count in waits.items():
        events[wait.event] += count
        relations[wait.relation] += count
    least = MOST * waits.total()
    ((event, of_event),) = events.most_common(1)
    ((relation, of_relation),) = relations.most_common(1)
    relation = relation if of_relation >= least else ""
    told_by = sorted({wait.told_by for wait in waits if relation and wait.relation == relation})
    return Wait(event if of_event >= least else "", relation, " or ".join(told_by))


def _share(samples: Samples, wait: Wait, kind: str, count: int) -> WaitShare:
    return WaitShare(
        kind=kind,
        event=wait.event,
        relation=wait.relation,
        told_by=wait.told_by,
        samples=count,
        share=wilson_interval(count / samples.sessions, samples.moments),
    )
