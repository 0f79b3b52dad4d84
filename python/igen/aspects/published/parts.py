"""Published figures beside those of a run, as part of the result document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from igen.aspects.published.reference import PublishedApplication, PublishedBandwidth, PublishedIo
from igen.aspects.slamd.rows import SlamdRow, SlamdStatistic
from igen.judge.result import System, SystemPart, aspect
from igen.judge.trust.finding import Finding


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
    contradictions: list[Finding]
    """Findings about published figures that disagree with each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFigures(SystemPart):
    """What was published of the same work, where the study names a set of it."""

    kind: Literal["published"] = "published"
    tables: list[Published]
    bandwidths: list[PublishedBandwidth]
    """Published bandwidths of memory."""
    io: list[PublishedIo]
    """Published figures of storage under the same kind of load."""
    applications: list[PublishedApplication] = field(default_factory=list)
    """Published results of web applications."""
    cache: str = ""
    """Whether this system answered from a cache of its own, as the study says; empty where it does not."""
    recomputed: list[Finding] = field(default_factory=list)
    """Findings about published applications: what follows from their figures, and how they disagree."""


def published_beside(system: System) -> PublishedFigures:
    """Everything that was published of the same work; empty where the study names nothing."""
    return aspect(system, PublishedFigures) or PublishedFigures(tables=[], bandwidths=[], io=[])
