"""Published figures recomputed: do they agree with each other?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from igen.aspects.published.contradictions import contradictions_of
from igen.aspects.published.recomputed import disagreements, think_time_s
from igen.aspects.published.reference import PublishedApplication, PublishedResults
from igen.lint.finding import Finding
from igen.units import counted

SAME_THINK_TIME = 0.05
"""By which share the think times of two runs of one product may differ."""


def published_findings(published: PublishedResults) -> Iterator[Finding]:
    """All that does not close: in tables, between applications, and ratios that tell no absolutes."""
    for table in published.tables:
        for text in contradictions_of(table):
            yield _does_not_close(text, (table.title,))
    for text in disagreements(published.applications, published.advantages):
        yield _does_not_close(text, ())
    yield from _think_times(published)
    if published.ratios:
        first, number = published.ratios[0], counted(len(published.ratios), "ratio")
        yield Finding(
            subject="ratio without base",
            found=f"{number} without absolutes, such as {first.value:g} × in {first.test} of {first.product}",
            matters="a factor says nothing of what it is a factor of",
            remedy="ask for the figures behind it",
        )


def _does_not_close(text: str, of: tuple[str, ...]) -> Finding:
    return Finding(
        subject="arithmetic",
        of=of,
        found=text.rstrip("."),
        matters="at least one of these figures is not what was measured",
        remedy="use the one that the others confirm, and say which",
    )


def _think_times(published: PublishedResults) -> Iterator[Finding]:
    """Runs of one product by the same users think for the same time: Z = N / X - R (Little's law)."""
    by_product: dict[str, list[tuple[PublishedApplication, float]]] = defaultdict(list)
    for each in published.applications:
        if each.transactions_per_s and each.response_time_s is not None:
            think_s = think_time_s(each.users, each.transactions_per_s, each.response_time_s)
            by_product[each.product].append((each, think_s))
    for product, found in by_product.items():
        times = [think_s for _, think_s in found]
        if min(times) < 0 or max(times) > (1 + SAME_THINK_TIME) * min(times):
            told = ", ".join(f"{think_s:.1f} s at {each.users:,} users" for each, think_s in found)
            yield Finding(
                subject="Little's law",
                of=(product,),
                found=f"users think for {told}",
                matters="by N = X (R + Z) rates, times or users are others than published",
                remedy="compare no figures per user",
            )
