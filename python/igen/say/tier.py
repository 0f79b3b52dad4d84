"""Sentences about tiers: which tier fills up first."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.say.said import Said
from igen.say.words import joined, rate
from igen.units import format_count, format_number


def _named(group: Group, prefix: str = "", noun: str = "") -> str:
    """Return `web`, `database on db1`, with the noun `web tier`, `database tier on db1`."""
    tier = f"{group.listed(f'{prefix}tier')}{noun}"
    host = group.listed(f"{prefix}host")
    return f"{tier} on {host}" if host else tier


def _busy(group: Group) -> str:
    """Return `76 % (74 to 78 %) of 8 processors`."""
    busy, capacity = group.findings[0].part("cpu_percent"), group.findings[0].figure("processors")
    low, high = busy.span or (busy.figure, busy.figure)
    count = f"{capacity:.0f}" if capacity == int(capacity) else format_number(capacity, 2)
    processors = "processor" if capacity == 1 else "processors"
    return f"{busy.figure:.0f} % ({low:.0f} to {high:.0f} %) of {count} {processors}"


def _runs(group: Group) -> str:
    return f"{group.number('runs')} runs of {group.listed('load')}, the highest valid load"


def _none(group: Group) -> Said:
    return Said(
        f"No tier is half full at {group.listed('load')}: the busiest is {_named(group)}, {_busy(group)}.",
        f"95 % intervals below {group.findings[0].limit:g} % of each tier's processors, {_runs(group)}",
    )


def _shared(group: Group) -> Said:
    host = group.listed("host")
    text = (
        f"At {group.listed('load')} the {group.listed('tier')} tier uses most of the processors that it "
        f"shares with other tiers{f' of host {host}' if host else ''}: {_busy(group)}"
    )
    if group.has("host_cpu_percent"):
        text += f"; {host or 'the host'} was {group.percent('host_cpu_percent', '.0f')} busy"
    return _fullest(group, text)


def _first(group: Group) -> Said:
    tier = _named(group, noun=" tier")
    text = f"The {tier} is the first to fill up: {_busy(group)} at {group.listed('load')}"
    following = f"{_named(group, 'next_')} with {group.percent('next_cpu_percent', '.0f')}"
    return _fullest(group, f"{text}; next is {following}")


def _only(group: Group) -> Said:
    text = f"The {_named(group, noun=' tier')} fills up: {_busy(group)} at {group.listed('load')}"
    return _fullest(group, text)


def _fullest(group: Group, text: str) -> Said:
    limit = f"{group.findings[0].limit:g} %"
    evidence = f"its 95 % interval is above those of all other tiers and {limit}, {_runs(group)}"
    return Said(f"{text}.", evidence)


def _bound(group: Group) -> Said:
    resources = group.texts("resource")
    fill = f"{joined(resources)} {'fill' if len(resources) > 1 else 'fills'}"
    users = ", ".join(format_count(part.figure or 0) for part in group.parts("level_users"))
    return Said(
        f"By its utilisation, {fill} first, at about {group.number('users')} users and "
        f"{rate(group.findings[0].part('throughput_per_s'))}.",
        f"processor time of a transaction at {users} users; a full resource does 1 transaction in that time, "
        "and users wait and think as long as measured there",
    )


SENTENCES: dict[str, Callable[[Group], Said]] = {
    "no-tier-half-full": _none,
    "tiers-share-processors": _shared,
    "tier-fills-first": _first,
    "tier-fills": _only,
    "resource-fills-first": _bound,
}
