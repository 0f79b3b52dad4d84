"""Runs that were measured one after the other: how much of their ratio may be drift."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.compare.machine import machines_of
from igen.judge.compare.terms import Terms
from igen.judge.result import Finding, Part, Quantity, Ratio, System
from igen.judge.trust.finding import finding
from igen.loads import deciding_quantity


def session_note(base: System, system: System, ratios: Sequence[Ratio], terms: Terms) -> Finding:
    """Return the noise between sessions that is in the intervals of the ratios, and who measured it."""
    decided = next(ratio for ratio in ratios if ratio.decides)
    machines = machines_of(base, system)
    if deciding_quantity(base.load_model) is None:
        because = [finding("noise-of-several-loads-assumed")]
    else:
        because = [_origin(name, decided.quantity, terms) for name in machines]
    return finding(
        "measured-on-two-machines" if len(machines) > 1 else "measured-one-after-the-other",
        scope="comparison",
        because=because,
        noise_percent=decided.session_noise_percent or 0.0,
    )


def _origin(machine: str, quantity: Quantity, terms: Terms) -> Finding:
    """Return who measured the noise of this machine."""
    known = terms.noise.get(machine)
    noise = known.of.get(quantity) if known else None
    where = [Part(name="machine", text=machine)] if machine else []
    if known and noise and noise.session_variance:
        workload = Part(name="workload", text=known.workload)
        return finding("noise-measured", *where, workload, sessions=noise.sessions)
    return finding("noise-assumed", *where)
