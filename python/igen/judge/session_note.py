"""What is said of runs that were measured one after the other: how much of their ratio may be drift."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.result import Ratio, System
from igen.judge.settings import PERSONAS
from igen.judge.terms import Terms
from igen.units import counted

HOST_NAME = "host.name"
"""Fact: the machine on which a run was measured."""
SIDE_BY_SIDE = "`igen ab` runs both side by side"
ONE_AFTER_THE_OTHER = "the runs were measured one after the other"
NEVER_MEASURED = (
    f"{ONE_AFTER_THE_OTHER}: drift of the machine is in the ratio, and how large it is was never measured; "
    f"`igen aa` does, and {SIDE_BY_SIDE}"
)
OF_SEVERAL_LOADS = (
    f"{ONE_AFTER_THE_OTHER}: drift of the machine is in the ratio, and how large it is nobody measures for "
    f"several loads at once; {SIDE_BY_SIDE}"
)
OF_ANOTHER_MACHINE = (
    f"{ONE_AFTER_THE_OTHER} on another machine: its drift is in the ratio, and how large that is cannot be "
    f"looked up here; {SIDE_BY_SIDE}"
)
OF_TWO_MACHINES = (
    "the runs were measured on two machines: what these differ by is in the ratio, and so is their drift"
)


def session_note(base: System, system: System, ratios: Sequence[Ratio], terms: Terms) -> str:
    """The noise between sessions that is in the intervals of the ratios, or why none is."""
    decided = next(ratio for ratio in ratios if ratio.decides)
    if decided.session_noise_percent is None:
        return _without_noise(base, system, terms)
    noise = terms.noise[decided.quantity]
    sessions = f"{counted(noise.sessions, 'session')} of {terms.noise_of}"
    return (
        f"{ONE_AFTER_THE_OTHER}: the intervals carry {decided.session_noise_percent:.2g} % of noise between "
        f"sessions, as `igen aa` saw it in {sessions}; {SIDE_BY_SIDE}"
    )


def _without_noise(base: System, system: System, terms: Terms) -> str:
    hosts = {each.facts.get(HOST_NAME) for each in (base, system)} - {None}
    if len(hosts) > 1:
        return OF_TWO_MACHINES
    if terms.elsewhere:
        return OF_ANOTHER_MACHINE
    return OF_SEVERAL_LOADS if base.load_model == PERSONAS else NEVER_MEASURED
