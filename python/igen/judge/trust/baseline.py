"""What the runs of a study tell of each other: the usual speed of the machine, and what its speed does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from statistics import median

import numpy as np

from igen.judge.figure.figure import Figure
from igen.judge.record.recording import Recording
from igen.judge.trust.finding import Scope
from igen.judge.trust.rules.load import ASSUMED_FLOOR_S
from igen.judge.trust.rules.machine import CANARY_FREEDOM, CANARY_NOISE_PERCENT, CANARY_RELIABILITY, CANARY_SD


@dataclass(frozen=True, slots=True)
class Baseline:
    """What all runs of a study say of the machine: what each of them is held against."""

    canary_spins_per_s: float | None
    """Median of all canaries of the study."""
    floor_s: float
    """The engine's own cost per transaction."""
    canary_effect: float = 1.0
    """By how many percent throughput grows with a percent of the canary's speed, at most; 0 to 1."""
    canary_noise_percent: float = CANARY_NOISE_PERCENT.value
    """By which the canary differs from one time to the next on this machine while it holds still."""
    canary_of: Scope = "study"
    """The runs whose median canary is the usual one: those of the study or of the comparison."""


def baseline_of(
    recordings: Iterable[Recording], floor_ns: float | None, compared: float | None = None
) -> Baseline:
    """What all runs together say; `compared` is the usual speed of the canary in all runs that are laid side
    by side, where these are several of one machine."""
    told = list(recordings)
    spins = [speed for recording in told for _, speed in recording.canaries]
    usual = median(spins) if spins else None
    return Baseline(
        canary_spins_per_s=usual if compared is None else compared,
        floor_s=ASSUMED_FLOOR_S.value if floor_ns is None else floor_ns / 1e9,
        canary_effect=canary_effect(told),
        canary_noise_percent=min(
            100 * CANARY_SD.value * sqrt(_canary_noise(told)), CANARY_NOISE_PERCENT.value
        ),
        canary_of="study" if compared is None else "comparison",
    )


def canary_effect(recordings: Iterable[Recording]) -> float:
    """Upper end of the 95 % interval of the slope of ln throughput over ln canary, within levels.

    The canary is a covariate of the repeats: work that sleeps does not follow it. Noise of the canary itself
    makes the slope flatter than it is (C. Spearman, "The proof and measurement of association between two
    things", American Journal of Psychology 15, 1904), for which it is corrected. 1 where a study has too few
    repeats to tell, or where its canary does not differ by more than that noise.
    """
    told = list(recordings)
    groups: dict[object, list[tuple[float, float]]] = defaultdict(list)
    for recording in told:
        speeds = [speed for _, speed in recording.canaries]
        count = sum(interval.transactions.count for interval in recording.measure)
        length_s = sum(interval.length_s for interval in recording.measure)
        if speeds and count and recording.load_model == "closed":
            key = (recording.system, recording.test, recording.level, recording.purpose)
            groups[key].append((np.log(np.mean(speeds)), np.log(count / length_s)))
    centred = [np.array(rows) - np.mean(rows, axis=0) for rows in groups.values() if len(rows) > 1]
    freedom = sum(len(rows) - 1 for rows in centred) - 1
    if freedom < CANARY_FREEDOM.value:
        return 1.0
    speed, throughput = np.concatenate(centred).T
    power = float(speed @ speed)
    noise = _canary_noise(told) * (freedom + 1)
    if power <= 0 or 1 - noise / power < CANARY_RELIABILITY.value:
        return 1.0
    slope = float(speed @ throughput) / power
    residuals = throughput - slope * speed
    error = sqrt(float(residuals @ residuals) / freedom / power)
    _, upper = Figure.estimated(slope, error, freedom, kind="mean").ends() or (0.0, 1.0)
    return float(np.clip(upper / (1 - noise / power), 0.0, 1.0))


def _canary_noise(recordings: Iterable[Recording]) -> float:
    """Variance of ln of an execution's canary that is none of the machine's speed: from how the canary before
    the measurement and the one after it differ."""
    logs = [np.log([speed for _, speed in each.canaries]) for each in recordings if len(each.canaries) > 1]
    if not logs:
        return (CANARY_NOISE_PERCENT.value / 100) ** 2
    return float(np.mean([each.var(ddof=1) / len(each) for each in logs]))
