"""What database servers add to a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.figure.figure import Figure
from igen.judge.result import LevelPart

SERVER_MONITORS = ("postgresql", "mysql")
"""They follow the servers of the job's targets, each under its place: `db.lab:5432/shop`."""

LATE_S = {"postgresql": 2.0, "mysql": 0.0}
"""Time before a reading of which it tells, in seconds, by monitor. PostgreSQL's sessions report at most once
a second, and a reading is the mean of the last second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitShare:
    """What sessions of the server were seen to do or wait for, of all that were seen in a transaction.

    By Little's law this share of the sessions is the share of the transaction's time.
    """

    kind: str
    """`log flush`, `lock`, `hot page`, `data read`, `running`, `client` and others: what `event` means."""
    event: str
    """The server's own name: `IO.WALSync`, `state.Commit`; `running` for a session on a processor or ready
    for one, `client` for one whose transaction waits for the client's next statement."""
    relation: str
    """`table orders`, `index orders_by_customer of orders`; empty where the server does not tell."""
    told_by: str
    """How the relation is known: `lock`, `file`, `object` from the server's own note, or `statement` where
    the waiting statement names one table only; empty without a relation."""
    samples: int
    """Sessions seen, over all moments."""
    share: Figure
    """Share of the samples of sessions in a transaction, 0 to 1; Wilson's interval with one observation for
    each moment, because sessions of one moment wait for the same thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherClient:
    """Active sessions of one user, address and application that iGen has not opened."""

    server: str
    """The server of a target: `db.lab:5432`."""
    user: str
    address: str
    """The address of the client; empty for a Unix socket."""
    application: str
    """The name that the client gives itself; empty if it gives none."""
    sessions: int
    active_percent: float
    """Share of the looks at which a session ran a statement or had done something since the look before: the
    most active session, in the run with the most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server(LevelPart):
    """The servers of the job's targets as they see themselves, over the measured time.

    Sums over servers, means over repeats unless said otherwise.
    """

    kind: Literal["server"] = "server"
    engine: str
    """`postgresql` or `mysql`."""
    servers: int
    commits_per_s: float | None
    """Transactions of the target's database; of the whole server with `mysql`."""
    rollbacks_per_s: float | None
    cache_hit_percent: float | None
    """Share of the pages that statements asked for which were in the server's own cache."""
    checkpoints: int | None
    """Begun in all measured time; with `mysql` not counted by the server."""
    deadlocks: int | None
    """In all measured time."""
    lock_waits_per_s: float | None
    """Row locks that were waited for; with `postgresql` not counted by the server."""
    cpu_percent: float | None
    """Share of all processors that the servers' processes used; None for servers elsewhere."""
    cpu_us_per_transaction: float | None
    """Processor time of the servers' processes for each transaction of the client."""
    read_bytes_per_s: float | None
    """By the servers' processes from storage, where this may be read."""
    active_sessions: float | None
    """Mean number of sessions that run a statement, waiting or not."""
    moments: int
    """At which the sessions were looked at, all repeats together."""
    session_samples: int
    """Sessions seen in a transaction, over all moments."""
    kinds: list[WaitShare]
    """By kind alone, the largest first; `event` and `relation` where four fifths of the kind have them."""
    waits: list[WaitShare]
    """By event and relation, the largest first."""
    others: list[OtherClient]
    """Other clients of the servers, the most active first: whatever their share of the load."""
    sees_others: bool | None
    """False if the user of a target may not see the sessions of other users; None if nobody looked."""
    commits_of_others_percent: float | None
    """Share of the servers' commits that are not this load's, if there are other clients; None if the load's
    own commits are unknown."""
