"""The transport of a fleet's plan."""

from __future__ import annotations

from pathlib import Path

from igen.fleet.interrupts import Interrupts
from igen.fleet.plan import LOCAL, FleetPlan
from igen.fleet.processes import Processes
from igen.fleet.transport import Transport


def machines_of(plan: FleetPlan, program: Path, interrupts: Interrupts) -> Transport:
    """Return the transport to the load machines. Raises `InputError` or `IgenError` if it cannot be used."""
    if plan.address == LOCAL:
        return Processes(program, interrupts)
    from igen.fleet.ray import RayCluster

    return RayCluster(plan.address, plan.agents, program, interrupts, insecure=plan.insecure)
