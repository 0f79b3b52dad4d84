"""Laws are chosen by levels that they have not seen, never by how well they fit those that they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from igen.judge.curve.laws.competing import competing
from igen.judge.curve.laws.curve import ScalingCurve
from igen.judge.curve.laws.families import Law
from igen.judge.curve.laws.fit import fit
from igen.judge.trust.rules.numerics import KEPT_CURVES
from igen.judge.trust.rules.prediction import GOOD_ENOUGH, REJECTED_ONCE_SD, REJECTED_SD


@dataclass(frozen=True, slots=True)
class FittedLaw:
    """A law with the parameters of all levels, and its errors at held-out ones."""

    law: Law
    parameters: np.ndarray
    errors: np.ndarray
    """ln measured / predicted of each inner level, held out alone."""
    end_errors: np.ndarray
    """The same of the last third of the levels, held out together; empty where too few are left."""
    rejected: bool
    """Its errors are larger than chance makes them."""

    @property
    def rms(self) -> float:
        """Root mean square of the errors at inner levels."""
        return float(np.sqrt(np.mean(np.square(self.errors))))

    @property
    def end_rms(self) -> float:
        """The same at the last third; infinite where it was not held out."""
        return float(np.sqrt(np.mean(np.square(self.end_errors)))) if len(self.end_errors) else float("inf")

    @property
    def largest(self) -> float:
        """The largest error at an inner level."""
        return float(np.abs(self.errors).max())


@lru_cache(maxsize=KEPT_CURVES)
def fitted_laws(curve: ScalingCurve) -> tuple[FittedLaw, ...]:
    """Each law for which there are levels enough, the smallest error at held-out inner levels first."""
    found = [fitted for law in competing(curve.think_s) if (fitted := _fitted(law, curve)) is not None]
    return tuple(sorted(found, key=lambda fitted: fitted.rms))


def _fitted(law: Law, curve: ScalingCurve) -> FittedLaw | None:
    """None where fewer levels than parameters would be left."""
    n, x = curve.concurrency, curve.throughput_per_s
    levels, free = len(n), len(law.parameters)
    if levels - 1 <= free:
        return None
    inner = range(1, levels - 1)
    weights = [np.ones(levels)]
    weights += [np.where(np.arange(levels) == out, 0.0, 1.0) for out in inner]
    kept = levels - max(1, levels // 3)
    if kept > free:
        weights.append(np.where(np.arange(levels) < kept, 1.0, 0.0))
    parameters, _ = fit(law, n, x, np.array(weights))
    errors = np.log(x) - law.log_throughput(n, x, parameters)
    held_out = np.array([errors[1 + place, out] for place, out in enumerate(inner)])
    end = errors[-1, kept:] if kept > free else np.empty(0)
    return FittedLaw(law, parameters[0], held_out, end, _is_rejected(held_out, curve))


def _is_rejected(errors: np.ndarray, curve: ScalingCurve) -> bool:
    return bool(
        np.sqrt(np.mean(errors**2)) > max(REJECTED_SD.value * curve.noise, GOOD_ENOUGH.value)
        or np.abs(errors).max() > max(REJECTED_ONCE_SD.value * curve.noise, 2 * GOOD_ENOUGH.value)
    )


def best_at_the_end(laws: Sequence[FittedLaw]) -> list[FittedLaw]:
    """The laws that are not rejected and predicted the last third, the smallest error there first."""
    able = [each for each in laws if not each.rejected and len(each.end_errors)]
    return sorted(able, key=lambda each: each.end_rms)
