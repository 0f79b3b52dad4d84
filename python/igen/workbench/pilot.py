"""A short execution of a level before a study; its results are not kept."""

from __future__ import annotations

from igen.errors import Interrupted
from igen.fleet.agent import Agent
from igen.fleet.interrupts import Interrupts
from igen.fleet.local import JobExit, Listener, run_job
from igen.study.levels import PlannedLevel

PILOT_S = 0.3
"""Length of its measurement, unless the listener extends it."""
_INTERVAL_S = 0.1


def run_pilot(level: PlannedLevel, listener: Listener) -> JobExit:
    """Carry out the level for a moment. Raises `Interrupted`."""
    phases = {
        "ramp_s": 0.0,
        "warmup_s": 0.0,
        "measure_s": PILOT_S,
        "interval_s": _INTERVAL_S,
        "extendable": True,
    }
    job = {**level.job, "phases": {**level.job["phases"], **phases}, "canary_s": 0.0}
    with Interrupts() as interrupts:
        exit = run_job(Agent().path, job, listener, interrupts)
    if exit.interrupted:
        raise Interrupted("interrupted before anything was measured")
    return exit
