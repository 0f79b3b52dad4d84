"""A row of the table of rules, and the limits by which rules decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

Verdict = Literal["VALID", "SUSPECT", "ONE RUN", "INVALID"]
GRAVITY: tuple[Verdict, ...] = ("VALID", "SUSPECT", "ONE RUN", "INVALID")
"""From good to bad. Of one run nobody knows how far the next one will be off: it is worse than SUSPECT."""
About = Literal["recording", "load", "machine", "statistics", "system", "publication", "unknown fact"]
Run = Literal["counts", "left out", "not measured"]
Value = TypeVar("Value", int, float, dict[int, float])


@dataclass(frozen=True, slots=True)
class Limit(Generic[Value]):
    """A number by which a rule decides, or several that depend on a whole number."""

    value: Value
    unit: str
    reason: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table."""

    id: str
    about: About
    """`load`: the load was not the load that was asked for. If such a rule is INVALID for one run, the whole
    level is INVALID: high load may be the cause, and the runs that survived would be another level."""
    grade: Verdict = "VALID"
    """VALID for a note, which a reader should know and which changes no verdict."""
    exit_code: Literal[0, 1] = 0
    """1 if the load itself failed, whatever the machine did."""
    run: Run = "counts"
    """What becomes of a run that breaks it. `left out`: other runs of the level stand for it, if there are
    any; `not measured`: it is not an observation of the system, and a fresh run replaces it."""
    overload: bool = False
    """More was offered than the system served: a result."""
    bottleneck: bool = False
    """It names what limits the system, for which a report has a place."""
    said_by: tuple[str, ...] = ()
    """Rules that say the same: a report that has one of them does not repeat it."""
    limits: tuple[Limit[int] | Limit[float] | Limit[dict[int, float]], ...] = ()
    """Limits by which it decides, the most important first."""

    @property
    def spoils_level(self) -> bool:
        """True if a level with one such run is INVALID, even if the figures rest on other runs."""
        return self.grade == "INVALID" and self.about == "load"
