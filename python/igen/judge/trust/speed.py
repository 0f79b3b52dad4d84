"""The speed of the machine as a covariate: what the spin canary explains of how runs differ is no noise.

    ln xᵢⱼ = μᵢ + β ln(cᵢⱼ / c̄) + ε

Within each level i the figures x of its runs j are held against the speed c of the canary beside them, and
corrected to its usual speed c̄. β is the machine's own: 1 for work of the processor alone, 0 for work that
sleeps. It is known from at least 10 degrees of freedom; with fewer nothing is corrected. The canary drops no
run and makes no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, log
from statistics import fmean, median

import numpy as np

from igen.judge.result import AS_MEASURED, Correction
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.rules.machine import CANARY_FREEDOM


def at_usual_speed(
    curves: Sequence[Sequence[Sequence[MeasuredRun]]], usual_spins_per_s: float | None = None
) -> list[list[list[MeasuredRun]]]:
    """Return the runs of all levels of all curves as they would be at the usual speed of the machine.

    `usual_spins_per_s` is the usual speed of the canary in all runs that are laid side by side, if these are
    several of one machine; else it is the median of each machine's own runs.
    """
    levels = [runs for curve in curves for runs in curve]
    logs = _logs(levels, usual_spins_per_s)
    throughput = _slope(levels, logs, [[run.throughput_per_s for run in runs] for runs in levels])
    times = _slope(
        levels, logs, [[run.transactions.response_time.mean_ns for run in runs] for runs in levels]
    )
    explained = bool(throughput or times)
    if not explained and usual_spins_per_s is None:
        return [[list(runs) for runs in curve] for curve in curves]
    corrected = iter(
        [
            _corrected(run, Correction(exp(-throughput * x), exp(-times * x), 0.0 if explained else x))
            for run, x in zip(runs, of, strict=True)
        ]
        for runs, of in zip(levels, logs, strict=True)
    )
    return [[next(corrected) for _ in curve] for curve in curves]


def _corrected(run: MeasuredRun, correction: Correction) -> MeasuredRun:
    if correction == AS_MEASURED:
        return run
    parts = {name: replace(part, correction=correction) for name, part in run.loads.items()}
    return replace(run, correction=correction, loads=parts)


def _logs(levels: Sequence[Sequence[MeasuredRun]], usual_spins_per_s: float | None) -> list[list[float]]:
    """Return ln of each run's canary over its usual speed on that machine; 0 without a canary."""
    speeds = [[_speed(run) for run in runs] for runs in levels]
    of_host: dict[str, list[float]] = {}
    for run, speed in (
        (run, speed)
        for runs, of in zip(levels, speeds, strict=True)
        for run, speed in zip(runs, of, strict=True)
    ):
        if speed:
            of_host.setdefault(run.recording.host, []).append(speed)
    usual = {host: usual_spins_per_s or median(found) for host, found in of_host.items()}
    return [
        [
            log(speed / usual[run.recording.host]) if speed else 0.0
            for run, speed in zip(runs, of, strict=True)
        ]
        for runs, of in zip(levels, speeds, strict=True)
    ]


def _speed(run: MeasuredRun) -> float | None:
    speeds = [speed for _, speed in run.recording.canaries]
    return fmean(speeds) if speeds else None


def _slope(
    levels: Sequence[Sequence[MeasuredRun]],
    logs: Sequence[Sequence[float]],
    figures: Sequence[Sequence[float]],
) -> float:
    """Return β of the figures of runs within levels, by least squares; 0 if too few runs tell."""
    known = [
        [
            (x, log(value))
            for run, x, value in zip(runs, xs, values, strict=True)
            if value > 0 and run.recording.canaries
        ]
        for runs, xs, values in zip(levels, logs, figures, strict=True)
    ]
    groups = [np.array(rows) for rows in known if len(rows) > 1]
    freedom = sum(len(rows) - 1 for rows in groups) - 1
    if freedom < CANARY_FREEDOM.value:
        return 0.0
    speed, figure = np.concatenate([rows - rows.mean(axis=0) for rows in groups]).T
    power = float(speed @ speed)
    return float(speed @ figure) / power if power > 0 else 0.0
