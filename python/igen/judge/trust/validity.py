"""The verdict on a run and on a level: every check in one list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import expm1
from typing import Literal

from igen.judge.aspect import Aspect
from igen.judge.result import Figure, Level, Repeat, Times
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust import load_checks, machine_checks
from igen.judge.trust.damage import damage
from igen.judge.trust.disturbance import Bound, Disturbance
from igen.judge.trust.each_load import of_each_load
from igen.judge.trust.finding import Finding, finding, folded, gravity
from igen.judge.trust.rules.machine import BEYOND_USE_PERCENT, BOUND_PERCENT, REPEAT_AGAIN_PERCENT
from igen.judge.trust.rules.statistics import INTERVAL_PERCENT


def findings_of(run: MeasuredRun, floor_ns: float | None, aspects: Sequence[Aspect] = ()) -> list[Finding]:
    """Return all rules that a run broke, the gravest first; what disturbed it is `priced`.

    Failures that were seen count in any run. If the run was not measured, missing work and missing users
    follow from that and are no findings.
    """
    ended = [*machine_checks.fault(run.recording), *machine_checks.lost_agents(run)]
    measured = was_measured(ended)
    broken = [
        *ended,
        *(of_each_load(run, load_checks.nothing) if measured or run.failed else ()),
        *of_each_load(run, load_checks.errors),
        *load_checks.lost(run),
        *load_checks.failed_io(run),
        *(_of_whole_load(run, floor_ns) if measured else ()),
        *of_each_load(run, load_checks.unfinished),
        *machine_checks.driver_cpu(run),
        *machine_checks.company(run),
        *machine_checks.throttled(run),
        *(found for each in aspects for found in each.check(run)),
        *damage(run),
    ]
    return sorted(broken, key=gravity)


def _of_whole_load(run: MeasuredRun, floor_ns: float | None) -> Iterator[Finding]:
    """Yield the findings about a load that was there as a whole."""
    yield from of_each_load(run, load_checks.unsent)
    # Before the rate, which it explains.
    yield from of_each_load(run, load_checks.users_left)
    yield from of_each_load(run, load_checks.rate)
    yield from load_checks.shape(run)
    yield from of_each_load(run, lambda each: load_checks.shape(each, run.shape) if each is not run else ())
    yield from of_each_load(run, lambda each: load_checks.littles_law(each, floor_ns))


def off(disturbance: Disturbance) -> list[Finding]:
    """Return findings if the figures may be off by more than a bound.

    Late starts of the driver are a bound of their own: the truth lies between two measured figures.
    """
    known = disturbance.without_late
    found = disturbed(known)
    of_throughput, of_times = _of_bound(known.throughput), _of_bound(known.times)
    if of_throughput and of_throughput == of_times:
        return [replace(found, rule=of_times)]
    return [
        *([replace(found, rule=of_throughput, quantity="throughput")] if of_throughput else ()),
        *([replace(found, rule=of_times, quantity="times")] if of_times else ()),
    ]


def _of_bound(bound: Bound) -> str:
    """Return the rule that a bound breaks; empty if a figure that is off by it is good for any use."""
    if bound.most_percent > BEYOND_USE_PERCENT.value:
        return "disturbed-beyond-use"
    return "disturbed" if bound.most_percent > BOUND_PERCENT.value else ""


def wide(throughput: Figure, times: Times | None) -> Iterator[Finding]:
    """Yield a finding if its own interval says little about a figure."""
    figures: dict[Literal["throughput", "times"], Figure | None] = {
        "throughput": throughput,
        "times": times.mean_interval if times else None,
    }
    halves_percent = {
        quantity: 100 * expm1(estimate.half())
        for quantity, estimate in figures.items()
        if estimate is not None and estimate.error is not None
    }
    found = {quantity: half for quantity, half in halves_percent.items() if half > INTERVAL_PERCENT.value}
    if found:
        both = len(found) == len(figures)
        yield finding(
            "wide-interval",
            quantity="" if both else next(iter(found)),
            scope="level",
            limit=INTERVAL_PERCENT.value,
            unit="percent",
            half_percent=max(found.values()),
        )


def disturbed(disturbance: Disturbance) -> Finding:
    """Return what disturbed a run, with the bounds of both figures."""
    return finding(
        "disturbed",
        throughput_low_percent=disturbance.throughput.low_percent,
        throughput_high_percent=disturbance.throughput.high_percent,
        times_low_percent=disturbance.times.low_percent,
        times_high_percent=disturbance.times.high_percent,
        because=[cause.finding for cause in disturbance.causes],
    )


def is_disturbed(repeat: Repeat) -> bool:
    """Return True if a run is worth another one: what disturbed it may pass, and cost it much."""
    return passing_percent(repeat.trust.disturbance) > REPEAT_AGAIN_PERCENT.value


def passing_percent(disturbance: Disturbance) -> float:
    """Return what may have passed when a run is executed again, by the quantity that it cost more.

    Late starts of a driver on a machine that holds still would be as late again.
    """
    passing = disturbance.by_others.causes
    return max(
        sum(cause.throughput.width_percent for cause in passing),
        sum(cause.times.width_percent for cause in passing),
    )


def late_starts(disturbance: Disturbance, least: Times | None, times: Times | None) -> Iterator[Finding]:
    """Yield between which figures the true response times lie, if late starts are not small.

    They make times SUSPECT if they are as large as what makes a disturbed figure useless, and never INVALID.
    """
    late = disturbance.late
    if late is None or least is None or times is None or not (broken := _of_bound(late.times)):
        return
    yield finding(
        "late-times" if broken == "disturbed-beyond-use" else "times-between",
        quantity="times",
        scope="level",
        least_mean_ms=least.mean,
        mean_ms=times.mean,
        least_p99_ms=least.p99,
        p99_ms=times.p99,
        because=[late.finding],
    )


def was_measured(found: Iterable[Finding]) -> bool:
    """Return True if the run is an observation of the system."""
    return not any(each.row.run == "not measured" for each in found)


def stands_in(found: Iterable[Finding]) -> bool:
    """Return True if a run may stand for its level beside others."""
    return all(each.row.run == "counts" for each in found)


def level_findings(used: Sequence[list[Finding]], others: Sequence[list[Finding]]) -> list[Finding]:
    """Return one finding for each rule, with the number of runs in which it was broken.

    `used` are those of the runs that the level's figures rest on. Of the others counts only what spoils the
    level.
    """
    spoiling = [[each for each in found if each.row.spoils_level] for found in others]
    return folded([*used, *(found for found in spoiling if found)])


def load_failures(level: Level) -> list[Finding]:
    """Return why the load itself failed, from all runs but those that were replaced; empty if it did not.

    One of them makes `igen run` end with exit code 1.
    """
    runs = [repeat.findings for repeat in level.repeats if not repeat.replaced]
    return folded([[each for each in found if each.row.exit_code] for found in runs])


def is_overloaded(level: Level) -> bool:
    """Return True if a level is INVALID only because more was offered than the system served: a result.

    Times of such a load are those of a queue that grows, whatever disturbed them.
    """
    invalid = [each for each in level.findings if each.row.grade == "INVALID" and each.quantity != "times"]
    return bool(invalid) and all(each.row.overload for each in invalid)
