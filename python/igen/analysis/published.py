"""A run beside the published tables of the same workload."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from igen.analysis.contradictions import contradictions_of
from igen.analysis.points import usable
from igen.analysis.reference import PublishedStatistic, PublishedTable, Reference
from igen.analysis.result import Level, Point
from igen.analysis.slamd_row import Published, PublishedPair, SlamdRow


def published_beside(
    reference: Reference,
    workload: str,
    params: Mapping[str, Any],
    levels: Sequence[Level],
    peak: Point | None,
    rows: Sequence[SlamdRow],
) -> list[Published]:
    """The tables of this workload beside the peak's statistics (without a peak: the highest throughput's).

    A run that asked for something else than the published one, such as for one attribute only, is not laid
    beside it.
    """
    tables = [
        table
        for table in reference.tables
        if table.workload == workload
        and all(params.get(name, value) == value for name, value in table.params.items())
    ]
    good = usable(levels)
    highest = max(good, key=lambda level: level.throughput_per_s.value, default=None)
    level = peak.level if peak else highest.level if highest else None
    ours = {row.statistic: row for row in rows if row.level == level}
    return [_beside(table, level, ours) for table in tables]


def _beside(table: PublishedTable, level: int | None, ours: Mapping[str, SlamdRow]) -> Published:
    return Published(
        title=table.title,
        level=level,
        pairs=[
            PublishedPair(
                published=row, ours=ours.get(row.statistic), ratio=_ratio(row, ours.get(row.statistic))
            )
            for row in table.rows
        ],
        contradictions=contradictions_of(table),
    )


def _ratio(published: PublishedStatistic, ours: SlamdRow | None) -> float | None:
    """Of rates, or of means; None where one of them is 0 or missing."""
    if ours is None:
        return None
    pairs = (
        (ours.avg_per_second, published.avg_per_second),
        (ours.avg_duration_ms, published.avg_duration_ms),
    )
    return next((one / other for one, other in pairs if one and other), None)
