"""What it means for a throughput that a run counts whole transactions.

Of what is under way when MEASURE begins and ends all or nothing is counted. Runs that begin alike may share
that error, so that they agree better with each other than with the truth: three runs of 3 transactions each
do not know the rate exactly, but within one transaction of three. No interval of a throughput is narrower.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import hypot

from igen.judge.figure.figure import Figure
from igen.judge.figure.interval import log_interval
from igen.judge.figure.spread import Spread
from igen.judge.result import Repeat
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import Finding, finding
from igen.judge.trust.rules.statistics import FEW_TRANSACTIONS


def least_half_width(transactions: int, runs: int) -> float:
    """One transaction of a run as a share of all that it did, of `runs` that did so many together; 0 without
    any."""
    return runs / transactions if transactions else 0.0


def throughput_of(runs: Sequence[MeasuredRun], spread: Spread | None = None) -> Figure:
    """Return the mean throughput of the runs of a level, with an interval that their counts allow."""
    return _of_runs(runs, spread).no_narrower(least_half_width(_transactions(runs), len(runs)))


def _of_runs(runs: Sequence[MeasuredRun], spread: Spread | None) -> Figure:
    values = [run.throughput_per_s for run in runs]
    return log_interval(values, about=sum(values) / len(values), spread=spread)


def few_transactions(runs: Sequence[MeasuredRun], spread: Spread | None = None) -> Iterator[Finding]:
    """Yield a note if the runs agree better than their counts allow."""
    each = _transactions(runs) / max(len(runs), 1)
    if _of_runs(runs, spread) != throughput_of(runs, spread) and each < FEW_TRANSACTIONS.value:
        yield finding(
            "few-transactions", quantity="throughput", scope="level", transactions_per_run=round(each)
        )


def least_of_ratio(levels: Iterable[Sequence[Repeat]]) -> float:
    """Half the width, as a logarithm, of the narrowest interval that the ratio of two throughputs may have,
    by the runs of both levels; with several pairs of levels, that of the product of their ratios."""
    counts = ((sum(run.throughput_per_s * run.measured_s for run in runs), len(runs)) for runs in levels)
    return hypot(*(least_half_width(round(transactions), runs) for transactions, runs in counts))


def _transactions(runs: Sequence[MeasuredRun]) -> int:
    return sum(run.transactions.count for run in runs)
