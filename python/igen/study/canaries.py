"""Spin canaries of compared runs: the machine of a run may have been slow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from igen.facts import CPU_MODEL, HOST_NAME
from igen.facts.declaration import group_of, is_factor
from igen.judge.record.recording import Recording
from igen.store.run import Run
from igen.study.plans import plan_type
from igen.study.recordings import Recordings


def shared_canaries(runs: Sequence[Run], recordings: Recordings) -> dict[str, float]:
    """By run: the usual speed of the canary in all runs of its machine, of which each counts once; without
    runs that are alone on theirs.

    Held against its own run alone, a canary cannot tell that all of it was slow. Processors of another kind,
    or set otherwise, are no disturbance, and another version of iGen may have another canary.
    """
    speeds: dict[object, dict[str, float]] = defaultdict(dict)
    for run in runs:
        if plan_type(run.read_record().mode).in_segments:
            continue
        told = [each for path in run.job_paths() if (each := recordings.of(path)).canaries]
        if told:
            speeds[_machine(told[0])][run.id] = median(speed for each in told for _, speed in each.canaries)
    return {
        name: median(of_machine.values())
        for of_machine in speeds.values()
        if len(of_machine) > 1
        for name in of_machine
    }


def _machine(recording: Recording) -> tuple[str, str]:
    told = {
        name: value
        for name, value in recording.facts.items()
        if name == HOST_NAME or (group_of(name) == group_of(CPU_MODEL) and is_factor(name))
    }
    return recording.version, repr(sorted(told.items()))
