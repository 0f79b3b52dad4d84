"""Checks of published figures: do they agree with each other?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from igen.aspects.published.contradictions import contradictions_of
from igen.aspects.published.recomputed import disagreements, think_time_s
from igen.aspects.published.reference import PublishedResults
from igen.judge.trust.finding import Finding, finding, parts_of
from igen.lint.finding import Doubt

SAME_THINK_TIME = 0.05
"""Allowed difference between the think times of two runs of a product, as a share."""


def published_findings(published: PublishedResults) -> Iterator[Doubt]:
    """Yield contradictions in tables and between applications, and ratios without absolute figures."""
    for table in published.tables:
        for each in contradictions_of(table):
            yield _does_not_close(each, (table.title,))
    for each in disagreements(published.applications, published.advantages):
        yield _does_not_close(each, ())
    yield from _think_times(published)
    if published.ratios:
        first, ratios = published.ratios[0], len(published.ratios)
        found = finding(
            "ratio-without-base", ratios=ratios, ratio=first.value, test=first.test, product=first.product
        )
        yield Doubt(subject="ratio without base", finding=found)


def _does_not_close(found: Finding, of: tuple[str, ...]) -> Doubt:
    return Doubt(subject="arithmetic", of=of, finding=finding("figures-disagree", because=[found]))


def _think_times(published: PublishedResults) -> Iterator[Doubt]:
    """Yield runs of a product with different think times Z = N / X - R (Little's law)."""
    by_product: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for each in published.applications:
        if each.transactions_per_s and each.response_time_s is not None:
            think_s = think_time_s(each.users, each.transactions_per_s, each.response_time_s)
            by_product[each.product].append((each.users, think_s))
    for product, found in by_product.items():
        times = [think_s for _, think_s in found]
        if min(times) < 0 or max(times) > (1 + SAME_THINK_TIME) * min(times):
            parts = [part for users, each in found for part in parts_of({"users": users, "think_s": each})]
            yield Doubt(subject="Little's law", of=(product,), finding=finding("think-times-differ", *parts))
