"""Findings about published results of web applications: what follows from them, and how they disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.published.reference import PublishedAdvantage, PublishedApplication
from igen.judge.trust.finding import Finding, Part, finding, parts_of
from igen.judge.trust.rules.published import ROUNDED_MEMORY


def think_time_s(users: int, transactions_per_s: float, response_time_s: float) -> float:
    """Return the time between two transactions of a user: Z = N / X - R (interactive response time law)."""
    return users / transactions_per_s - response_time_s


def recomputed(
    applications: Sequence[PublishedApplication], advantages: Sequence[PublishedAdvantage]
) -> list[Finding]:
    """Return a finding for each figure that follows from the published figures or contradicts them."""
    return [
        *_think_times(applications),
        *_scaling(applications),
        *disagreements(applications, advantages),
    ]


def disagreements(
    applications: Sequence[PublishedApplication], advantages: Sequence[PublishedAdvantage]
) -> list[Finding]:
    """Return a finding for each published figure that other published figures contradict."""
    return [*_watts(applications), *_tiers(applications), *_advantages(advantages)]


def _think_times(applications: Sequence[PublishedApplication]) -> Iterator[Finding]:
    for each in applications:
        if each.transactions_per_s is not None and each.response_time_s is not None:
            yield finding(
                "published-think-time",
                users=each.users,
                transactions_per_s=each.transactions_per_s,
                response_s=each.response_time_s,
                think_s=think_time_s(each.users, each.transactions_per_s, each.response_time_s),
            )


def _scaling(applications: Sequence[PublishedApplication]) -> Iterator[Finding]:
    """Compare several nodes with one node of the same product."""
    alone = {each.product: each.transactions_per_s for each in applications if each.nodes == 1}
    for each in applications:
        one = alone.get(each.product)
        if each.nodes > 1 and one and each.transactions_per_s:
            ratio = each.transactions_per_s / one
            yield finding(
                "published-scaling",
                nodes=each.nodes,
                ratio=ratio,
                efficiency_percent=100 * ratio / each.nodes,
            )


def _watts(applications: Sequence[PublishedApplication]) -> Iterator[Finding]:
    for each in applications:
        if each.watts is None or not each.users_per_watt:
            continue
        exact = each.users / each.watts
        if _as_published(exact, each.users_per_watt) != each.users_per_watt:
            yield finding(
                "users-per-watt-disagree",
                users=each.users,
                watts=each.watts,
                computed=exact,
                published=each.users_per_watt,
            )


def _tiers(applications: Sequence[PublishedApplication]) -> Iterator[Finding]:
    """Memory adds up; the CPU share of the whole lies between the shares of its tiers."""
    for each in applications:
        if not each.tiers:
            continue
        memory_gb = sum(tier.memory_gb for tier in each.tiers)
        if each.memory_gb is not None and abs(memory_gb - each.memory_gb) > ROUNDED_MEMORY.value:
            yield finding("memory-of-tiers-disagrees", sum_gb=memory_gb, published_gb=each.memory_gb)
        percents = [tier.cpu_percent for tier in each.tiers]
        if each.cpu_percent is not None and not min(percents) <= each.cpu_percent <= max(percents):
            tiers = [
                Part(name="tier_percent", figure=tier.cpu_percent, text=tier.name) for tier in each.tiers
            ]
            yield finding("cpu-of-tiers-disagrees", *tiers, whole_percent=each.cpu_percent)


def _advantages(advantages: Sequence[PublishedAdvantage]) -> Iterator[Finding]:
    for each in advantages:
        exact = each.users / each.other_users
        if _as_published(exact, each.factor) != each.factor:
            yield finding(
                "advantage-disagrees",
                *parts_of({"metric": each.metric} if each.metric else {}),
                claim=each.text,
                users=each.users,
                other_users=each.other_users,
                computed=exact,
                published=each.factor,
            )


def _as_published(exact: float, published: str) -> str:
    """Return the figure rounded to as many decimals as the published figure has."""
    return f"{exact:.{len(published.partition('.')[2])}f}"
