"""What it means for a throughput that a run counts whole transactions.

Of what is under way when MEASURE begins and ends all or nothing is counted. Runs that begin alike may share
that error, so that they agree better with each other than with the truth: three runs of 3 transactions each
do not know the rate exactly, but within one transaction of three. No interval of a throughput is narrower.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import hypot, inf, log

from igen.judge.estimate import Estimate
from igen.judge.interval import CONFIDENCE, Quotient, mean_interval, quotient_of
from igen.judge.measured import MeasuredRun
from igen.judge.result import Level, Repeat
from igen.judge.student import t_tail
from igen.units import counted

FEW = 100
"""One of more transactions is less than 1 %, of which nobody need be told."""


def least_half_width(transactions: int, runs: int) -> float:
    """One transaction of a run as a share of all that it did, of `runs` that did so many together; 0 without
    any."""
    return runs / transactions if transactions else 0.0


def throughput_of(runs: Sequence[MeasuredRun]) -> Estimate:
    """Mean throughput of the runs of a level, with an interval that their counts allow."""
    own = mean_interval([run.throughput_per_s for run in runs])
    if own.low is None or own.high is None:
        return own
    least = own.value * least_half_width(_transactions(runs), len(runs))
    return replace(own, low=max(min(own.low, own.value - least), 0.0), high=max(own.high, own.value + least))


def counting_warnings(runs: Sequence[MeasuredRun]) -> Iterator[str]:
    """That the runs agree better than their counts allow."""
    own, allowed = mean_interval([run.throughput_per_s for run in runs]), throughput_of(runs)
    each = _transactions(runs) / max(len(runs), 1)
    if own != allowed and each < FEW:
        few = counted(round(each), "transaction")
        yield f"{few} a run: the throughput's interval is that of one more or less of them"


def ratio_no_narrower(test: Quotient, pairs: Sequence[tuple[Level, Level]]) -> Quotient:
    """The ratio of two throughputs, or the geometric mean of those of several pairs of levels, with an
    interval that all counts allow."""
    halves = (
        least_half_width(level.transactions, level.throughput_per_s.n) for pair in pairs for level in pair
    )
    least, critical = hypot(*halves) / len(pairs), test.critical(1 - CONFIDENCE)
    if test.p is None or test.error is None or critical == inf or critical * test.error >= least:
        return test
    error, difference = least / critical, log(test.ratio.value)
    p = max(test.p, 2 * t_tail(test.freedom, abs(difference) / error))
    return quotient_of(test.kind, difference, error, test.ratio.n, test.freedom, p, test.session_error)


def least_of_ratio(sides: Sequence[Sequence[Repeat]]) -> float:
    """Half the width, as a logarithm, of the narrowest interval that the ratio of the throughputs of these
    runs may have."""
    counts = (round(sum(run.throughput_per_s * run.measured_s for run in runs)) for runs in sides)
    return hypot(*(least_half_width(count, len(runs)) for count, runs in zip(counts, sides, strict=True)))


def _transactions(runs: Sequence[MeasuredRun]) -> int:
    return sum(run.transactions.count for run in runs)
