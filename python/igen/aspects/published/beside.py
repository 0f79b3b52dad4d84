"""A run beside the published tables of the same workload."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from igen.aspects.published.contradictions import contradictions_of
from igen.aspects.published.parts import Published, PublishedFigures, PublishedPair
from igen.aspects.published.recomputed import recomputed
from igen.aspects.published.reference import PublishedIo, PublishedResults, PublishedStatistic, PublishedTable
from igen.aspects.slamd.rows import SlamdRow
from igen.aspects.slamd.table import slamd_rows
from igen.judge.aspect import SystemRuns
from igen.judge.trust.usable import usable
from igen.loads import Loads

BANDWIDTHS, IO, APPLICATIONS = "mem", "io", "web"
"""Workloads of which bandwidths, rates of I/O and results of applications are published."""


def published_figures_of(system: SystemRuns) -> PublishedFigures | None:
    """What was published of the same work; None where the study names nothing of it."""
    reference = system.intent.reference
    if not isinstance(reference, PublishedResults):
        return None
    part = PublishedFigures(
        tables=_tables(reference, system),
        bandwidths=reference.bandwidths if system.workload == BANDWIDTHS else [],
        io=[each for each in reference.io if system.workload == IO and _is_like(each, system)],
        **_applications(reference, system),
    )
    return part if part.tables or part.bandwidths or part.io or part.applications else None


def _is_like(published: PublishedIo, system: SystemRuns) -> bool:
    return all(published.is_like(load.params) for load in Loads.of(system.first.job))


def _applications(reference: PublishedResults, system: SystemRuns) -> dict[str, Any]:
    if system.workload != APPLICATIONS:
        return {}
    return {
        "applications": reference.applications,
        "cache": system.described.get("cache", ""),
        "recomputed": recomputed(reference.applications, reference.advantages),
    }


def _tables(reference: PublishedResults, system: SystemRuns) -> list[Published]:
    """The tables of this workload beside the peak's statistics (without a peak: the highest throughput's).

    A run that asked for something else than the published one, such as for one attribute only, is not laid
    beside it.
    """
    tables = [
        table
        for table in reference.tables
        if table.workload == system.workload
        and all(
            load.params.get(name, value) == value
            for load in Loads.of(system.first.job)
            for name, value in table.params.items()
        )
    ]
    if not tables:
        return []
    good = usable(system.levels)
    highest = max(good, key=lambda level: level.throughput_per_s.value, default=None)
    at = system.peak.level if system.peak else highest.level if highest else None
    runs = [runs for level, runs in zip(system.levels, system.runs, strict=True) if level.level == at]
    ours = {row.statistic: row for each in runs for row in slamd_rows(each, system.transaction)}
    return [_beside(table, at, ours) for table in tables]


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
    """Ratio of rates, or of means; None where one of them is 0 or missing."""
    if ours is None:
        return None
    pairs = (
        (ours.avg_per_second, published.avg_per_second),
        (ours.avg_duration_ms, published.avg_duration_ms),
    )
    return next((one / other for one, other in pairs if one and other), None)
