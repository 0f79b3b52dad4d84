"""Findings about a published table whose figures disagree with each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.published.reference import PublishedStatistic, PublishedTable
from igen.judge.trust.finding import Finding, Part, finding, parts_of
from igen.judge.trust.rules.published import ROUNDED

OPERATIONS = "Operations Performed"


def contradictions_of(table: PublishedTable) -> list[Finding]:
    """Return a finding for each rule that lines of the table break, with the figures of the first line."""
    return [*_rates(table), *_means(table), *_counts(table), *_parts(table)]


def _rates(table: PublishedTable) -> Iterator[Finding]:
    """Compare each rate with count over duration; count over rate is the duration that the rate needs."""
    broken = [
        row
        for row in table.rows
        if row.avg_per_second and _differ(row.count / table.duration_s, row.avg_per_second)
    ]
    for row in broken[:1]:
        rate = row.avg_per_second or 0.0
        intervals: dict[str, float] = {}
        if row.avg_per_interval:
            intervals = {
                "intervals": round(row.count / row.avg_per_interval),
                "interval_s": row.avg_per_interval / rate,
            }
        yield finding(
            "rate-disagrees",
            *_likewise(broken),
            *parts_of(intervals),
            statistic=row.statistic,
            count=row.count,
            duration_s=table.duration_s,
            computed_per_s=row.count / table.duration_s,
            published_per_s=rate,
            needed_s=row.count / rate,
        )


def _means(table: PublishedTable) -> Iterator[Finding]:
    """Compare each mean with total duration over count."""
    found = [
        (row, row.total_duration_ms / row.count, row.avg_duration_ms)
        for row in table.rows
        if row.total_duration_ms
        and row.avg_duration_ms
        and _differ(row.total_duration_ms / row.count, row.avg_duration_ms)
    ]
    if found:
        first = found[0][0]
        parts = [
            part
            for row, computed_ms, published_ms in found
            for part in (
                Part(name="computed_ms", figure=computed_ms, text=row.statistic),
                Part(name="published_ms", figure=published_ms),
            )
        ]
        yield finding("means-disagree", *parts, total_ms=first.total_duration_ms or 0.0, count=first.count)


def _counts(table: PublishedTable) -> Iterator[Finding]:
    """Compare the count of a line of times with the line that counts the same operations."""
    counts = {row.statistic: row.count for row in table.rows}
    broken = [row for row in table.rows if row.counted_by and _differ(row.count, counts[row.counted_by])]
    for row in broken[:1]:
        others = counts[row.counted_by]
        yield finding(
            "count-disagrees",
            *_likewise(broken),
            statistic=row.statistic,
            values=row.count,
            counted_by=row.counted_by,
            counted=others,
            ratio=others / row.count,
        )


def _parts(table: PublishedTable) -> Iterator[Finding]:
    """Compare the time of a transaction with the sum of the times of its parts."""
    counts = {row.statistic: row.count for row in table.rows}
    times = [row for row in table.rows if row.avg_duration_ms is not None]
    for whole in times:
        parts = [row for row in times if row.statistic in table.parts.get(whole.statistic, [])]
        number = counts.get(whole.counted_by, whole.count)
        if not (parts and number and whole.avg_duration_ms):
            continue
        sum_ms = sum(
            (row.avg_duration_ms or 0.0) * counts.get(row.counted_by, row.count) / number for row in parts
        )
        if _differ(sum_ms, whole.avg_duration_ms):
            yield finding(
                "parts-disagree",
                *(Part(name="part", text=row.statistic) for row in parts),
                statistic=whole.statistic,
                published_ms=whole.avg_duration_ms,
                sum_ms=sum_ms,
            )


def operations_disagree(table: PublishedTable) -> Iterator[Finding]:
    """Compare the published rate of all operations with the sum of the rates of their lines."""
    told, transactions = table.operations_per_s, table.rows[0].avg_per_second
    found = sum(row.avg_per_second or 0.0 for row in table.rows if row.statistic.endswith(OPERATIONS))
    if told and transactions and _differ(found, told):
        yield finding(
            "operations-disagree",
            sum_per_s=found,
            sum_per_transaction=found / transactions,
            published_per_s=told,
            published_per_transaction=told / transactions,
        )


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > ROUNDED.value * abs(other)


def _likewise(broken: Sequence[PublishedStatistic]) -> Iterator[Part]:
    """Yield the other lines that break the same rule."""
    for row in broken[1:]:
        yield Part(name="likewise", text=row.statistic)
