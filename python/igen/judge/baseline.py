"""What the runs of a study tell of each other: the usual speed of the machine, and what its speed does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import numpy as np

from igen.judge import limits
from igen.judge.recording import Recording
from igen.judge.student import t_critical

LEAST_FREEDOM = 5


@dataclass(frozen=True, slots=True)
class Baseline:
    """What all runs of a study say of the machine: what each of them is held against."""

    canary_spins_per_s: float | None
    """Median of all canaries of the study."""
    floor_s: float
    """The engine's own cost per transaction."""
    canary_effect: float = 1.0
    """By how many percent throughput grows with a percent of the canary's speed, at most; 0 to 1."""


def baseline_of(recordings: Iterable[Recording], floor_ns: float | None) -> Baseline:
    """What all runs together say."""
    told = list(recordings)
    spins = [speed for recording in told for _, speed in recording.canaries]
    floor_s = limits.ASSUMED_FLOOR_S if floor_ns is None else floor_ns / 1e9
    return Baseline(median(spins) if spins else None, floor_s, canary_effect(told))


def canary_effect(recordings: Iterable[Recording]) -> float:
    """Upper end of the 95 % interval of the slope of ln throughput over ln canary, within levels.

    The canary is a covariate of the repeats: work that sleeps does not follow it. 1 where a study has too few
    repeats to tell.
    """
    groups: dict[object, list[tuple[float, float]]] = defaultdict(list)
    for recording in recordings:
        speeds = [speed for _, speed in recording.canaries]
        count = sum(interval.transactions.count for interval in recording.measure)
        length_s = sum(interval.length_s for interval in recording.measure)
        if speeds and count and recording.load_model == "closed":
            key = (recording.system, recording.test, recording.level, recording.purpose)
            groups[key].append((np.log(np.mean(speeds)), np.log(count / length_s)))
    centred = [np.array(rows) - np.mean(rows, axis=0) for rows in groups.values() if len(rows) > 1]
    freedom = sum(len(rows) - 1 for rows in centred) - 1
    if freedom < LEAST_FREEDOM:
        return 1.0
    speed, throughput = np.concatenate(centred).T
    power = float(speed @ speed)
    if power <= 0:
        return 1.0
    slope = float(speed @ throughput) / power
    residuals = throughput - slope * speed
    error = (float(residuals @ residuals) / freedom / power) ** 0.5
    return float(np.clip(slope + t_critical(freedom, 0.025) * error, 0.0, 1.0))
