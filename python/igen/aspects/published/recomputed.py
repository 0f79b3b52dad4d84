"""Published results of web applications recomputed: what follows from them, and where they do not agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.published.reference import PublishedAdvantage, PublishedApplication
from igen.units import format_count, format_number


def think_time_s(users: int, transactions_per_s: float, response_time_s: float) -> float:
    """How long a user waits between two transactions: Z = N / X - R (the interactive response time law)."""
    return users / transactions_per_s - response_time_s


def recomputed(
    applications: Sequence[PublishedApplication], advantages: Sequence[PublishedAdvantage]
) -> list[str]:
    """A sentence for each figure that follows from the published ones, or that they contradict."""
    return [
        *_think_times(applications),
        *_scaling(applications),
        *disagreements(applications, advantages),
    ]


def disagreements(
    applications: Sequence[PublishedApplication], advantages: Sequence[PublishedAdvantage]
) -> list[str]:
    """A sentence for each published figure that others contradict."""
    return [*_watts(applications), *_tiers(applications), *_advantages(advantages)]


def _think_times(applications: Sequence[PublishedApplication]) -> Iterator[str]:
    for each in applications:
        if each.transactions_per_s is not None and each.response_time_s is not None:
            think_s = think_time_s(each.users, each.transactions_per_s, each.response_time_s)
            yield (
                f"{format_count(each.users)} users / {format_number(each.transactions_per_s)} transactions/s "
                f"- {each.response_time_s:g} s = {think_s:.1f} s: so long does each of them think."
            )


def _scaling(applications: Sequence[PublishedApplication]) -> Iterator[str]:
    """Against one node of the same product."""
    alone = {each.product: each.transactions_per_s for each in applications if each.nodes == 1}
    for each in applications:
        one = alone.get(each.product)
        if each.nodes > 1 and one and each.transactions_per_s:
            factor = each.transactions_per_s / one
            yield (
                f"{each.nodes} nodes do {factor:.2f} times what one does: an efficiency of "
                f"{100 * factor / each.nodes:.1f} %."
            )


def _watts(applications: Sequence[PublishedApplication]) -> Iterator[str]:
    for each in applications:
        if each.watts is None or not each.users_per_watt:
            continue
        exact = each.users / each.watts
        division = f"{format_count(each.users)} users / {format_count(each.watts)} W = {exact:.3f} users/W"
        if _as_published(exact, each.users_per_watt) != each.users_per_watt:
            yield f"{division}, not {each.users_per_watt}."


def _tiers(applications: Sequence[PublishedApplication]) -> Iterator[str]:
    """Memory adds up; processor time does not average where all tiers lie on one side of the whole."""
    for each in applications:
        if not each.tiers:
            continue
        memory_gb = sum(tier.memory_gb for tier in each.tiers)
        if each.memory_gb is not None and abs(memory_gb - each.memory_gb) > 0.05:
            yield f"The memory of the tiers is {memory_gb:g} GB, not {each.memory_gb:g}."
        percents = [tier.cpu_percent for tier in each.tiers]
        if each.cpu_percent is not None and not min(percents) <= each.cpu_percent <= max(percents):
            names = ", ".join(f"{tier.name} {tier.cpu_percent:g} %" for tier in each.tiers)
            yield (
                f"{names}, and the whole {each.cpu_percent:g} %: no mean of the tiers is that, so that "
                "something else worked too, or they are not shares of the same processors."
            )


def _advantages(advantages: Sequence[PublishedAdvantage]) -> Iterator[str]:
    for each in advantages:
        exact = each.users / each.other_users
        if _as_published(exact, each.factor) != each.factor:
            division = f"{format_count(each.users)} / {format_count(each.other_users)} users = {exact:.2f}"
            published = (
                f"by users; {each.factor} is of {each.metric}" if each.metric else f"not {each.factor}"
            )
            yield f"{each.text}: {division}{'' if each.metric else ','} {published}."


def _as_published(exact: float, published: str) -> str:
    """Rounded to as many decimals as the published figure has."""
    return f"{exact:.{len(published.partition('.')[2])}f}"
