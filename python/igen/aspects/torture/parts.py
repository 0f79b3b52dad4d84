"""What a run of many hours says of each target, as part of the result document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from igen.judge.result import SystemPart

Kind = Literal["slower", "as before", "all slower", "failed I/Os", "data errors", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """Something that befell a target in one segment."""

    segment: int
    """From 1."""
    target: str
    """Empty where it is said of all."""
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TortureTarget:
    """One target over the whole run."""

    target: str
    segments: int
    """In which it was loaded."""
    begin_per_s: float | None
    """Throughput at its beginning: the median of its first segments."""
    last_per_s: float | None
    least_per_s: float | None
    begin_ms: float | None
    """Mean response time at its beginning."""
    last_ms: float | None
    failed: int
    state: Kind | Literal["sound"]
    """The gravest that was said of it and not taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Torture(SystemPart):
    """A run that is cut into segments, each of them verified."""

    kind: Literal["torture"] = "torture"
    segments: int
    under_load_s: float
    targets: list[TortureTarget]
    incidents: list[Incident]
