"""A statistic in the columns of SLAMD, and published ones beside those of a run."""

from __future__ import annotations

from dataclasses import dataclass


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
    """Of what is counted, for each operation that counted it."""
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
class PublishedPair:
    """A published statistic and the run's of the same name."""

    published: SlamdStatistic
    ours: SlamdRow | None
    ratio: float | None
    """Ours over published: of rates, or of mean times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published table beside the level of a run that may be compared with it."""

    title: str
    level: int | None
    """The peak, or the level with the highest throughput; None where no level may be compared."""
    pairs: list[PublishedPair]
    contradictions: list[str]
    """Where the published figures do not agree with each other, recomputed."""
