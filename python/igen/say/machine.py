"""Sentences about the machine: it was not the load's own."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.trust.disturbance import Bound
from igen.say.group import Group, between
from igen.say.words import because, bound_text
from igen.units import format_time_ms

MOST_NAMED = 3
"""More clients of a server are counted."""


def _disturbed(group: Group) -> str:
    bounds = [
        f"{text} on {name}" for name in ("throughput", "times") if (text := bound_text(_widest(group, name)))
    ]
    return f"disturbed: machine {', '.join(bounds)} ({because(group)})"


def _widest(group: Group, name: str) -> Bound:
    low, high = (
        [part.figure or 0.0 for part in group.parts(f"{name}_{end}_percent")] for end in ("low", "high")
    )
    return Bound(low_percent=min(low), high_percent=max(high))


def _foreign(group: Group) -> str:
    worst = Group([group.worst])
    names = ", ".join(f"{part.text} {part.figure:.1f} %" for part in worst.parts("program_percent"))
    text = (
        f"others used {group.percent('used_percent', '.1f')} of all processors{': ' if names else ''}{names}"
    )
    if worst.has("server_unknown"):
        text += "; the processes of the server are unknown: what may be theirs is left out"
    if worst.has("rest_percent"):
        rest = f"the rest, {worst.percent('rest_percent', '.1f')}, is of processes"
        text += f"; {rest} that ended in between or are not among the busiest"
    return text


def _clients(group: Group) -> str:
    names = ", ".join(
        f"{part.text} {part.figure:.1f} %" for part in Group([group.worst]).parts("client_percent")
    )
    return f"others sent {group.percent('share_percent', '.1f')} of the servers' requests: {names}"


def _late(group: Group) -> str:
    share = group.percent("free_percent", ".3g") if group.has("free_percent") else ""
    who = f"the {share} of transactions that surely found a free user" if share else "transactions"
    mean, p99, typical = (
        group.number(name, format_time_ms) for name in ("late_ms", "late_p99_ms", "median_response_time_ms")
    )
    return f"{who} started {mean} late (p99 {p99}) at a median response time of {typical}"


def _canary(group: Group) -> str:
    changes = [part.figure or 0.0 for part in group.parts("change_percent")]
    of = "the study" if group.findings[0].scope == "study" else "the runs compared"
    if min(changes) < 0 < max(changes):
        change = f"{between(changes, '+.1f', ' %')} off"
    else:
        change = f"{between([abs(each) for each in changes], '.1f', ' %')} "
        change += "faster than" if max(changes) > 0 else "slower than"
    return f"the spin canary was {change} the median of {of}"


def _unattributed(group: Group) -> str:
    host = group.listed("machine") or "the host"
    used = f"{group.percent('used_percent', '.1f')} of {host}'s processors"
    return (
        f"{used} were used by processes that are of no tier {group.limit()}: what a transaction costs is not "
        "all known"
    )


def _concurrent(group: Group) -> str:
    number = group.number("other_runs")
    return f"{number} other run{' was' if number == '1' else 's were'} active on this machine"


def _clients_seen(group: Group) -> str:
    clients = Group([group.worst]).parts("active_percent")
    named = ", ".join(
        f"{part.text}, active in {part.figure:.0f} % of the looks" for part in clients[:MOST_NAMED]
    )
    more = f" and {len(clients) - MOST_NAMED} more" if len(clients) > MOST_NAMED else ""
    share = ""
    if group.has("commits_percent"):
        share = f"; {group.percent('commits_percent', '.1f')} of the servers' commits are not this load's"
    return f"other clients use the servers under test: {named}{more}{share}"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "disturbed-beyond-use": _disturbed,
    "disturbed": _disturbed,
    "shared-machine": lambda group: f"the machine was not the load's own {group.limit()}: {because(group)}",
    "concurrent-runs": _concurrent,
    "driver-busy": lambda group: (
        f"the load process used {group.percent('used_percent', '.0f')} of all processors {group.limit()}"
    ),
    "unattributed": _unattributed,
    "foreign-cpu": _foreign,
    "other-clients": _clients,
    "steal": lambda group: f"steal {group.percent('stolen_percent', '.1f')} of the processors' time",
    "stood-still": lambda group: f"the load process itself stood still for {group.duration('stood_still_s')}",
    "late-starts": _late,
    "canary": _canary,
    "clock-drift": lambda group: f"the clock drifted by {group.number('drift_ppm', '.0f')} ppm",
    "other-clients-seen": _clients_seen,
    "other-clients-hidden": lambda _: (
        "other clients of the servers may be missing: this user may not see what other users do "
        "(GRANT pg_monitor, or GRANT PROCESS ON *.*)"
    ),
}
