"""What the doctor finds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What is known of a machine."""

    facts: dict[str, Any]
    """Those of the agent, by name; what it cannot tell is absent."""
    stolen_fraction: float | None = None
    """Share of the processors' time since the start that the hypervisor gave to others."""
    missing_servers: tuple[str, ...] = ()
    """Kinds of private servers that cannot be started here."""
    has_duckdb: bool = True
    knows_noise: bool = True
    """Whether `igen aa` has measured this machine's noise."""

    def fact(self, name: str) -> Any:
        """The value of a fact; None where it is not known."""
        return self.facts.get(name)

    def number(self, name: str) -> float | None:
        """The value of a fact that is a number; None of any other."""
        value = self.facts.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that the machine lacks."""

    subject: str = field(default="")
    found: str
    """What is so."""
    costs: str
    """What that means for measurements."""
    remedy: str
    """A command, or what else helps."""

    def as_dict(self) -> dict[str, str]:
        """For JSON."""
        return asdict(self)
