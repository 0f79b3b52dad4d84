"""Where the time of a transaction goes, as the server's sessions show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.server.parts import Server, WaitShare
from igen.aspects.server.waits import CLIENT, RUNNING
from igen.judge.limits import FOREIGN_CPU_PERCENT
from igen.judge.result import Level, Observation, System, aspect
from igen.judge.wording import load
from igen.units import counted

NAMED = 0.25
"""The largest part is named where its interval lies above this share."""
ALSO = 0.15
"""Another part is named beside it where its interval lies above this share."""
BUSY_PERCENT = 90.0
WAITED_PERCENT = 50.0
"""From this share of the time on in which tasks were ready and had no processor, these are short."""

SUBJECTS = {
    "log flush": "log flush",
    "log insertion": "writing into the log's buffers",
    "replication": "waiting for a replica",
    "lock": "waiting for locks",
    "hot page": "waiting for pages in use",
    "data read": "reading data files",
    "data write": "writing data files",
    "latch": "waiting for the server's latches",
    RUNNING: "running statements in the server",
    CLIENT: "client and network",
}


def server_observations(system: System, levels: Sequence[Level]) -> Iterator[Observation]:
    """The parts of the time that the samples carry, the largest first; silent where they carry none.

    At the peak, or at the only level; along the number of targets there is none to speak of.
    """
    peak = system.peak.level if system.peak else None
    at = levels if len(levels) == 1 else [level for level in levels if level.level == peak]
    if not at or system.scaling:
        return
    level = at[0]
    server = aspect(level, Server)
    if server is None or not server.kinds or server.kinds[0].low < NAMED:
        return
    first, *others = server.kinds
    also = [each for each in others if each.low >= ALSO]
    time = "response time" if system.load_model == "closed" else "service time"
    subject = _subject(first, server, level)
    share = f"{100 * first.share:.0f} % ({100 * first.low:.0f} to {100 * first.high:.0f} %)"
    text = f"{subject[:1].upper()}{subject[1:]} is {share} of the {time} at {load(system, level)}"
    if also:
        parts = [f"{_subject(each, server, level)} {100 * each.share:.0f} %" for each in also]
        text += f"; {' and '.join(parts)}"
    text += _meaning(first, server, level)
    yield Observation(text=f"{text}.", evidence=_evidence(server, [first, *also]), topic="bottleneck")


def _subject(share: WaitShare, server: Server, level: Level) -> str:
    """`waiting for locks on table orders`, with what the samples cannot tell from it."""
    about = f" on {share.relation}" if share.relation else ""
    more = []
    if share.kind == RUNNING and server.engine == "mysql" and not _sees_reads(server):
        more.append("reading pages")
    if share.kind in (RUNNING, CLIENT) and _lacks_processors(server, level):
        more.append("waiting for a processor")
    beside = f" (with {' and '.join(more)})" if more else ""
    return f"{SUBJECTS.get(share.kind, share.event or 'waiting for other things')}{about}{beside}"


def _sees_reads(server: Server) -> bool:
    """The performance schema tells reads of pages apart; the list of processes calls them a statement."""
    return any(wait.event.startswith(("io/", "synch/")) for wait in server.waits)


def _lacks_processors(server: Server, level: Level) -> bool:
    """Client and server wait for processors, which no session of a server knows.

    All are busy, or tasks wait although some are not, such as those that are bound to one. Known of this
    host, and so of a server on it.
    """
    used = level.resources
    if server.cpu_percent is None or used.cpu_percent is None:
        return False
    return used.cpu_percent >= BUSY_PERCENT or (used.pressure_cpu_percent or 0.0) >= WAITED_PERCENT


def _meaning(first: WaitShare, server: Server, level: Level) -> str:
    """What follows from the largest part."""
    used = level.resources
    if first.kind == CLIENT and _lacks_processors(server, level):
        waited = used.pressure_cpu_percent
        tasks = "" if waited is None else f", and tasks waited for one in {waited:.0f} % of the time"
        return f": the processors are {used.cpu_percent:.0f} % busy{tasks}; the use of more would shorten it"
    if first.kind == CLIENT and first.low > 0.5:
        return "; the server mostly waits for its clients"
    disturbed = used.foreign_cpu_percent is not None and used.foreign_cpu_percent > FOREIGN_CPU_PERCENT
    if first.kind != RUNNING or server.cpu_percent is None or used.cpu_percent is None or disturbed:
        return ""
    if used.cpu_percent >= BUSY_PERCENT:
        return (
            f": the processors are {used.cpu_percent:.0f} % busy, {server.cpu_percent:.0f} % with the "
            "server's processes"
        )
    return ""


def _evidence(server: Server, kinds: list[WaitShare]) -> str:
    """The events that were seen, with their samples."""
    names = {each.kind for each in kinds}
    seen: dict[str, int] = {}
    told = set()
    for wait in server.waits:
        if wait.kind in names:
            seen[wait.event] = seen.get(wait.event, 0) + wait.samples
            if wait.relation and wait.told_by == "statement":
                told.add(wait.kind)
    top = sorted(seen.items(), key=lambda row: -row[1])[:4]
    events = ", ".join(f"{event} {samples:,}" for event, samples in top)
    text = (
        f"{events} of {counted(server.session_samples, 'sample')} of sessions at "
        f"{counted(server.moments, 'moment')}, "
        "Wilson interval over moments"
    )
    return f"{text}; a table may be told by the waiting statement" if told else text
