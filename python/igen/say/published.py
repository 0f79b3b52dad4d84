"""Sentences of published figures: how they disagree with each other, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group, three_digits
from igen.say.words import because
from igen.units import format_count, format_number


def _likewise(group: Group) -> str:
    names = group.texts("likewise")
    return f"; likewise {', '.join(names)}" if names else ""


def _rate(group: Group) -> str:
    division = f"{group.number('count', format_count)} / {group.number('duration_s', format_count)} s"
    intervals = ""
    if group.has("intervals"):
        each = group.number("interval_s", format_count, " s")
        intervals = f" ({group.count('intervals', 'interval')} of {each})"
    return (
        f"{group.listed('statistic')}: {division} = {group.number('computed_per_s', format_count)} a second, "
        f"not {group.number('published_per_s', ',')}; that rate needs "
        f"{group.number('needed_s', format_count, ' s')}{intervals}{_likewise(group)}"
    )


def _means(group: Group) -> str:
    found = group.findings[0]
    computed, published = (
        [part for part in found.parts if part.name == name] for name in ("computed_ms", "published_ms")
    )
    division = f"{format_count(found.figure('total_ms'))} ms / {format_count(found.figure('count'))} = "
    return "; ".join(
        f"{one.text}: {'' if at else division}{format_number(one.figure or 0.0)} ms, not {other.figure:g}"
        for at, (one, other) in enumerate(zip(computed, published, strict=True))
    )


def _count(group: Group) -> str:
    return (
        f"{group.listed('statistic')} has {group.count('values', 'value')}, {group.listed('counted_by')} "
        f"{group.number('counted', format_count)}: {group.number('ratio', three_digits)} times as many"
        f"{_likewise(group)}"
    )


def _parts(group: Group) -> str:
    return (
        f"{group.listed('statistic')} is {group.number('published_ms', 'g', ' ms')}, and its parts "
        f"({', '.join(group.texts('part'))}) add up to {group.number('sum_ms', format_number, ' ms')}"
    )


def _operations(group: Group) -> str:
    return (
        f"the operations of its lines are {group.number('sum_per_s', format_count)} a second together, "
        f"{group.number('sum_per_transaction', '.3g')} in each transaction; published were "
        f"{group.number('published_per_s', format_count)}, "
        f"{group.number('published_per_transaction', '.3g')} in each"
    )


def _cpu(group: Group) -> str:
    tiers = ", ".join(f"{part.text} {part.figure:g} %" for part in group.parts("tier_percent"))
    return (
        f"{tiers}, and the whole {group.number('whole_percent', 'g', ' %')}: not a mean of the tiers, so "
        "something else worked too, or the shares are of different processors"
    )


def _advantage(group: Group) -> str:
    division = f"{group.number('users', format_count)} / {group.number('other_users', format_count)} users"
    published = group.listed("published")
    text = f"{group.listed('claim')}: {division} = {group.number('computed', '.2f')}"
    if group.has("metric"):
        return f"{text} by users; {published} is of {group.listed('metric')}"
    return f"{text}, not {published}"


SENTENCES: dict[str, Callable[[Group], str]] = {
    "rate-disagrees": _rate,
    "means-disagree": _means,
    "count-disagrees": _count,
    "parts-disagree": _parts,
    "operations-disagree": _operations,
    "table-disagrees": lambda group: f"{group.listed('table')}: {because(group)}",
    "users-per-watt-disagree": lambda group: (
        f"{group.number('users', format_count)} users / {group.number('watts', format_count)} W = "
        f"{group.number('computed', '.3f')} users/W, not {group.listed('published')}"
    ),
    "memory-of-tiers-disagrees": lambda group: (
        f"The memory of the tiers is {group.number('sum_gb', 'g')} GB, not "
        f"{group.number('published_gb', 'g')}"
    ),
    "cpu-of-tiers-disagrees": _cpu,
    "advantage-disagrees": _advantage,
    "watts-cut": lambda group: (
        f"{group.listed('chip')}: {group.number('watts', 'g')} W / {group.number('threads', 'g')} threads = "
        f"{group.number('computed', '.4g')} W, published as {group.listed('published')}: cut, not rounded"
    ),
    "disks-generous": lambda group: (
        f"{group.listed('product')}: {group.number('ios_per_s', format_count)} I/Os/s in the place of "
        f"{group.number('disks')} disks are {group.number('each_per_s', three_digits)} of each: generous, a "
        f"disk of 15,000 rpm does about {group.number('disk_per_s', format_count)}"
    ),
    "published-think-time": lambda group: (
        f"{group.number('users', format_count)} users / {group.number('transactions_per_s', format_number)} "
        f"transactions/s - {group.number('response_s', 'g')} s = {group.number('think_s', '.1f')} s of think "
        "time"
    ),
    "published-scaling": lambda group: (
        f"{group.number('nodes', 'g')} nodes do {group.number('ratio', '.2f')} times the work of one node: "
        f"an efficiency of {group.number('efficiency_percent', '.1f', ' %')}"
    ),
}
