"""Sentences about the time of a transaction in a database server."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.trust.finding import Part
from igen.say.group import Group
from igen.say.said import Said
from igen.say.words import because
from igen.units import format_count

SUBJECTS = {
    "log flush": "log flush",
    "log insertion": "writing into the log's buffers",
    "replication": "waiting for a replica",
    "lock": "waiting for locks",
    "hot page": "waiting for pages in use",
    "data read": "reading data files",
    "data write": "writing data files",
    "latch": "waiting for the server's latches",
    "running": "running statements in the server",
    "client": "client and network",
}
INCLUDED = {"data read": "reading pages", "processor": "waiting for a processor"}


def _subject(group: Group) -> str:
    """Return `waiting for locks on table orders`, with everything that the samples cannot separate."""
    about = f" on {group.listed('relation')}" if group.has("relation") else ""
    included = " and ".join(INCLUDED[each] for each in group.texts("included"))
    other = group.listed("event") or "waiting for other things"
    subject = SUBJECTS.get(group.listed("kind"), other)
    return f"{subject}{about}{f' (with {included})' if included else ''}"


def _share(part: Part) -> str:
    """Return `42 % (38 to 46 %)`."""
    low, high = part.span or (0.0, 0.0)
    return f"{part.figure:.0f} % ({low:.0f} to {high:.0f} %)"


def _server_time(group: Group) -> Said:
    subject = _subject(group)
    share = _share(group.findings[0].part("share_percent"))
    text = f"{subject[:1].upper()}{subject[1:]} is {share} of the {group.listed('time')}"
    text += f" at {group.listed('load')}"
    further = [Group(found) for found in group.because if found[0].rule == "further-server-time"]
    if further:
        text += f"; {' and '.join(map(_further, further))}"
    if meaning := because(group, "processors-busy", "server-processors-busy"):
        text += f": {meaning}"
    if meaning := because(group, "waits-for-clients"):
        text += f"; {meaning}"
    events = ", ".join(f"{part.text} {format_count(part.figure or 0)}" for part in group.parts("samples"))
    evidence = (
        f"{events} of {group.count('session_samples', 'sample')} of sessions at "
        f"{group.count('moments', 'moment')}, Wilson interval over moments"
    )
    doubt = because(group, "table-from-statement")
    return Said(f"{text}.", f"{evidence}; {doubt}" if doubt else evidence)


def _further(group: Group) -> str:
    return f"{_subject(group)} {group.percent('share_percent', '.0f')}"


def _processors_busy(group: Group) -> str:
    waited = ""
    if group.has("pressure_cpu_percent"):
        waited = f", and tasks waited for one in {group.percent('pressure_cpu_percent', '.0f')} of the time"
    busy = group.percent("cpu_percent", ".0f")
    return f"the processors are {busy} busy{waited}; more processors would shorten it"


def _server_processors_busy(group: Group) -> str:
    busy, server = (group.percent(name, ".0f") for name in ("cpu_percent", "server_cpu_percent"))
    return f"the processors are {busy} busy, {server} in the server's processes"


SENTENCES: dict[str, Callable[[Group], Said]] = {"server-time": _server_time}
PHRASES: dict[str, Callable[[Group], str]] = {
    "further-server-time": _further,
    "processors-busy": _processors_busy,
    "waits-for-clients": lambda _: "the server mostly waits for its clients",
    "server-processors-busy": _server_processors_busy,
    "table-from-statement": lambda _: "the name of a table may come from the statement that waits",
}
