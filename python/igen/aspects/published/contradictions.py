"""Published tables recomputed: where their figures do not agree with each other, the report says it."""

from __future__ import annotations

from collections.abc import Iterator

from igen.aspects.published.reference import PublishedStatistic, PublishedTable
from igen.units import counted, format_count, format_number

TOLERANCE = 0.01
"""By which figures that were rounded for publication may differ."""


def contradictions_of(table: PublishedTable) -> list[str]:
    """A sentence for each rule that lines of the table break, with the figures of the first in full."""
    return [*_rates(table), *_means(table), *_counts(table), *_parts(table)]


def _rates(table: PublishedTable) -> Iterator[str]:
    """Count over duration is the rate; where it is not, count over rate is how long the run was."""
    broken = [
        row
        for row in table.rows
        if row.avg_per_second and _differ(row.count / table.duration_s, row.avg_per_second)
    ]
    for row in broken[:1]:
        rate = row.avg_per_second or 0.0
        text = (
            f"{row.statistic}: {format_count(row.count)} / {format_count(table.duration_s)} s = "
            f"{format_count(row.count / table.duration_s)} a second, not {rate:,}; "
            f"that rate needs {format_count(row.count / rate)} s"
        )
        if row.avg_per_interval:
            intervals = counted(round(row.count / row.avg_per_interval), "interval")
            text += f" ({intervals} of {format_count(row.avg_per_interval / rate)} s)"
        yield f"{text}{_likewise(broken)}."


def _means(table: PublishedTable) -> Iterator[str]:
    """Total duration over count is the mean."""
    found = [
        (row, row.total_duration_ms / row.count, row.avg_duration_ms)
        for row in table.rows
        if row.total_duration_ms
        and row.avg_duration_ms
        and _differ(row.total_duration_ms / row.count, row.avg_duration_ms)
    ]
    texts: list[str] = []
    for row, mean_ms, published_ms in found:
        division = f"{format_count(row.total_duration_ms or 0.0)} ms / {format_count(row.count)} = "
        texts.append(
            f"{row.statistic}: {'' if texts else division}{format_number(mean_ms)} ms, not {published_ms:g}"
        )
    if texts:
        yield f"{'; '.join(texts)}."


def _counts(table: PublishedTable) -> Iterator[str]:
    """What is timed is counted as often by the line that counts it."""
    counts = {row.statistic: row.count for row in table.rows}
    broken = [row for row in table.rows if row.counted_by and _differ(row.count, counts[row.counted_by])]
    for row in broken[:1]:
        others = counts[row.counted_by]
        text = (
            f"{row.statistic} has {counted(round(row.count), 'value')}, {row.counted_by} "
            f"{format_count(others)}: {format_number(others / row.count, 3)} times as many"
        )
        yield f"{text}{_likewise(broken)}."


def _parts(table: PublishedTable) -> Iterator[str]:
    """The times of the parts of a transaction add up to its own."""
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
            names = ", ".join(row.statistic for row in parts)
            yield (
                f"{whole.statistic} is {whole.avg_duration_ms:g} ms, and its parts ({names}) add up to "
                f"{format_number(sum_ms)} ms."
            )


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > TOLERANCE * abs(other)


def _likewise(broken: list[PublishedStatistic]) -> str:
    """The other lines that break the same rule."""
    names = [row.statistic for row in broken[1:]]
    return f"; likewise {', '.join(names)}" if names else ""
