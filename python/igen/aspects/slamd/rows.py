"""A statistic in the columns of SLAMD, and the table of all levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.result import System, SystemPart, aspect


@dataclass(frozen=True, slots=True, kw_only=True)
class SlamdStatistic:
    """One line of a table in SLAMD's columns: something counted, or something timed (`unit` is then `ms`)."""

    statistic: str
    unit: str
    count: float
    avg_per_second: float | None = None
    avg_per_interval: float | None = None
    std_dev: float | None = None
    corr_coeff: float | None = None
    avg_value: float | None = None
    """Rows of what is counted, for each operation that counted it."""
    total_duration_ms: float | None = None
    avg_duration_ms: float | None = None
    avg_count_per_interval: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlamdRow(SlamdStatistic):
    """A statistic of one level (whole intervals only), with the percentiles that SLAMD does not have."""

    level: int
    users: int | None
    p50_ms: float | None = None
    p90_ms: float | None = None
    p99_ms: float | None = None
    p999_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlamdTable(SystemPart):
    """Everything that was counted and timed, level by level."""

    kind: Literal["slamd"] = "slamd"
    rows: list[SlamdRow]


def slamd_rows_of(system: System) -> list[SlamdRow]:
    """The statistics of all levels; empty where nothing was measured."""
    table = aspect(system, SlamdTable)
    return table.rows if table else []
