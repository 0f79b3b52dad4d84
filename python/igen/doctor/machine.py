"""This machine for the doctor: the agent's facts, and what Python finds out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from igen.errors import InputError
from igen.facts import HOST_NAME
from igen.fleet.agent import Agent

_STAT = Path("/proc/stat")
_STEAL = 7
"""Index of the stolen time in the line `cpu` of /proc/stat."""
_GUEST = 8
"""Index of the first time in this line that repeats other times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Facts of a machine."""

    facts: dict[str, Any]
    """Facts of the agent by name, without unknown facts."""
    stolen_fraction: float | None = None
    """Share of the processors' time since the start that the hypervisor gave to others."""
    missing_servers: tuple[str, ...] = ()
    """Kinds of private servers that cannot be started here."""
    has_duckdb: bool = True
    knows_noise: bool = True
    """True if `igen noise` has measured this machine's noise."""

    def fact(self, name: str) -> Any:
        """Return the value of a fact; None if unknown."""
        return self.facts.get(name)

    def number(self, name: str) -> float | None:
        """Return the value of a fact that is a number; None otherwise."""
        value = self.facts.get(name)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def this_machine(store: Path) -> Machine:
    """Return this machine, whose noise is in `store`. Raises `IgenError` if the agent cannot run."""
    from igen.fetch import duckdb
    from igen.store.noise import read_noise

    facts = Agent().facts()
    host = facts.get(HOST_NAME)
    return Machine(
        facts=facts,
        stolen_fraction=stolen_fraction(_STAT.read_text() if _STAT.exists() else ""),
        missing_servers=_missing_servers(),
        has_duckdb=duckdb.is_there(),
        knows_noise=any(session.host == host for session in read_noise(store)),
    )


def stolen_fraction(stat: str) -> float | None:
    """Share of the time since the start that was stolen, by the text of /proc/stat; None where it says
    nothing of that.
    """
    first = stat.partition("\n")[0].split()
    if first[:1] != ["cpu"] or len(first) <= 1 + _STEAL or not all(each.isdigit() for each in first[1:]):
        return None
    times = [int(each) for each in first[1:]][:_GUEST]
    return times[_STEAL] / sum(times) if sum(times) else None


def _missing_servers() -> tuple[str, ...]:
    from igen.instances.products import PRODUCTS

    def is_missing(name: str) -> bool:
        try:
            PRODUCTS[name].version()
        except InputError:
            return True
        return False

    return tuple(name for name in PRODUCTS if is_missing(name))
