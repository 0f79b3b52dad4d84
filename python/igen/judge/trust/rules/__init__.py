"""THE table of rules: what each is about, its grade, its limits, and what follows from it.

The face of `trust` says what a new rule takes. `prediction` has limits alone, because its refusals are
not findings; `numerics` has the parameters of numerical methods.
"""

from __future__ import annotations

from igen.judge.trust.rules import (
    advice,
    comparison,
    curve,
    headline,
    kinds,
    levels,
    load,
    machine,
    published,
    recording,
    statistics,
    steady,
)
from igen.judge.trust.rules.rule import GRAVITY as GRAVITY
from igen.judge.trust.rules.rule import Rule as Rule
from igen.judge.trust.rules.rule import Verdict as Verdict

_TABLE = (
    *load.ROWS,
    *recording.ROWS,
    *machine.ROWS,
    *statistics.ROWS,
    *steady.ROWS,
    *machine.CAUSES,
    *levels.ROWS,
    *curve.POINTS,
    *curve.OBSERVATIONS,
    *kinds.ROWS,
    *comparison.ROWS,
    *comparison.NOTES,
    *headline.ROWS,
    *advice.PUBLICATION,
    *published.ROWS,
    *advice.MACHINE,
)
RULES = {rule.id: rule for rule in _TABLE}
"""By id."""
