"""The statistics in SLAMD's columns, of a run and beside published ones; times are milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from igen.aspects.published.parts import Published
from igen.aspects.slamd.rows import SlamdRow, SlamdStatistic, slamd_rows_of
from igen.document import Column, Table
from igen.judge.result import System
from igen.layout.number import ABSENT, significant

PERCENTILES = {"p50": "p50_ms", "p90": "p90_ms", "p99": "p99_ms", "p99.9": "p999_ms"}


def slamd_table(system: System) -> Table:
    """All statistics of all levels, with the percentiles of times that SLAMD does not have."""
    rows = slamd_rows_of(system)
    users = Column("users", [ABSENT if row.users is None else f"{row.users:,}" for row in rows], key=True)
    return Table([users, *_statistics(rows), *_percentiles(rows)])


def published_table(published: Published, name: str) -> Table:
    """Each published statistic and below it that of the system `name`, with the ratio of theirs to it."""
    whose: list[str] = []
    rows: list[SlamdStatistic] = []
    ratios: list[float | None] = []
    for pair in published.pairs:
        whose.append("published")
        rows.append(pair.published)
        ratios.append(None)
        if pair.ours:
            whose.append(name)
            rows.append(pair.ours)
            ratios.append(pair.ratio)
    statistic, *others = _statistics(rows)
    of = Column("of", whose, "text", key=True)
    ratio = Column("ratio", [significant(each) for each in ratios])
    return Table([statistic, of, ratio, *others])


def ratio_to_published_table(published: Published) -> Table:
    """The same without SLAMD's other columns: rates and mean times side by side, for narrow pages."""
    pairs = published.pairs
    theirs = [_figure(pair.published) for pair in pairs]
    ours = [_figure(pair.ours) if pair.ours else None for pair in pairs]
    units = [
        pair.published.unit if pair.published.avg_per_second is None else f"{pair.published.unit}/s"
        for pair in pairs
    ]
    return Table(
        [
            Column("statistic", [pair.published.statistic for pair in pairs], "text"),
            Column("unit", units, "text"),
            Column("this run", [significant(value, 4) for value in ours]),
            Column("published", [significant(value, 4) for value in theirs]),
            Column("ratio", [significant(pair.ratio) for pair in pairs]),
        ]
    )


def _figure(row: SlamdStatistic) -> float | None:
    return row.avg_duration_ms if row.avg_per_second is None else row.avg_per_second


def _statistics(rows: Sequence[SlamdStatistic]) -> list[Column]:
    """The columns under SLAMD's names, without those that say nothing of these rows."""

    def figures(title: str, of: Callable[[SlamdStatistic], float | None], digits: int = 5) -> Column:
        return Column(title, [_cell(row, of(row), digits) for row in rows])

    columns = [
        Column("statistic", [row.statistic for row in rows], "text", key=True),
        Column("unit", [row.unit for row in rows], "text"),
        Column("Count", [f"{row.count:,.0f}" for row in rows]),
        figures("Avg Value", lambda row: row.avg_value),
        figures("Avg/Second", lambda row: row.avg_per_second),
        figures("Avg/Interval", lambda row: row.avg_per_interval),
        figures("Std Dev", lambda row: row.std_dev),
        figures("Corr Coeff", lambda row: row.corr_coeff, digits=3),
        figures("Total Duration", lambda row: row.total_duration_ms),
        figures("Avg Duration", lambda row: row.avg_duration_ms),
        figures("Avg Count/Interval", lambda row: row.avg_count_per_interval),
    ]
    return _telling(columns)


def _cell(row: SlamdStatistic, value: float | None, digits: int) -> str:
    """A figure of a run rounded, of a publication with every digit of it."""
    if value is None or isinstance(row, SlamdRow):
        return significant(value, digits)
    return f"{value:,}"


def _percentiles(rows: Sequence[SlamdRow]) -> list[Column]:
    return _telling(
        [
            Column(title, [significant(getattr(row, name), 5) for row in rows])
            for title, name in PERCENTILES.items()
        ]
    )


def _telling(columns: Sequence[Column]) -> list[Column]:
    return [each for each in columns if any(cell != ABSENT for cell in each.cells)]
