"""States of levels for samples."""

from __future__ import annotations

from igen.judge.trust.rules import Verdict
from igen.judge.trust.trust import Trust


def trusted(verdict: Verdict) -> Trust:
    """The state of a level whose throughput and times have the same verdict."""
    return Trust(throughput=verdict, times=verdict)
