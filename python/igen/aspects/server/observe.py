"""The parts of a transaction's time, as the server's sessions show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.server.parts import Server, WaitShare
from igen.aspects.server.waits import CLIENT, RUNNING
from igen.judge.curve.named import load_of
from igen.judge.result import Finding, Level, Part, System, aspect
from igen.judge.trust.finding import figure, finding, parts_of
from igen.judge.trust.rules.machine import FOREIGN_CPU_PERCENT

NAMED = 0.25
"""The largest part is named if its interval lies above this share."""
ALSO = 0.15
"""Another part is named as well if its interval lies above this share."""
BUSY_PERCENT = 90.0
MOSTLY = 0.5
"""The server mostly waits for its clients if the interval of their share lies above this."""
WAITED_PERCENT = 50.0
"""Processors are short if tasks were ready and had no processor in this share of the time."""
MOST_EVENTS = 4
"""Only so many events are named."""


def server_observations(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    """Yield the parts of the time that the samples show, the largest first; nothing if they show none.

    The level is that of the peak, or the only one. A curve along the number of targets has no peak.
    """
    peak = system.peak.level if system.peak else None
    at = levels if len(levels) == 1 else [level for level in levels if level.level == peak]
    if not at or system.scaling:
        return
    level = at[0]
    server = aspect(level, Server)
    if server is None or not server.kinds or server.kinds[0].share.against(least=NAMED) != "within":
        return
    first, *others = server.kinds
    also = [each for each in others if each.share.against(least=ALSO) == "within"]
    yield finding(
        "server-time",
        load_of(system, level),
        *_share(first, server, level),
        *_events(server, [first, *also]),
        because=[
            *(finding("further-server-time", *_share(each, server, level)) for each in also),
            *_meaning(first, server, level),
            *_doubt(server, [first, *also]),
        ],
        time="response time" if system.load_model == "closed" else "service time",
        session_samples=server.session_samples,
        moments=server.moments,
    )


def _share(share: WaitShare, server: Server, level: Level) -> Iterator[Part]:
    """Yield a share of the time, its names, and what the samples cannot tell from it."""
    yield figure("share_percent", share.share * 100)
    yield Part(name="kind", text=share.kind)
    yield from (
        Part(name=name, text=text)
        for name, text in (("event", share.event), ("relation", share.relation))
        if text
    )
    if share.kind == RUNNING and server.engine == "mysql" and not _sees_reads(server):
        yield Part(name="included", text="data read")
    if share.kind in (RUNNING, CLIENT) and _lacks_processors(server, level):
        yield Part(name="included", text="processor")


def _sees_reads(server: Server) -> bool:
    """Return True if reads of pages are told apart: the list of processes calls them a statement."""
    return any(wait.event.startswith(("io/", "synch/")) for wait in server.waits)


def _lacks_processors(server: Server, level: Level) -> bool:
    """Return True if client and server wait for processors, which no session of a server knows.

    All are busy, or tasks wait although some are not, such as those that are bound to one. Known of this
    host, and so of a server on it.
    """
    used = level.resources
    if server.cpu_percent is None or used.cpu_percent is None:
        return False
    return used.cpu_percent >= BUSY_PERCENT or (used.pressure_cpu_percent or 0.0) >= WAITED_PERCENT


def _meaning(first: WaitShare, server: Server, level: Level) -> Iterator[Finding]:
    """Yield what follows from the largest part."""
    used = level.resources
    if first.kind == CLIENT and _lacks_processors(server, level):
        shares = {"cpu_percent": used.cpu_percent, "pressure_cpu_percent": used.pressure_cpu_percent}
        known = {name: value for name, value in shares.items() if value is not None}
        yield finding("processors-busy", *parts_of(known))
        return
    if first.kind == CLIENT and first.share.against(MOSTLY, MOSTLY) == "above":
        yield finding("waits-for-clients")
        return
    disturbed = used.foreign_cpu_percent is not None and used.foreign_cpu_percent > FOREIGN_CPU_PERCENT.value
    if first.kind != RUNNING or server.cpu_percent is None or used.cpu_percent is None or disturbed:
        return
    if used.cpu_percent >= BUSY_PERCENT:
        yield finding(
            "server-processors-busy", cpu_percent=used.cpu_percent, server_cpu_percent=server.cpu_percent
        )


def _events(server: Server, shares: Sequence[WaitShare]) -> list[Part]:
    """Return the samples of the events that were seen most often."""
    names = {each.kind for each in shares}
    seen: dict[str, int] = {}
    for wait in server.waits:
        if wait.kind in names:
            seen[wait.event] = seen.get(wait.event, 0) + wait.samples
    top = sorted(seen.items(), key=lambda row: -row[1])[:MOST_EVENTS]
    return [Part(name="samples", figure=samples, text=event) for event, samples in top]


def _doubt(server: Server, shares: Sequence[WaitShare]) -> Iterator[Finding]:
    """Yield a finding if the name of a table may come from the statement that waits."""
    names = {each.kind for each in shares}
    if any(wait.kind in names and wait.relation and wait.told_by == "statement" for wait in server.waits):
        yield finding("table-from-statement")
