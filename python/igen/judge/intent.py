"""What the study asks of the judge: all in a study that is not the agent's business."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from igen.judge.compare.threshold import Threshold, parse_threshold
from igen.judge.record.reference import Reference
from igen.judge.record.value import STEADY_MEAN, Value
from igen.judge.trust.rules.comparison import DEFAULT_MARGIN
from igen.units import MS_PER_S, parse_share, parse_time_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """Read from the study as the store keeps it."""

    response_time_limit_ms: float | None = None
    """Limit of the mean."""
    against: Mapping[str, str] = field(default_factory=dict)
    """By system: the one it is compared with; itself where it is compared with none."""
    described: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """By system: what the study says of it, such as its watts."""
    reference: Reference = field(default_factory=Reference)
    """Published results."""
    value: Value = STEADY_MEAN
    tests: Mapping[str, str] = field(default_factory=dict)
    """Titles by name."""
    margin: float = DEFAULT_MARGIN.value
    """Smaller differences do not matter."""
    fail_if: Sequence[Threshold] = ()
    """Thresholds that end the run with exit code 1."""
    repeats: int | None = None
    """Executions of each load; None where looking at them, or a search, decides."""
    looked: bool = False
    """How often the levels were executed was decided by looking at them: `auto` or `decided`."""

    @classmethod
    def of(cls, study: Mapping[str, Any], reference: Reference) -> Intent:
        """What a study asks for. It was checked when it was read; one of an older release may lack every key.

        `reference` are the published results that it names.
        """
        limit = study.get("response_time_limit")
        systems = study.get("systems") or []
        repeats = (study.get("plan") or {}).get("repeats")
        return cls(
            response_time_limit_ms=None if limit is None else MS_PER_S * parse_time_s(str(limit)),
            against=(
                {system["name"]: system["against"] for system in systems if system.get("against")}
                if study.get("compare", True)
                else {system["name"]: system["name"] for system in systems}
            ),
            described={system["name"]: system for system in systems},
            reference=reference,
            value=study.get("value") or STEADY_MEAN,
            margin=parse_share(str(study.get("margin") or DEFAULT_MARGIN.value)),
            fail_if=tuple(parse_threshold(text) for text in study.get("fail_if") or []),
            repeats=repeats if isinstance(repeats, int) and repeats > 0 else None,
            looked=repeats in ("auto", "decided"),
            tests={test["name"]: test["title"] for test in study.get("tests") or []},
        )
