"""Load of others on a server under test."""

from __future__ import annotations

from dataclasses import dataclass

from igen.judge.measured import MeasuredRun

MONITOR, OWN, ELSEWHERE = "clients", "own", "from "
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class OtherClients:
    """Other clients of the servers that a run has loaded."""

    share: float
    """Part of all requests that they sent, at least."""
    text: str


def other_clients(run: MeasuredRun) -> OtherClients | None:
    """Return the clients that sent requests to the same servers; None without any.

    The agent looks at the connections to servers on its machine at the start and at the end of the measured
    time. Own requests are the segments that came in, or the transactions if these are more: connections that
    were closed in between are not counted, on either side. If several machines share the load, only clients
    on this one are known to be others.
    """
    rates = {
        subject: run.host.per_s(MONITOR, "received", subject) or _since_start(run, subject)
        for subject in run.host.subjects(MONITOR)
    }
    machines = run.recording.facts.get("fleet.machines", 1)
    others = {
        client: per_s
        for client, per_s in rates.items()
        if per_s > 0 and client != OWN and not (machines > 1 and client.startswith(ELSEWHERE))
    }
    if not others or run.measured_s <= 0:
        return None
    own = max(rates.get(OWN, 0.0), (run.transactions.count + run.transactions.failed) / run.measured_s)
    total = own + sum(others.values())
    most = sorted(others.items(), key=lambda row: -row[1])[:MOST_NAMED]
    named = ", ".join(f"{client} {100 * per_s / total:.1f} %" for client, per_s in most)
    share = sum(others.values()) / total
    return OtherClients(share, f"others sent {100 * share:.1f} % of the servers' requests: {named}")


def _since_start(run: MeasuredRun, client: str) -> float:
    """Return the rate of a client that came after the first look: its counter began at 0."""
    (*_, last) = run.recording.readings[MONITOR, client]
    return last.counters.get("received", 0.0) / run.measured_s if run.measured_s > 0 else 0.0
