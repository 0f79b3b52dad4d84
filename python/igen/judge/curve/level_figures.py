"""The figures of one load from its runs: throughput, times, counts, operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from igen.facts import WORKLOAD_OPERATIONS
from igen.failure import Failure
from igen.judge.curve.spreads import LevelSpread
from igen.judge.figure.times import times_of
from igen.judge.record.snapshot import Statistics
from igen.judge.result import (
    CounterResult,
    FailureCount,
    Level,
    OperationResult,
    Resources,
    ResourcesPerTransaction,
    Times,
)
from igen.judge.run.counting import throughput_of
from igen.judge.run.lateness import least_response_times
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.trust import Trust


def figures_of(
    runs: Sequence[MeasuredRun], used: Sequence[MeasuredRun], spread: LevelSpread | None = None
) -> Level:
    """Return a level with its figures alone: no verdict, no repeats, nothing about the machine.

    They rest on the runs that are `used`; errors and arrivals that were given up are those of all.
    """
    known = spread or LevelSpread()
    first = runs[0].recording
    transactions = sum(run.transactions.count for run in used)
    counters: Counter[str] = sum((run.counters for run in used), Counter())
    failures: Counter[Failure] = sum((run.failures for run in runs), Counter())
    return Level(
        level=first.level,
        users=first.users,
        offered_per_s=first.offered_per_s,
        load=first.job.get("load") or {},
        throughput_per_s=throughput_of(used, known.throughput),
        response_time_ms=times_of_runs(used, "response_time", known),
        service_time_ms=times_of_runs(used, "service_time", known),
        least_response_time_ms=_least_response_times(used),
        failed_time_ms=times_of_runs(used, "failed_time"),
        transactions=transactions,
        errors=sum(run.failed for run in runs),
        failures=[
            FailureCount(kind=each.kind, step=each.step, text=each.text, count=count)
            for each, count in failures.most_common()
        ],
        unsent=sum(i.arrivals.unsent for run in runs for i in run.intervals if i.arrivals),
        backlog=max(
            (i.arrivals.backlog for run in used for i in run.intervals[-1:] if i.arrivals), default=0
        ),
        operations=_operations(used),
        counters={
            name: CounterResult(
                count=count,
                per_s=_per_s([(run, run.counters[name], run.measured_s) for run in used]),
                per_transaction=count / transactions if transactions else 0.0,
            )
            for name, count in counters.items()
        },
        rates={},
        resources=Resources(),
        resources_per_transaction=ResourcesPerTransaction(),
        trust=Trust(),
        findings=[],
        repeats=[],
        instances=max(len(first.targets), 1),
    )


def times_of_runs(runs: Sequence[MeasuredRun], name: str, spread: LevelSpread | None = None) -> Times | None:
    """Return means of the part that was measured, and percentiles of all of MEASURE."""
    return times_of(
        [getattr(run.transactions, name) for run in runs],
        [getattr(run.whole, name) for run in runs],
        spread.times.get(name) if spread else None,
        _factors(runs),
    )


def _least_response_times(runs: Sequence[MeasuredRun]) -> Times | None:
    """Return what response times are at least; None if nothing started late."""
    if all(run.transactions.response_time is run.transactions.service_time for run in runs):
        return None
    return times_of(
        [least_response_times(run, run.transactions) for run in runs],
        [least_response_times(run, run.whole) for run in runs],
        factors=_factors(runs),
    )


def _factors(runs: Sequence[MeasuredRun]) -> list[float]:
    """Return what brings the times of each run to the usual speed of the machine."""
    return [run.correction.times for run in runs]


def _per_s(counts: Sequence[tuple[MeasuredRun, int, float]]) -> float:
    """Mean over runs, on the throughput's own time base, so that operations add up to the transaction.

    With each count the time in which it was counted, in seconds.
    """
    rates = []
    for run, count, counted_s in counts:
        if run.transactions.count and counted_s:
            each = count / counted_s / (run.transactions.count / run.measured_s)
            rates.append(run.throughput_per_s * each)
        else:
            rates.append(0.0)
    return sum(rates) / len(rates) if rates else 0.0


def _operations(runs: Sequence[MeasuredRun]) -> dict[str, OperationResult]:
    results = {}
    found = {name for run in runs for name in run.operations}
    # In the order of the transaction where the agent says it.
    declared = runs[0].recording.facts.get(WORKLOAD_OPERATIONS) or []
    nothing = Statistics()
    for name in [*(name for name in declared if name in found), *sorted(found - {*declared})]:
        parts = [run.operations.get(name, nothing) for run in runs]
        whole = [run.whole_operations.get(name, nothing) for run in runs]
        results[name] = OperationResult(
            count=sum(part.count for part in parts),
            failed=sum(part.failed for part in parts),
            per_s=_per_s(
                [(run, part.count, run.operations_s) for run, part in zip(runs, parts, strict=True)]
            ),
            response_time_ms=times_of(
                [part.response_time for part in parts],
                [part.response_time for part in whole],
                factors=_factors(runs),
            ),
            service_time_ms=times_of(
                [part.service_time for part in parts],
                [part.service_time for part in whole],
                factors=_factors(runs),
            ),
        )
    return results
