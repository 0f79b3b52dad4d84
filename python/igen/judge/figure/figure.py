"""A figure with all its doubt, and the one question to it: is it beyond a limit?

Two limits divide the line into three parts: below the lower limit, from one limit to the other, above the
upper limit. A figure is in a part if its whole interval is. The limits themselves belong to the part between
them. If both are the same, only that very value is within.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from typing import Literal

from igen.judge.figure.sequence import critical_of_sequence, p_of_sequence
from igen.judge.figure.student import t_critical, t_tail
from igen.judge.trust.rules.numerics import FARTHEST_LOG
from igen.judge.trust.rules.statistics import CONFIDENCE

FAMILY_ERROR = 1 - CONFIDENCE.value
"""Probability that any difference that a comparison claims is none."""

Side = Literal["above", "below", "within", "cannot tell"]
Kind = Literal["mean", "runs", "pairs", "sequence"]
"""What a figure is made of: the mean of runs; geometric means of independent runs; pairs of runs; runs or
pairs whose number was decided by looking at them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number and how well it is known: its standard error, and how far disturbance may have moved it.

    Of a mean, Student's t holds for the number itself, which is not negative; of other kinds for its
    logarithm.
    """

    value: float
    low: float | None = None
    """Lower end of the interval, apart from disturbance; None if there are too few runs."""
    high: float | None = None
    level: float = CONFIDENCE.value
    """Share of such intervals that hold the true value."""
    n: int = 1
    """Runs or pairs of runs; of a ratio of independent runs, those of the side that has fewer."""
    kind: Kind = "mean"
    error: float | None = None
    """Standard error, of the logarithm unless `kind` is `mean`; None if only the interval is known."""
    freedom: float | None = None
    """Degrees of freedom of `error`."""
    session_error: float = 0.0
    """The part of `error` (in squares) that is between sessions, which more repeats do not make smaller."""
    information: float | None = None
    """Pairs in balanced order that would know as much; None if these are the `n`."""
    down: float = 0.0
    """How far disturbance may have moved the logarithm down, 0 or less."""
    up: float = 0.0

    @classmethod
    def exactly(cls, value: float, n: int = 1) -> Figure:
        """Return a value that is known without doubt: its interval has no width."""
        return cls(value=value, low=value, high=value, n=n, error=0.0, freedom=inf)

    @classmethod
    def estimated(
        cls,
        value: float,
        error: float,
        freedom: float,
        n: int = 1,
        kind: Kind = "runs",
        session_error: float = 0.0,
        information: float | None = None,
    ) -> Figure:
        """Return a value with a standard error, and the 95 % interval that follows."""
        return cls(
            value=value,
            n=n,
            kind=kind,
            error=error,
            freedom=freedom,
            session_error=session_error,
            information=information,
        )._with_ends()

    def ends(self, error: float = FAMILY_ERROR, sides: Literal[1, 2] = 2) -> tuple[float, float] | None:
        """Return an interval that holds whatever disturbed the figure; None without one.

        It misses the truth in a share `error`; with `sides=1` each end alone does.
        """
        own = self._own_ends(error * 2 / sides)
        return own and (own[0] * exp(self.down), own[1] * exp(self.up))

    def against(
        self,
        least: float = -inf,
        most: float = inf,
        *,
        error: float = FAMILY_ERROR,
        sides: Literal[1, 2] = 2,
    ) -> Side:
        """Return the side of two limits on which it is, whatever disturbed it; the answer is wrong in a share
        `error`. With `sides=1` each limit is a question of its own."""
        ends = self.ends(error, sides)
        if ends is None:
            return "cannot tell"
        low, high = ends
        if low > most:
            return "above"
        if high < least:
            return "below"
        return "within" if least <= low and high <= most else "cannot tell"

    @property
    def p(self) -> float | None:
        """The p-value of "disturbance alone made a ratio other than 1"; None without a standard error."""
        if self.error is None or self.freedom is None:
            return None
        off = max(log(self.value) + self.down, -log(self.value) - self.up, 0.0)
        if self.error == 0:
            return 0.0 if off else 1.0
        if self.kind == "sequence":
            return p_of_sequence(self.known_by, off / self.error, self.freedom)
        return 2 * t_tail(self.freedom, off / self.error)

    @property
    def known_by(self) -> float:
        """Number of runs of each side, or of pairs in balanced order, that would know as much."""
        return self.n if self.information is None else self.information

    @property
    def within_session(self) -> Figure:
        """The figure without the noise between sessions: how well these runs alone know it.

        Its degrees of freedom are those of the smaller side: too few rather than too many.
        """
        if not self.session_error or self.error is None:
            return self
        own = sqrt(max(self.error**2 - self.session_error**2, 0.0))
        return replace(self, error=own, session_error=0.0, freedom=max(self.n - 1.0, 1.0))._with_ends()

    @property
    def disturbance(self) -> float:
        """How far disturbance may have moved the logarithm, by the direction in which it is more."""
        return max(-self.down, self.up)

    def critical(self, error: float) -> float:
        """Return half the width, in standard errors, of the interval that misses the truth in that share."""
        return critical_of(self.kind, self.known_by, self.freedom or 0.0, error)

    def half(self, error: float = FAMILY_ERROR) -> float:
        """Return half the width of that interval, in the unit of the standard error."""
        if self.error is None:
            return inf
        return self.critical(error) * self.error if self.error else 0.0

    def at_error(self, error: float) -> Figure:
        """Return it with the interval that misses the truth in that share."""
        return self if self.error is None else replace(self, level=1 - error)._with_ends()

    def untested(self) -> Figure:
        """Return the value alone, if an interval would not be honest."""
        return Figure(value=self.value, n=self.n, kind=self.kind, down=self.down, up=self.up)

    def no_narrower(self, half: float) -> Figure:
        """Return it with a 95 % interval that reaches at least that far, in the unit of the standard error.

        It keeps its degrees of freedom: no interval of another confidence is narrower either.
        """
        if self.error is None or self.half() >= half:
            return self
        return replace(self, error=half / self.critical(FAMILY_ERROR))._with_ends()

    def disturbed(self, bounds: tuple[float, float]) -> Figure:
        """Return it with these bounds of what disturbance did to its logarithm."""
        return replace(self, down=bounds[0], up=bounds[1])

    def widened(self) -> Figure:
        """Return it with disturbance in its interval, which is all that is known of it then."""
        return self._between(self.value, self.ends())

    def lowered_for_choice(self, among: int) -> Figure:
        """Return the highest of `among` means, its lower end moved down for the choice.

        The lower end holds for all of them at once (Bonferroni): t at 1 - 0.025 / `among` instead of 0.975.
        The upper end stays: a figure that flatters is rarely too low.
        """
        reach = 0.0 if self.low is None or self.error is None else self.value - self.low
        if not reach or among == 1:
            return self
        farther = self.critical(FAMILY_ERROR / among) / self.critical(FAMILY_ERROR)
        return replace(self, low=max(self.value - reach * farther, 0.0), error=None, freedom=None)

    def __mul__(self, factor: float) -> Figure:
        """Return it in another unit, or that many times."""
        return self._each(lambda number: number * factor)

    def __truediv__(self, by: float) -> Figure:
        """Return its share of a number without doubt."""
        return self._each(lambda number: number / by)

    def __rtruediv__(self, of: float) -> Figure:
        """Return a number without doubt divided by it; without an interval if its own reaches 0."""
        ends = self.ends()
        inverse = (of / ends[1], of / ends[0]) if ends and ends[0] > 0 else None
        return self._between(of / self.value, inverse)

    def _each(self, of: Callable[[float], float]) -> Figure:
        low, high = (None if end is None else of(end) for end in (self.low, self.high))
        error = of(self.error) if self.error and self.kind == "mean" else self.error
        return replace(self, value=of(self.value), low=low, high=high, error=error)

    def _between(self, value: float, ends: tuple[float, float] | None) -> Figure:
        low, high = ends or (None, None)
        return Figure(value=value, low=low, high=high, n=self.n, kind=self.kind)

    def _own_ends(self, error: float) -> tuple[float, float] | None:
        if self.error is None:
            known = self.low is not None and self.high is not None and error >= FAMILY_ERROR
            return (self.low, self.high) if known else None  # type: ignore[return-value]
        half = self.half(error)
        if half == inf:
            return None
        if self.kind == "mean":
            return max(self.value - half, 0.0), self.value + half
        factor = exp(min(half, FARTHEST_LOG))
        return self.value / factor, self.value * factor

    def _with_ends(self) -> Figure:
        low, high = self._own_ends(1 - self.level) or (None, None)
        return replace(self, low=low, high=high)


def critical_of(kind: Kind, n: float, freedom: float, error: float) -> float:
    """Return half the width, in standard errors, of an interval that misses the truth in a share `error`.

    `n` pairs, or runs of each side; infinite if so few can never tell.
    """
    return critical_of_sequence(n, freedom, error) if kind == "sequence" else t_critical(freedom, error / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Times of a level: each figure is the geometric mean of the runs' own, which its interval estimates.

    The mean is that of the measured part, as the throughput is; percentiles and maximum are those of all of
    MEASURE, with the transactions that were in flight at its end. Histograms of several runs are merged for
    percentile curves only.
    """

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    p999: float
    max: float
    """The longest of all runs."""
    mean_interval: Figure | None = None
    """t on the logarithms of the runs' own means; None for one run."""
    p99_interval: Figure | None = None
    """t on the logarithms of the runs' own p99, from 5 runs on."""
