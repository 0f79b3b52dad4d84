"""How the speed of a system changes while it is measured."""

from __future__ import annotations

import numpy as np

from tests.pipeline.systems import OTHER, Shape
from tests.pipeline.transactions import Floats, Phases

STOPPED = 1e-6
"""Speed during a stall."""


def approach(change: float, time_s: float) -> Shape:
    """Warm-up: `change` off at the begin of MEASURE, and e times less after each `time_s`."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        after_s = np.maximum(phases.begins_s + phases.interval_s / 2, 0)
        speeds: Floats = 1 + change * np.exp(-after_s / time_s)
        return speeds

    return shape


def stall(at_share: float | None, of_other: float | None = None, share: float = 0.1) -> Shape:
    """Nothing goes on for `share` of MEASURE, from there on; None for anywhere."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        at = of_other if system == OTHER and of_other is not None else at_share
        at = random.random() * (1 - share) if at is None else at
        since = phases.begins_s / phases.measure_s - at
        return np.where((since >= -1e-9) & (since < share - 1e-9), STOPPED, 1.0)

    return shape


def step(change: float) -> Shape:
    """From some moment between 15 and 85 % of MEASURE on it is `change` off."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        at_s = random.uniform(0.15, 0.85) * phases.measure_s
        return np.where(phases.begins_s >= at_s, 1 + change, 1.0)

    return shape


def drift(change: float) -> Shape:
    """Evenly, by so much from the begin of MEASURE to its end."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        speeds: Floats = 1 + change * (np.maximum(phases.begins_s, 0) / phases.measure_s - 0.5)
        return speeds

    return shape


def sawtooth(depth: float, period: int) -> Shape:
    """A collection each `period` intervals: it gets slower evenly by `depth`, then starts anew."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        place = (np.arange(len(phases.begins_s)) + random.integers(period)) % period
        speeds: Floats = 1 + depth * (0.5 - place / (period - 1))
        return speeds

    return shape


def slow_runs(share: float, change: float) -> Shape:
    """Some executions are slow as a whole."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        return np.full(len(phases.begins_s), 1 + change if random.random() < share else 1.0)

    return shape


def wandering(change: float, dwell_s: float) -> Shape:
    """Half of the time it is `change` off, in stays of a random length (exponential, mean `dwell_s`)."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        leaves = random.random(len(phases.begins_s)) < -np.expm1(-phases.interval_s / dwell_s)
        is_off = (np.cumsum(leaves) + random.integers(2)) % 2 > 0
        return np.where(is_off, 1 + change, 1.0)

    return shape


def dip(share: float, change: float, length_s: float) -> Shape:
    """In some executions it is `change` off for so long, from a random moment of MEASURE on."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        begins_s = phases.begins_s
        at_s = random.uniform(0, phases.measure_s - length_s)
        is_off = (begins_s >= at_s) & (begins_s < at_s + length_s) & (random.random() < share)
        return np.where(is_off, 1 + change, 1.0)

    return shape


def random_walk(step_share: float) -> Shape:
    """Each interval by so much off the one before."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        speeds: Floats = np.exp(step_share * np.cumsum(random.standard_normal(len(phases.begins_s))))
        return speeds

    return shape


def slow_other(change: float) -> Shape:
    """The second system is slower, as by what disturbs its machine."""

    def shape(random: np.random.Generator, phases: Phases, system: str) -> Floats:
        return np.full(len(phases.begins_s), 1 + change if system == OTHER else 1.0)

    return shape
