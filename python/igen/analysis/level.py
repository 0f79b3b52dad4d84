"""A point of the curve from the runs at one load."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from igen.analysis.by_target import target_results
from igen.analysis.device_io import device_io_of, io_warnings
from igen.analysis.directory import cross_check_of, ldap_operations_of
from igen.analysis.interval import LEAST_RUNS, mean_interval
from igen.analysis.limits import Finding
from igen.analysis.log import log_of
from igen.analysis.measured import MeasuredRun
from igen.analysis.memory import memory_of, noise_of, unmeasured_kernels
from igen.analysis.power import power_of
from igen.analysis.rates import rates_of
from igen.analysis.resources import mean_of, per_transaction
from igen.analysis.result import (
    CounterResult,
    Level,
    OperationResult,
    Repeat,
    Resources,
    ResourcesPerTransaction,
)
from igen.analysis.scan import scan_of
from igen.analysis.server import server_of, server_warnings
from igen.analysis.stored import stored_of
from igen.analysis.timeline import timeline_of
from igen.analysis.times import times_of
from igen.analysis.validity import Study, findings_of, level_verdict, stands_in, verdict_of


def level_of(runs: Sequence[MeasuredRun], study: Study) -> Level:
    """Estimates over the runs' own means; histograms merged over all runs that count.

    A run counts unless it was disturbed and others were not. Where there are confirmation runs only they
    count: a level was chosen for confirmation because its search run was high, so that run flatters it.
    Errors and arrivals that were given up are those of all runs.
    """
    found = {run: findings_of(run, study) for run in runs}
    used = _used(found)
    first = runs[0].recording
    measured_s = sum(run.measured_s for run in used)
    transactions = sum(run.transactions.count for run in used)
    counters: Counter[str] = sum((run.counters for run in used), Counter())
    failures: Counter[str] = sum((run.failures for run in runs), Counter())
    others = [each for run, each in found.items() if run not in used]
    verdict, reasons = level_verdict([found[run] for run in used], others)
    if noise := noise_of(used):
        verdict, reasons = ("SUSPECT" if verdict == "VALID" else verdict), [*reasons, noise]
    utilisation = _utilisation(used)
    return Level(
        level=first.level,
        users=first.users,
        offered_per_s=first.offered_per_s,
        load=first.job.get("load") or {},
        throughput_per_s=mean_interval([run.throughput_per_s for run in used]),
        response_time_ms=times_of([run.transactions.response_time for run in used], utilisation),
        service_time_ms=times_of([run.transactions.service_time for run in used], utilisation),
        failed_time_ms=times_of([run.transactions.failed_time for run in used]),
        transactions=transactions,
        errors=sum(run.failed for run in runs),
        error_reasons=dict(failures.most_common()),
        unsent=sum(i.arrivals.unsent for run in runs for i in run.intervals if i.arrivals),
        backlog=max(
            (i.arrivals.backlog for run in used for i in run.intervals[-1:] if i.arrivals), default=0
        ),
        operations=_operations(used, measured_s),
        counters={
            name: CounterResult(
                count=count,
                per_s=count / measured_s if measured_s else 0.0,
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
        power_w=power_of(used),
        verdict=verdict,
        reasons=reasons,
        repeats=[_repeat(run, each, run in used) for run, each in found.items()],
        warnings=[
            *_warnings(found, used),
            *server_warnings(used),
            *io_warnings(used),
            *unmeasured_kernels(used),
        ],
        instances=max(len(first.targets), 1),
        targets=target_results(used),
        scan=scan_of(used),
        memory=memory_of(used),
        log=log_of(used),
        device_io=device_io_of(used),
        stored=stored_of(runs),
        server=server_of(used),
        ldap_operations=ldap_operations_of(used),
        cross_check=cross_check_of(runs),
    )


def _used(found: Mapping[MeasuredRun, list[Finding]]) -> list[MeasuredRun]:
    candidates = [run for run in found if run.recording.purpose == "confirm"] or list(found)
    return [run for run in candidates if stands_in(found[run])] or candidates


def _utilisation(runs: Sequence[MeasuredRun]) -> float | None:
    """Of users or processors, whichever is more; users of a closed load are always busy and tell nothing."""
    first = runs[0].recording
    cpu = [run.resources.cpu_percent / 100 for run in runs if run.resources.cpu_percent is not None]
    if first.load_model == "closed":
        return max(cpu, default=None)
    busy_s = sum(run.transactions.service_time.sum_ns for run in runs) / 1e9
    measured_s = sum(run.measured_s for run in runs)
    busy = busy_s / measured_s / first.users if first.users and measured_s else 0.0
    return max([busy, *cpu])


def _operations(runs: Sequence[MeasuredRun], measured_s: float) -> dict[str, OperationResult]:
    results = {}
    found = {name for run in runs for name in run.operations}
    # In the order of the transaction where the agent says it.
    declared = runs[0].recording.facts.get("workload.operations") or []
    for name in [*(name for name in declared if name in found), *sorted(found - {*declared})]:
        parts = [run.operations[name] for run in runs if name in run.operations]
        results[name] = OperationResult(
            count=sum(part.count for part in parts),
            failed=sum(part.failed for part in parts),
            per_s=sum(part.count for part in parts) / measured_s,
            response_time_ms=times_of([part.response_time for part in parts]),
            service_time_ms=times_of([part.service_time for part in parts]),
        )
    return results


def _repeat(run: MeasuredRun, found: list[Finding], used: bool) -> Repeat:
    recording = run.recording
    return Repeat(
        repeat=recording.repeat,
        purpose=recording.purpose,
        job_file=recording.job_file,
        throughput_per_s=run.throughput_per_s,
        response_time_ms=times_of([run.transactions.response_time]),
        verdict=verdict_of(found),
        reasons=[finding.text for finding in found],
        measured_s=run.measured_s,
        cut_s=run.cut_s,
        timeline=timeline_of(run),
        used=used,
        started_unix_s=recording.started_unix_s,
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
