"""THE list of scaling laws that compete for a curve."""

from __future__ import annotations

from igen.judge.curve.laws.families import AMDAHL, CAPPED, QUEUEING, UNIVERSAL, Law
from igen.judge.curve.laws.repairman import repairman


def competing(think_s: float) -> tuple[Law, ...]:
    """Return the laws for users who think so long on average, those of fewer parameters first."""
    return AMDAHL, QUEUEING, repairman(think_s), UNIVERSAL, CAPPED
