"""What the throughput of a system may be divided by: threads, GHz, watts, rack units and price."""

from __future__ import annotations

from igen.facts import CPU_BASE_MHZ, CPU_MAX_MHZ, CPU_PROCESSORS
from igen.judge.aspect import SystemRuns
from igen.judge.record.target import Place, target_place
from igen.units import MHZ_PER_GHZ

SAID = ("watts", "rack_units", "price")
"""What a study says of a system; watts may be the name of a meter, too."""


def amounts_of(system: SystemRuns) -> dict[str, float]:
    """Return what is known, by name; nothing of processors that are not those of the load machine."""
    found = {name: system.described.get(name) for name in SAID}
    if target_place(system.first) is not Place.REMOTE:
        mhz = system.facts.get(CPU_MAX_MHZ) or system.facts.get(CPU_BASE_MHZ)
        found["threads"] = system.facts.get(CPU_PROCESSORS)
        found["ghz"] = mhz / MHZ_PER_GHZ if isinstance(mhz, int | float) else None
    return {
        name: float(value) for name, value in found.items() if isinstance(value, int | float) and value > 0
    }
