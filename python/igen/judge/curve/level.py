"""A point of the curve from the runs at one load."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from igen.judge.aspect import Aspect, LevelRuns
from igen.judge.curve.level_figures import figures_of, times_of_runs
from igen.judge.curve.one_load import level_of_load
from igen.judge.result import (
    Level,
    Repeat,
    Resources,
    ResourcesPerTransaction,
)
from igen.judge.run.counting import few_transactions
from igen.judge.run.cut import cut, periods_of, warm_up_of
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.rates import rates_of
from igen.judge.run.readings import readings_of
from igen.judge.run.resources import mean_of, per_transaction
from igen.judge.run.served import served_of
from igen.judge.run.timeline import timeline_of
from igen.judge.trust.baseline import Baseline
from igen.judge.trust.disturbance import Disturbance
from igen.judge.trust.each_load import of_loads
from igen.judge.trust.finding import Finding, Part, finding, gravity
from igen.judge.trust.groups import two_groups
from igen.judge.trust.load_checks import times_drift, too_short
from igen.judge.trust.machine_checks import shared
from igen.judge.trust.price import disturbance_of, mean_disturbance
from igen.judge.trust.rules.machine import REPEAT_AGAIN_PERCENT
from igen.judge.trust.rules.statistics import LEAST_RUNS
from igen.judge.trust.trust import Trust
from igen.judge.trust.validity import (
    disturbed,
    findings_of,
    late_starts,
    level_findings,
    load_failures,
    passing_percent,
    priced,
    stands_in,
    was_measured,
)


def level_of(
    runs: Sequence[MeasuredRun],
    baseline: Baseline,
    aspects: Sequence[Aspect] = (),
    replaced: Collection[MeasuredRun] = (),
) -> Level:
    """Estimates over the runs' own means.

    A run counts unless it was disturbed and others were not, beyond use or so that a fresh one has `replaced`
    it. Where there are confirmation runs only they count: a level was chosen for confirmation because its
    search run was high, so that run flatters it. Errors and arrivals that were given up are those of all
    runs.
    """
    prices = {run: disturbance_of(run, baseline) for run in runs}
    load = {run: findings_of(run, baseline, aspects) for run in runs}
    used = _used({run: [*load[run], *priced(prices[run])] for run in runs}, replaced)
    both = LevelRuns(all=runs, used=used)
    figures = figures_of(runs, used)
    throughput, times = figures.throughput_per_s, figures.response_time_ms
    found = {run: sorted([*load[run], *priced(prices[run], throughput, times)], key=gravity) for run in runs}
    disturbance = mean_disturbance([prices[run] for run in used])
    warm_up, periods = warm_up_of(used), periods_of(used)
    of_level = [
        *level_findings([load[run] for run in used], [load[run] for run in runs if run not in used]),
        *(finding for each in aspects for finding in each.check_level(both)),
        *of_loads(used, too_short),
        *of_loads(used, times_drift),
        *of_loads(used, lambda each: two_groups([run.throughput_per_s for run in each])),
        *(priced(disturbance, throughput, times) or shared(used)),
        *_notes(found, used, replaced, prices),
        *few_transactions(used),
        *cut(warm_up, periods, throughput),
        *late_starts(disturbance, figures.least_response_time_ms, times),
    ]
    trust = Trust.of(of_level, disturbance)
    level = replace(
        figures,
        rates=rates_of(used),
        resources=mean_of(Resources, [run.resources for run in used]),
        resources_per_transaction=mean_of(
            ResourcesPerTransaction,
            [per_transaction(run.resources, run.host.processors, run.throughput_per_s) for run in used],
        ),
        trust=trust,
        findings=sorted(of_level, key=gravity),
        repeats=[
            _repeat(run, each, prices[run], used=run in used, replaced=run in replaced)
            for run, each in found.items()
        ],
        warm_up=warm_up,
        periods=periods,
        readings=readings_of(used, {name for each in aspects for name in each.monitors}),
        aspects=[part for each in aspects if (part := each.measure(both)) is not None],
    )
    # A run that is left out and did not get its rate counts here as it does for the verdict.
    asked = [run for run in runs if run in used or any(each.row.spoils_level for each in load[run])]
    served = served_of([(run, prices[run]) for run in asked], load_failures(level))
    level = replace(level, trust=replace(trust, served=served))
    return replace(
        level,
        loads={name: level_of_load(level, name, runs, used, asked, baseline) for name in runs[0].loads},
    )


def _used(found: Mapping[MeasuredRun, list[Finding]], replaced: Collection[MeasuredRun]) -> list[MeasuredRun]:
    candidates = [run for run in found if run.recording.purpose == "confirm"] or list(found)
    candidates = [run for run in candidates if run not in replaced]
    # A run that was not measured is no observation, whatever disturbed the others.
    candidates = [run for run in candidates if was_measured(found[run])] or candidates
    return [run for run in candidates if stands_in(found[run])] or candidates


def _repeat(
    run: MeasuredRun, found: list[Finding], disturbance: Disturbance, *, used: bool, replaced: bool
) -> Repeat:
    recording = run.recording
    return Repeat(
        repeat=recording.repeat,
        purpose=recording.purpose,
        job_file=recording.job_file,
        throughput_per_s=run.throughput_per_s,
        response_time_ms=times_of_runs([run], "response_time"),
        trust=Trust.of(found, disturbance),
        findings=found,
        measured_s=run.measured_s,
        cut_s=run.cut_s,
        timeline=timeline_of(run),
        used=used,
        started_unix_s=recording.started_unix_s,
        order=recording.order,
        measured=was_measured(found),
        replaced=replaced,
    )


def _notes(
    found: Mapping[MeasuredRun, list[Finding]],
    used: Sequence[MeasuredRun],
    replaced: Collection[MeasuredRun],
    prices: Mapping[MeasuredRun, Disturbance],
) -> Iterator[Finding]:
    """Yield what a reader should know of the runs: how many there are, and which do not count."""
    if len(used) == 1:
        yield finding("one-run", scope="level")
    elif len(used) < LEAST_RUNS.value:
        yield finding("few-runs", scope="level", limit=LEAST_RUNS.value, used_runs=len(used))
    for run, each in found.items():
        repeat = run.recording.repeat + 1
        if run not in used and not stands_in(each):
            rule = "run-left-out" if was_measured(each) else "run-not-measured"
            is_replaced = run in replaced and not was_measured(each)
            fresh = [Part(name="replaced", figure=1)] if is_replaced else []
            yield finding(rule, *fresh, because=each[:1], repeat=repeat)
    for run, each in found.items():
        if run in replaced and stands_in(each):
            is_disturbed = passing_percent(prices[run]) > REPEAT_AGAIN_PERCENT.value
            why = [disturbed(prices[run])] if is_disturbed else []
            yield finding("run-replaced", because=why, repeat=run.recording.repeat + 1)
