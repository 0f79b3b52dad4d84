"""Load of others on a server under test."""

from __future__ import annotations

from dataclasses import dataclass

from igen.facts import FLEET_MACHINES
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import Finding, Part, finding
from igen.judge.trust.rules.machine import MOST_NAMED

MONITOR, OWN, ELSEWHERE = "clients", "own", "from "


@dataclass(frozen=True, slots=True)
class OtherClients:
    """Other clients of the servers that a run has loaded."""

    share: float
    """Part of all requests that they sent, at least."""
    finding: Finding


def other_clients(run: MeasuredRun) -> OtherClients | None:
    """Return the clients that sent requests to the same servers; None without any.

    The agent looks at the connections to servers on its machine, first when the measured time starts and last
    when it ends. Own requests are the segments that came in, or the transactions if these are more: what came
    between the last look at a connection and its end is not counted, on either side. If several machines
    share the load, only clients on this one are known to be others.
    """
    sent = {client: _sent(run, client) for client in run.host.subjects(MONITOR)}
    machines = run.recording.facts.get(FLEET_MACHINES, 1)
    others = {
        client: requests
        for client, requests in sent.items()
        if requests > 0 and client != OWN and not (machines > 1 and client.startswith(ELSEWHERE))
    }
    if not others:
        return None
    own = max(sent.get(OWN, 0.0), run.transactions.count + run.transactions.failed)
    total = own + sum(others.values())
    most = sorted(others.items(), key=lambda row: -row[1])[: MOST_NAMED.value]
    named = [Part(name="client_percent", figure=100 * sent / total, text=client) for client, sent in most]
    share = sum(others.values()) / total
    return OtherClients(share, finding("other-clients", *named, share_percent=100 * share))


def _sent(run: MeasuredRun, client: str) -> float:
    """Return what a client has sent since the first look."""
    readings = run.recording.readings[MONITOR, client]
    return max((each.counters.get("received", 0.0) for each in readings), default=0.0)
