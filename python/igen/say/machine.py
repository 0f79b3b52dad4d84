"""Sentences about a machine that other programs used during a measurement."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.trust.disturbance import Bound
from igen.say.group import Group, between
from igen.say.words import because, between_times, bound_text
from igen.units import format_time_ms

MOST_NAMED = 3
"""More clients of a server are counted."""
TIMES_FROM_PERCENT = 200.0
"""From here on a reader wants to know how many times as much it is."""


def _disturbed(group: Group) -> str:
    """Return the causes, the largest first, and what they may have done."""
    return f"{because(group)}: {_effect(group)}"


def _effect(group: Group) -> str:
    """Return `up to 12 % more on an idle machine`, or the bounds if they reach to both sides."""
    bounds = {name: _widest(group, name) for name in ("throughput", "times") if _is_about(group, name)}
    rate, times = bounds.get("throughput"), bounds.get("times")
    if rate and rate.high_percent > 0 and rate.low_percent == 0:
        return f"up to {_more(rate.high_percent)} more on an idle machine"
    if rate is None and times and times.high_percent == 0:
        return f"times up to {-times.low_percent:.0f} % shorter on an idle machine"
    texts = [f"{name} {text}" for name, each in bounds.items() if (text := bound_text(each))]
    return f"may be off: {', '.join(texts)}"


def _is_about(group: Group, name: str) -> bool:
    return any(each.quantity in ("", name) for each in group.findings)


def _more(percent: float) -> str:
    """Return `12 %`, or how many times as much if that is easier to read."""
    return f"{percent:.0f} %" if percent < TIMES_FROM_PERCENT else f"{1 + percent / 100:.0f} ×"


def _widest(group: Group, name: str) -> Bound:
    low, high = (
        [part.figure or 0.0 for part in group.parts(f"{name}_{end}_percent")] for end in ("low", "high")
    )
    return Bound(low_percent=min(low), high_percent=max(high))


def _foreign(group: Group) -> str:
    worst = Group([group.worst])
    names = ", ".join(f"{part.text} {part.figure:.0f} %" for part in worst.parts("program_percent"))
    text = f"others used {group.percent('used_percent')} of the CPU{f' ({names})' if names else ''}"
    if worst.has("server_unknown"):
        text += ", not counting processes that may belong to the server"
    return text


def _clients(group: Group) -> str:
    names = ", ".join(
        f"{part.text} {part.figure:.1f} %" for part in Group([group.worst]).parts("client_percent")
    )
    return f"other clients sent {group.percent('share_percent', '.1f')} of the servers' requests: {names}"


def _late(group: Group) -> str:
    share = group.percent("free_percent", ".3g") if group.has("free_percent") else ""
    who = f"the {share} of transactions that surely found a free user" if share else "transactions"
    mean, p99, typical = (
        group.number(name, format_time_ms) for name in ("late_ms", "late_p99_ms", "median_response_time_ms")
    )
    return f"{who} started {mean} late on average (p99 {p99}); the median response time is {typical}"


def _trend(group: Group) -> str:
    changes = [
        f"{name} by {between(known, '+.1f', ' %')}"
        for name in ("throughput", "times")
        if (known := [part.figure for part in group.parts(f"{name}_change_percent") if part.figure])
    ]
    return f"all runs drift from their first to their last third: {', '.join(changes)}"


def _late_times(group: Group) -> str:
    mean, p99 = between_times(group)
    return f"the driver was late: the mean time is between {mean}, the p99 between {p99} ({because(group)})"


def _unattributed(group: Group) -> str:
    host = group.listed("machine") or "the host"
    used = f"{group.percent('used_percent', '.1f')} of {host}'s processors"
    return (
        f"{used} were used by processes outside all tiers {group.limit()}: the cost of a transaction is only "
        "partly known"
    )


def _concurrent(group: Group) -> str:
    number = group.number("other_runs")
    return f"{number} other run{' was' if number == '1' else 's were'} active on this machine"


def _throttled(group: Group) -> str:
    return (
        f"the CPU quota of its control group stopped the load in {group.percent('throttled_percent')} of the "
        f"quota's periods on {group.listed('machine') or 'the host'}"
    )


def _clients_seen(group: Group) -> str:
    clients = Group([group.worst]).parts("active_percent")
    named = ", ".join(
        f"{part.text}, active in {part.figure:.0f} % of the samples" for part in clients[:MOST_NAMED]
    )
    more = f" and {len(clients) - MOST_NAMED} more" if len(clients) > MOST_NAMED else ""
    share = ""
    if group.has("commits_percent"):
        share = f"; other clients made {group.percent('commits_percent', '.1f')} of the servers' commits"
    return f"other clients use the servers under test: {named}{more}{share}"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "disturbed-beyond-use": _disturbed,
    "disturbed": _disturbed,
    "late-times": _late_times,
    "shared-machine": lambda group: f"other programs used the machine {group.limit()}: {because(group)}",
    "concurrent-runs": _concurrent,
    "throttled": _throttled,
    "unattributed": _unattributed,
    "processors-lost": because,
    "foreign-cpu": _foreign,
    "other-clients": _clients,
    "steal": lambda group: f"the hypervisor took {group.percent('stolen_percent')} of the CPU (steal)",
    "stood-still": lambda group: f"the load process did not run for {group.duration('stood_still_s')}",
    "late-starts": _late,
    "trend": _trend,
    "clock-drift": lambda group: f"the clock drifted by {group.number('drift_ppm', '.0f')} ppm",
    "other-clients-seen": _clients_seen,
    "other-clients-hidden": lambda _: (
        "other clients of the servers may be missing: this user has no permission to see them "
        "(GRANT pg_monitor, or GRANT PROCESS ON *.*)"
    ),
}
