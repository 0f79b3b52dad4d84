"""What is said of runs that were measured one after the other: how much of their ratio may be drift."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.machine import machines_of
from igen.judge.result import Quantity, Ratio, System
from igen.judge.settings import PERSONAS
from igen.judge.terms import Terms
from igen.units import counted

SIDE_BY_SIDE = "`igen ab` runs both side by side"


def session_note(base: System, system: System, ratios: Sequence[Ratio], terms: Terms) -> str:
    """The noise between sessions that is in the intervals of the ratios, and who measured it."""
    decided = next(ratio for ratio in ratios if ratio.decides)
    carried = f"the intervals carry {decided.session_noise_percent:.2g} % of noise between sessions"
    machines = machines_of(base, system)
    if base.load_model == PERSONAS:
        origin = "assumed, as nobody measures it for several loads at once"
    else:
        origin = ", ".join(_origin(name, decided.quantity, terms) for name in machines)
    if len(machines) > 1:
        return f"the runs were measured on two machines: {carried}, {origin}"
    return f"the runs were measured one after the other: {carried}, {origin}; {SIDE_BY_SIDE}"


def _origin(machine: str, quantity: Quantity, terms: Terms) -> str:
    """Who measured the noise of this machine."""
    known = terms.noise.get(machine)
    noise = known.of.get(quantity) if known else None
    there = f" on {machine}" if machine else ""
    if known and noise and noise.session_variance:
        sessions = f"{counted(noise.sessions, 'session')} of {known.workload}"
        return f"as `igen aa` saw it in {sessions}{there}"
    return f"assumed, as `igen aa` has never measured it{there}"
