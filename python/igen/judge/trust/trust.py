"""The state of a run or of a level: what its figures are worth, in one record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from igen.judge.compare.ratio import Served
from igen.judge.trust.disturbance import Disturbance
from igen.judge.trust.finding import Finding, gravest
from igen.judge.trust.rules import GRAVITY, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What the figures of a run or of a level are worth."""

    throughput: Verdict = "VALID"
    """Verdict of the throughput: late wake-ups spoil short times and leave it as it is."""
    times: Verdict = "VALID"
    """Verdict of the response and service times."""
    verdict: Verdict = field(init=False)
    """Verdict of the whole: the milder of both, and at least SUSPECT if they differ."""
    disturbance: Disturbance = field(default_factory=Disturbance)
    """The systematic error besides the intervals."""
    served: Served | None = None
    """What became of an open or paced load; None for a run, a closed load and several loads at once."""

    def __post_init__(self) -> None:
        """Set the verdict of the whole, which nobody gives."""
        known: list[Verdict] = [self.throughput, self.times]
        whole = min(known, key=GRAVITY.index)
        if self.throughput != self.times:
            whole = max(whole, "SUSPECT", key=GRAVITY.index)
        object.__setattr__(self, "verdict", whole)

    @classmethod
    def of(cls, found: Iterable[Finding], disturbance: Disturbance) -> Self:
        """Return the state that follows from what was found; `served` is not known yet."""
        known = list(found)
        return cls(
            throughput=gravest(each for each in known if each.quantity != "times"),
            times=gravest(each for each in known if each.quantity != "throughput"),
            disturbance=disturbance,
        )
