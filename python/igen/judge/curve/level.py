"""A point of the curve from the runs at one load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from igen.judge.aspect import Aspect, LevelRuns
from igen.judge.curve.judged_runs import JudgedRuns
from igen.judge.curve.level_figures import figures_of, times_of_runs
from igen.judge.curve.one_load import level_of_load
from igen.judge.curve.spreads import LevelSpread
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
from igen.judge.trust.disturbance import Disturbance
from igen.judge.trust.each_load import of_loads
from igen.judge.trust.finding import Finding, Part, finding, gravity
from igen.judge.trust.groups import two_groups
from igen.judge.trust.load_checks import too_short
from igen.judge.trust.machine_checks import shared
from igen.judge.trust.price import level_disturbance
from igen.judge.trust.rules.machine import BOUND_PERCENT, REPEAT_AGAIN_PERCENT
from igen.judge.trust.rules.statistics import LEAST_RUNS
from igen.judge.trust.trend import trend_of
from igen.judge.trust.trust import Trust
from igen.judge.trust.validity import (
    disturbed,
    late_starts,
    level_findings,
    load_failures,
    off,
    passing_percent,
    stands_in,
    was_measured,
    wide,
)


def level_of(runs: JudgedRuns, spreads: Mapping[str, LevelSpread], aspects: Sequence[Aspect] = ()) -> Level:
    """Return the level that its runs make: estimates over the runs' own means, and what these are worth.

    `spreads` say by load how much runs differ, known from all levels; errors and arrivals that were given up
    are those of all runs.
    """
    used, spread = runs.used, spreads.get("")
    both = LevelRuns(all=runs.all, used=used)
    figures = figures_of(runs.all, used, spread)
    disturbance = level_disturbance([runs.prices[run] for run in used], trend_of(used))
    found = {run: sorted([*runs.found[run], *off(runs.prices[run])], key=gravity) for run in runs.all}
    warm_up, periods = warm_up_of(used), periods_of(used)
    of_level = [
        *level_findings(
            [runs.found[run] for run in used], [runs.found[run] for run in runs.all if run not in used]
        ),
        *(finding for each in aspects for finding in each.check_level(both)),
        *(found for name, each in spreads.items() for found in too_short(each.independent_values, name)),
        *of_loads(used, lambda each: two_groups([run.throughput_per_s for run in each])),
        *_disturbed(disturbance, used),
        *wide(figures.throughput_per_s, figures.response_time_ms),
        *_notes(found, runs),
        *few_transactions(used, spread.throughput if spread else None),
        *cut(warm_up, periods, figures.throughput_per_s),
        *late_starts(disturbance, figures.least_response_time_ms, figures.response_time_ms),
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
        repeats=[_repeat(run, each, runs) for run, each in found.items()],
        warm_up=warm_up,
        periods=periods,
        readings=readings_of(used, {name for each in aspects for name in each.monitors}),
        aspects=[part for each in aspects if (part := each.measure(both)) is not None],
    )
    served = served_of([(run, runs.prices[run]) for run in runs.asked], load_failures(level))
    level = replace(level, trust=replace(trust, served=served))
    names = [*runs.all[0].loads]
    return replace(level, loads={name: level_of_load(level, name, runs, spreads.get(name)) for name in names})


def _disturbed(disturbance: Disturbance, used: Sequence[MeasuredRun]) -> Iterator[Finding]:
    """Yield the bounds that are not small; if a figure has a small one, also what others used."""
    bounds = off(disturbance)
    yield from bounds
    if {found.quantity for found in bounds} not in ({""}, {"throughput", "times"}):
        yield from shared(used)


def _repeat(run: MeasuredRun, found: list[Finding], runs: JudgedRuns) -> Repeat:
    recording = run.recording
    return Repeat(
        repeat=recording.repeat,
        purpose=recording.purpose,
        job_file=recording.job_file,
        throughput_per_s=run.throughput_per_s,
        response_time_ms=times_of_runs([run], "response_time"),
        trust=Trust.of(found, runs.prices[run]),
        findings=found,
        measured_s=run.measured_s,
        cut_s=run.cut_s,
        timeline=timeline_of(run),
        used=run in runs.used,
        started_unix_s=recording.started_unix_s,
        order=recording.order,
        measured=was_measured(found),
        replaced=run in runs.replaced,
        correction=run.correction,
    )


def _notes(found: Mapping[MeasuredRun, list[Finding]], runs: JudgedRuns) -> Iterator[Finding]:
    """Yield what a reader should know of the runs: how many there are, and which do not count."""
    used, replaced = runs.used, runs.replaced
    corrected = 100 * (sum(run.correction.throughput for run in used) / len(used) - 1)
    if abs(corrected) > BOUND_PERCENT.value:
        yield finding(
            "speed-corrected",
            scope="level",
            limit=BOUND_PERCENT.value,
            unit="percent",
            change_percent=corrected,
        )
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
            price = runs.prices[run]
            is_disturbed = passing_percent(price) > REPEAT_AGAIN_PERCENT.value
            yield finding(
                "run-replaced",
                because=[disturbed(price)] if is_disturbed else [],
                repeat=run.recording.repeat + 1,
            )
