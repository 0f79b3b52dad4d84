"""Sentences about a load that differs from the requested load."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.say.words import because
from igen.units import format_count, format_rate, format_short

PLURALS = {"search": "searches", "modify": "modifies", "extended": "extended operations"}
"""Plurals of kinds of operations of a directory; others take an s."""


def _nothing_done(group: Group) -> str:
    why = ""
    if group.has("failed"):
        why = f", {group.number('failed')} failed"
    elif group.has("think_time_s"):
        think, measured = group.duration("think_time_s"), group.duration("measured_s")
        why = f": users think for {think} on average, and the measurement took {measured}"
    return f"no transaction succeeded in the measured time{why}"


def _errors(group: Group) -> str:
    most = f", most often: {group.listed('reason')}" if group.has("reason") else ""
    return f"{group.percent('share_percent')} of the transactions failed {group.limit()}{most}"


def _given_up(group: Group) -> str:
    of = group.count("arrivals", "arrival")
    were = "was" if group.number("given_up") == "1" else "were"
    return f"{group.number('given_up')} of {of} {were} given up after 10 s"


def _not_sent(group: Group) -> str:
    given_up = [Group(found) for found in group.because if found[0].rule == "arrivals-given-up"]
    others = because(group, "rate-not-served", "queue-grew", "backlog-served")
    why = "; ".join([*map(_given_up, given_up), *([others] if others else ())])
    return f"the load process was too busy to send the load: {why}"


def _served(group: Group) -> str:
    served, offered = group.number("served_per_s", format_rate), group.number("offered_per_s", format_rate)
    return f"{served} of {offered} arrivals/s were served {group.limit()}"


def _queue_grew(group: Group) -> str:
    of = group.count("arrivals", "arrival")
    return f"the backlog grew all the time, by {group.number('grown')} of {of} {group.limit()}"


def _driver_busy(group: Group) -> str:
    if group.has("machines_enough"):
        advice = f"; use {group.number('machines_enough')} such machines"
    elif group.has("machines_needed_at_least"):
        advice = f"; use at least {group.number('machines_needed_at_least')} such machines"
    else:
        advice = ""
    used = f"the load used {group.percent('used_percent', '.0f')} of all its processors {group.limit()}"
    return f"the load machine {group.listed('machine')} was the bottleneck: {used}{advice}"


def _users_unaccounted(group: Group) -> str:
    each = group.number("in_flight_per_user") if group.has("in_flight_per_user") else ""
    in_flight = f" with {each} transactions in flight each" if each else ""
    users = f"{group.count('users', 'user')}{in_flight}"
    accounted = f"throughput × (response time + think time) = {group.number('accounted', format_short)}"
    return f"Little's law does not hold: {users}, but {accounted} {group.limit('.2g')}"


def _unfinished(group: Group) -> str:
    when = "the load was stopped" if group.has("stopped") else "the drain limit was reached"
    return f"{group.count('transactions', 'transaction')} had not finished when {when}"


def why_sent_twice(group: Group) -> str:
    """Return why requests were sent twice."""
    why = [
        *(["the server closed idle connections"] if group.has("stale_connections") else ()),
        *(["the server refused requests"] if group.has("refused_requests") else ()),
    ]
    return " and ".join(why)


def _repeated(group: Group) -> str:
    share = group.percent("share_percent")
    return f"{share} of the requests were sent twice {group.limit()}: {why_sent_twice(group)}"


def operations(kind: str, count: float) -> str:
    """Return a number of operations of a directory: `1 search`, `1,234 searches`."""
    return f"{format_count(count)} {kind if count == 1 else PLURALS.get(kind, f'{kind}s')}"


def _directory_count(group: Group) -> str:
    worst = Group([group.worst])
    pairs = [
        (counted, sent)
        for counted, sent in zip(worst.parts("counted"), worst.parts("sent"), strict=True)
        if counted.figure is not None and sent.figure is not None
    ]
    counts = " and ".join(
        f"{operations(each.text, each.figure or 0)} ({format_count(sent.figure or 0)} sent)"
        for each, sent in pairs
    )
    if any((each.figure or 0) > (sent.figure or 0) for each, sent in pairs):
        remedy = "other clients use it too: stop them, or load a private instance"
    elif worst.has("lost_connections"):
        lost = worst.number("lost_connections")
        remedy = (
            f"it closed connections before it read the requests sent on them ({lost} failures by a lost "
            "connection): raise its idle timeout"
        )
    else:
        remedy = "it was restarted during the run, or several servers answer at its address"
    others = f"; the same at {worst.count('others', 'other target')}" if worst.worst.figure("others") else ""
    return f"the directory {worst.listed('target')} counted {counts}{others}: {remedy}"


def _processes_left(group: Group) -> str:
    left = group.number("processes") + (f": {group.listed('program')}" if group.has("program") else "")
    return (
        f"{group.count('executions', 'execution')} left processes behind ({left}), whose work is not in the "
        "figures: let the program wait for them"
    )


def _unwritten(group: Group) -> str:
    return (
        f"{group.percent('unwritten_percent')} of the data was never written {group.limit()}: a read of it "
        "reaches no device; write it first (precondition=true)"
    )


def _reads_elsewhere(group: Group) -> str:
    return (
        f"only {group.percent('physical_percent')} of the bytes of direct reads came from the devices "
        f"(expected: at least {group.findings[0].limit:g} %); the rest came from a cache or from holes"
    )


SENTENCES: dict[str, Callable[[Group], str]] = {
    "nothing-done": _nothing_done,
    "errors": _errors,
    "connections-lost": lambda group: (
        f"connections to the server were lost or refused {group.count('times', 'time')}"
    ),
    "device-failed": lambda group: f"{group.count('ios', 'I/O')} failed on the device",
    "rate-not-sent": _not_sent,
    "arrivals-given-up": lambda group: f"OVERLOADED: {_given_up(group)}",
    "rate-not-served": _served,
    "queue-grew": _queue_grew,
    "backlog-served": _served,
    "users-left": lambda group: (
        f"{group.number('left')} of {group.count('users', 'user')} had stopped before the measurement ended"
    ),
    "driver-busy": _driver_busy,
    "users-unaccounted": _users_unaccounted,
    "unfinished": _unfinished,
    "repeated-requests": _repeated,
    "directory-count": _directory_count,
    "processes-left": _processes_left,
    "data-unwritten": _unwritten,
    "storage-in-memory": lambda _: (
        "a target is kept in memory: no storage was read or written; use a file on the storage to be measured"
    ),
    "reads-elsewhere": _reads_elsewhere,
}
