"""A point of the curve from the runs at one load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from igen.judge import limits
from igen.judge.aspect import Aspect, LevelRuns
from igen.judge.baseline import Baseline
from igen.judge.disturbance import Disturbance, WarmUp
from igen.judge.groups import two_groups
from igen.judge.interval import LEAST_RUNS, mean_interval
from igen.judge.limits import Finding
from igen.judge.load_checks import times_drift, too_short
from igen.judge.measured import MeasuredRun, warm_up_is_given
from igen.judge.price import disturbance_of, mean_disturbance
from igen.judge.queueing import independent_values
from igen.judge.rates import rates_of
from igen.judge.readings import readings_of
from igen.judge.recording import Statistics
from igen.judge.resources import mean_of, per_transaction
from igen.judge.result import (
    CounterResult,
    Estimate,
    Level,
    OperationResult,
    Repeat,
    Resources,
    ResourcesPerTransaction,
    Times,
)
from igen.judge.timeline import timeline_of
from igen.judge.times import times_of
from igen.judge.validity import (
    findings_of,
    level_findings,
    load_failures,
    priced,
    stands_in,
    verdicts_of,
)


def level_of(runs: Sequence[MeasuredRun], baseline: Baseline, aspects: Sequence[Aspect] = ()) -> Level:
    """Estimates over the runs' own means.

    A run counts unless it was disturbed and others were not. Where there are confirmation runs only they
    count: a level was chosen for confirmation because its search run was high, so that run flatters it.
    Errors and arrivals that were given up are those of all runs.
    """
    prices = {run: disturbance_of(run, baseline) for run in runs}
    load = {run: findings_of(run, baseline, aspects) for run in runs}
    used = _used({run: [*load[run], *priced(prices[run])] for run in runs})
    both = LevelRuns(all=runs, used=used)
    throughput = mean_interval([run.throughput_per_s for run in used])
    times = _times(used, "response_time", _p99_is_unstable(used))
    found = {run: sorted([*load[run], *priced(prices[run], throughput, times)], key=_gravity) for run in runs}
    first = runs[0].recording
    transactions = sum(run.transactions.count for run in used)
    counters: Counter[str] = sum((run.counters for run in used), Counter())
    failures: Counter[str] = sum((run.failures for run in runs), Counter())
    disturbance = mean_disturbance([prices[run] for run in used])
    of_level = [
        *level_findings([load[run] for run in used], [load[run] for run in runs if run not in used]),
        *(finding for each in aspects for finding in each.check_level(both)),
        *too_short(used),
        *times_drift(used),
        *_in_groups(used),
        *priced(disturbance, throughput, times),
    ]
    verdict, throughput_verdict, times_verdict = verdicts_of(of_level)
    warm_up = _warm_up(used)
    return Level(
        level=first.level,
        users=first.users,
        offered_per_s=first.offered_per_s,
        load=first.job.get("load") or {},
        throughput_per_s=throughput,
        response_time_ms=times,
        service_time_ms=_times(used, "service_time", _p99_is_unstable(used)),
        failed_time_ms=_times(used, "failed_time"),
        transactions=transactions,
        errors=sum(run.failed for run in runs),
        error_reasons=dict(failures.most_common()),
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
        rates=rates_of(used),
        resources=mean_of(Resources, [run.resources for run in used]),
        resources_per_transaction=mean_of(
            ResourcesPerTransaction,
            [per_transaction(run.resources, run.host.processors, run.throughput_per_s) for run in used],
        ),
        verdict=verdict,
        reasons=[finding.text for finding in sorted(of_level, key=_gravity)],
        load_failures=load_failures(list(load.values())),
        repeats=[_repeat(run, each, prices[run], run in used) for run, each in found.items()],
        warnings=[
            *_warnings(found, used),
            *_cut(warm_up, throughput),
            *(warning for each in aspects for warning in each.warn(both)),
        ],
        throughput_verdict=throughput_verdict,
        times_verdict=times_verdict,
        disturbance=disturbance,
        warm_up=warm_up,
        instances=max(len(first.targets), 1),
        readings=readings_of(used, {name for each in aspects for name in each.monitors}),
        aspects=[part for each in aspects if (part := each.measure(both)) is not None],
    )


def _used(found: Mapping[MeasuredRun, list[Finding]]) -> list[MeasuredRun]:
    candidates = [run for run in found if run.recording.purpose == "confirm"] or list(found)
    return [run for run in candidates if stands_in(found[run])] or candidates


def _times(runs: Sequence[MeasuredRun], name: str, unstable: bool = False) -> Times | None:
    """Means of the part that was measured, percentiles of all of MEASURE."""
    return times_of(
        [getattr(run.transactions, name) for run in runs],
        [getattr(run.whole, name) for run in runs],
        unstable=unstable,
    )


def _p99_is_unstable(runs: Sequence[MeasuredRun]) -> bool:
    """Whether the runs are too short for it, or, in a closed model, the processors too busy."""
    if runs[0].recording.load_model == "closed":
        busy = [run.resources.cpu_percent for run in runs if run.resources.cpu_percent is not None]
        return max(busy, default=0.0) > 100 * limits.BUSY_SHARE
    values = independent_values(runs)
    return values is not None and values < limits.INDEPENDENT_VALUES_P99


def _in_groups(runs: Sequence[MeasuredRun]) -> Iterator[Finding]:
    """Runs of two kinds: their mean is that of neither."""
    text = two_groups([run.throughput_per_s for run in runs])
    if text is not None:
        yield Finding("SUSPECT", "two groups", text)


def _warm_up(runs: Sequence[MeasuredRun]) -> WarmUp | None:
    measured = [run for run in runs if run.intervals]
    if not measured:
        return None
    return WarmUp(
        given=warm_up_is_given(measured[0].recording),
        cut_s=max(run.cut_s for run in measured),
        uncut_throughput_per_s=sum(run.uncut_throughput_per_s for run in measured) / len(measured),
    )


def _cut(warm_up: WarmUp | None, throughput: Estimate) -> Iterator[str]:
    """What cutting the rest of the warm-up changed."""
    if warm_up is not None and warm_up.cut_s > 0 and throughput.value > 0:
        change_percent = 100 * (warm_up.uncut_throughput_per_s / throughput.value - 1)
        yield (
            f"the first {warm_up.cut_s:.3g} s of each measurement were cut as warm-up; without the cut the "
            f"throughput would be {change_percent:+.1f} %"
        )


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
    declared = runs[0].recording.facts.get("workload.operations") or []
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
                [part.response_time for part in parts], [part.response_time for part in whole]
            ),
            service_time_ms=times_of(
                [part.service_time for part in parts], [part.service_time for part in whole]
            ),
        )
    return results


def _gravity(finding: Finding) -> str:
    return finding.verdict


def _repeat(run: MeasuredRun, found: list[Finding], disturbance: Disturbance, used: bool) -> Repeat:
    recording = run.recording
    verdict, throughput_verdict, times_verdict = verdicts_of(found)
    return Repeat(
        repeat=recording.repeat,
        purpose=recording.purpose,
        job_file=recording.job_file,
        throughput_per_s=run.throughput_per_s,
        response_time_ms=_times([run], "response_time"),
        verdict=verdict,
        reasons=[finding.text for finding in found],
        measured_s=run.measured_s,
        cut_s=run.cut_s,
        timeline=timeline_of(run),
        used=used,
        started_unix_s=recording.started_unix_s,
        throughput_verdict=throughput_verdict,
        times_verdict=times_verdict,
        disturbance=disturbance,
    )


def _warnings(found: Mapping[MeasuredRun, list[Finding]], used: Sequence[MeasuredRun]) -> list[str]:
    warnings = []
    if len(used) == 1:
        warnings.append("one run: no interval can be given")
    elif len(used) < LEAST_RUNS:
        warnings.append(f"{len(used)} runs: the interval is wide (use {LEAST_RUNS} or more)")
    for run, each in found.items():
        if run not in used and not stands_in(each):
            warnings.append(f"repeat {run.recording.repeat + 1} was left out: {each[0].text}")
    return warnings
