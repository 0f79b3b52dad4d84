"""Where the time of a transaction goes, as the server's sessions show it."""

from __future__ import annotations

from collections.abc import Iterator

from igen.analysis.limits import FOREIGN_CPU_PERCENT
from igen.analysis.result import Level, Observation, Server, System, WaitShare
from igen.analysis.waits import CLIENT, RUNNING
from igen.analysis.wording import load

NAMED = 0.25
"""The largest part is named where its interval lies above this share."""
ALSO = 0.15
"""Another part is named beside it where its interval lies above this share."""
BUSY_PERCENT = 90.0

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


def server_observations(system: System, level: Level) -> Iterator[Observation]:
    """The parts of the time that the samples carry, the largest first; silent where they carry none."""
    server = level.server
    if server is None or not server.kinds or server.kinds[0].low < NAMED:
        return
    first, *others = server.kinds
    also = [each for each in others if each.low >= ALSO]
    time = "response time" if system.load_model == "closed" else "service time"
    subject = _subject(first)
    share = f"{100 * first.share:.0f} % ({100 * first.low:.0f} to {100 * first.high:.0f} %)"
    text = f"{subject[:1].upper()}{subject[1:]} is {share} of the {time} at {load(system, level)}"
    if also:
        text += f"; {' and '.join(f'{_subject(each)} {100 * each.share:.0f} %' for each in also)}"
    text += _meaning(first, server, level)
    yield Observation(text=f"{text}.", evidence=_evidence(server, [first, *also]), topic="bottleneck")


def _subject(share: WaitShare) -> str:
    """`waiting for locks on table orders`."""
    about = f" on {share.relation}" if share.relation else ""
    return f"{SUBJECTS.get(share.kind, share.event or 'waiting for other things')}{about}"


def _meaning(first: WaitShare, server: Server, level: Level) -> str:
    """What follows from the largest part."""
    if first.kind == CLIENT and first.low > 0.5:
        return "; the server mostly waits for its clients"
    used = level.resources
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
        f"{events} of {server.session_samples:,} samples of sessions at {server.moments:,} moments, "
        "Wilson interval over moments"
    )
    return f"{text}; a table may be told by the waiting statement" if told else text
