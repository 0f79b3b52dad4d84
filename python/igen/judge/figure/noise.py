"""The noise of a machine as `igen noise` measures it: how much the same system differs from itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from igen.judge.figure.interval import SessionVariance, paired_ratio
from igen.judge.figure.pairs import Pairs
from igen.judge.result import Quantity
from igen.judge.trust.rules.statistics import LEAST_RUNS


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One pass over pairs of executions of the same system: a figure of both sides of each pair, above 0."""

    started_unix_s: float
    pairs: list[tuple[float, float]]
    first: list[float] | None = None
    """For each pair 1 if the second side was executed first, -1 if the first side was; None if unknown."""

    @property
    def sides(self) -> Pairs:
        """The second side over the first one."""
        base, values = zip(*self.pairs, strict=True)
        return Pairs(values=[*values], base=[*base], first=self.first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Noise of one quantity of one workload on one machine; standard deviations are shares: 0.02 is 2 %."""

    between_runs: float
    """From run to run within a session."""
    between_pairs: float
    """Standard deviation of the ratio of two runs side by side with the same random numbers."""
    between_sessions: float | None
    """From session to session, beyond what the runs differ; None of one session."""
    of_session_means: float | None
    """Standard deviation of the means of sessions as they were seen, so with what the runs in them differ."""
    autocorrelation: float | None
    """Correlation of one run with the next of its session; None where there are too few."""
    false_claims: int
    """Sessions whose paired test calls the system different from itself."""
    sessions: int
    pairs: int
    """Pairs of all sessions."""

    @property
    def correlation(self) -> float:
        """Correlation of the two runs of a pair: what seeds and moment have in common, 0 to 1."""
        if self.between_runs == 0:
            return 0.0
        return min(max(1 - self.between_pairs**2 / (2 * self.between_runs**2), 0.0), 1.0)

    @property
    def session_variance(self) -> SessionVariance | None:
        """As a comparison of two stored runs carries it.

        Of the means as they were seen: an estimate of the part beyond them is 0 by chance in many studies of
        few sessions.
        """
        if self.of_session_means is None:
            return None
        return SessionVariance(self.of_session_means**2, self.sessions - 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineNoise:
    """Noise of one system on one machine, in each quantity."""

    workload: str
    of: Mapping[Quantity, Noise]
    decides_by: Quantity
    """What its load decides by."""

    @property
    def deciding(self) -> Noise | None:
        """Noise of what its load decides by."""
        return self.of.get(self.decides_by)


def noise_of(sessions: Sequence[Session]) -> Noise | None:
    """The parts of the variance by a one-way analysis; None below `LEAST_RUNS` pairs in any session.

    The variance between sessions is the variance of their means beyond what the pairs of a session make it,
    and at least 0.
    """
    full = [session for session in sessions if len(session.pairs) >= LEAST_RUNS.value]
    if not full:
        return None
    pairs = [np.log(np.asarray(session.pairs, float)) for session in full]
    sides = [side for of in pairs for side in of.T]
    runs = sqrt(float(np.average([side.var(ddof=1) for side in sides], weights=[len(s) - 1 for s in sides])))
    fits = [session.sides.model() for session in full]
    variances = [fit.difference.error**2 * fit.information for fit in fits]
    between_pairs = sqrt(float(np.average(variances, weights=[fit.freedom for fit in fits])))
    claims = [paired_ratio(session.sides).against(1.0, 1.0) in ("above", "below") for session in full]
    seen, beyond = _between_sessions(pairs)
    return Noise(
        between_runs=runs,
        between_pairs=between_pairs,
        between_sessions=beyond,
        of_session_means=seen,
        autocorrelation=_autocorrelation(pairs),
        false_claims=sum(claims),
        sessions=len(full),
        pairs=sum(len(of) for of in pairs),
    )


def _between_sessions(pairs: Sequence[np.ndarray]) -> tuple[float | None, float | None]:
    """Standard deviation of the sessions' means, and what of it the runs in them do not explain."""
    if len(pairs) < 2:
        return None, None
    # The two runs of a pair are alike, so the mean of a pair is one value of its session.
    means = [of.mean(axis=1) for of in pairs]
    within = float(np.mean([of.var(ddof=1) / len(of) for of in means]))
    seen = float(np.var([of.mean() for of in means], ddof=1))
    return sqrt(seen), sqrt(max(seen - within, 0.0))


def _autocorrelation(pairs: Sequence[np.ndarray]) -> float | None:
    """At lag 1, of the means of pairs about those of their session."""
    means = [of.mean(axis=1) - of.mean() for of in pairs]
    products = sum(float((of[1:] * of[:-1]).sum()) for of in means)
    squares = sum(float((of * of).sum()) for of in means)
    return products / squares if squares and sum(map(len, means)) >= 2 * LEAST_RUNS.value else None
