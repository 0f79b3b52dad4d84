"""How much the runs of each level of a system differ, known from the runs of all its levels together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from igen.judge.figure.spread import Spread, spreads_of
from igen.judge.figure.times import TimesSpread
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.queueing import independent_values
from igen.judge.trust.rules.statistics import INDEPENDENT_VALUES
from igen.quantiles import P99

TIMES = ("response_time", "service_time")


@dataclass(frozen=True, slots=True)
class LevelSpread:
    """The spreads of the figures of one level; those that nobody knows better than its own runs are None."""

    throughput: Spread | None = None
    times: dict[str, TimesSpread] = field(default_factory=dict)
    """Spreads of response and service times by name."""
    independent_values: float | None = None
    """Independent values of its mean response time that a run is worth; None if all are independent."""


def level_spreads(levels: Sequence[Sequence[MeasuredRun]]) -> list[dict[str, LevelSpread]]:
    """Return for each level the spreads of each of its loads by name, and of all together without a name.

    `levels` are the runs that count.
    """
    names = dict.fromkeys(name for runs in levels for run in runs[:1] for name in ("", *run.loads))
    of_loads = {name: _of_load([_of(name, runs) for runs in levels]) for name in names}
    return [{name: spreads[place] for name, spreads in of_loads.items()} for place in range(len(levels))]


def _of(name: str, runs: Sequence[MeasuredRun]) -> list[MeasuredRun]:
    if not name:
        return list(runs)
    return [run.loads[name] for run in runs if name in run.loads]


def _of_load(levels: Sequence[Sequence[MeasuredRun]]) -> list[LevelSpread]:
    throughput = spreads_of([[run.throughput_per_s for run in runs] for runs in levels])
    means = {name: _spreads(levels, partial(_mean_ns, name)) for name in TIMES}
    p99s = {name: _spreads(levels, partial(_p99_ns, name)) for name in TIMES}
    spreads = []
    for place, runs in enumerate(levels):
        values = independent_values(runs) if runs and not runs[0].recording.is_closed else None
        enough = values is None or values >= INDEPENDENT_VALUES.value
        times = {name: TimesSpread(means[name][place], p99s[name][place], enough) for name in TIMES}
        spreads.append(LevelSpread(throughput[place], times, values))
    return spreads


def _spreads(
    levels: Sequence[Sequence[MeasuredRun]], figure: Callable[[MeasuredRun], float]
) -> list[Spread | None]:
    return spreads_of([[value for run in runs if (value := figure(run)) > 0] for runs in levels])


def _mean_ns(name: str, run: MeasuredRun) -> float:
    times = getattr(run.transactions, name)
    return float(times.mean_ns) * run.correction.times if times.count else 0.0


def _p99_ns(name: str, run: MeasuredRun) -> float:
    times = getattr(run.whole, name)
    return float(times.quantiles_ns([P99])[0]) * run.correction.times if times.count else 0.0
