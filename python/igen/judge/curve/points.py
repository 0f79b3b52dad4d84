"""The named points of a curve: peak, sweet spot, knee, and the last one within a response-time limit.

The peak is the lowest load of a plateau: of all loads that cannot be told apart from the highest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import ceil, log, sqrt
from typing import Literal

import numpy as np

from igen.judge.curve.load import level_value, own_name
from igen.judge.figure.interval import paired_ratio
from igen.judge.figure.pairs import RunFigure, paired
from igen.judge.result import Figure, Finding, Level, Part, Point, Repeat, System
from igen.judge.run.counting import least_of_ratio
from igen.judge.run.purpose import is_search
from igen.judge.trust.disturbance import Disturbance
from igen.judge.trust.finding import figure, finding
from igen.judge.trust.price import mean_disturbance
from igen.judge.trust.rules.comparison import MOST_REPEATS
from igen.judge.trust.rules.curve import LEAST_LEVELS_OF_KNEE, NOT_INFERIOR
from igen.judge.trust.rules.machine import BOUND_PERCENT
from igen.judge.trust.rules.statistics import LEAST_RUNS
from igen.judge.trust.usable import has_exact_times, has_throughput, has_times, usable, usable_times
from igen.loads import deciding_quantity

Name = Literal["peak", "sweet spot", "knee", "within limit"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPoints:
    """The points of one curve, and why others have no name."""

    peak: Point | None = None
    sweet_spot: Point | None = None
    knee: Point | None = None
    within_limit: Point | None = None
    unnamed: dict[Name, Finding] = field(default_factory=dict)


def named_points(
    levels: Sequence[Level], load_model: str, limit_ms: float | None, *, looked: bool = False
) -> NamedPoints:
    """All points of a curve along the load; `limit_ms` is that of the mean response time, where there is one.

    `looked`: the repeats were counted by looking at them, so that intervals must hold at every look.
    """
    if deciding_quantity(load_model) is None:
        return _of_several_loads(levels, limit_ms, looked=looked)
    limited = limit_point(levels, limit_ms)
    within, unnamed = limited.within_limit, limited.unnamed
    if load_model != "closed" and not is_search(levels):
        limited_too = [] if limit_ms is None else [Part(name="response_time_limit_ms", figure=limit_ms)]
        unnamed["peak"] = finding(
            "offered-throughput", Part(name="load_model", text=load_model), *limited_too
        )
        return NamedPoints(within_limit=within, unnamed=unnamed)
    peak, spot = _peak_and_spot(levels, unnamed, looked=looked)
    if peak is None:
        return NamedPoints(within_limit=within, unnamed=unnamed)
    knee, why = knee_of(levels)
    if why is not None:
        unnamed["knee"] = why
    return NamedPoints(peak=peak, sweet_spot=spot, knee=knee, within_limit=within, unnamed=unnamed)


def _of_several_loads(levels: Sequence[Level], limit_ms: float | None, *, looked: bool) -> NamedPoints:
    """The points of several loads. Only a search varies them together, in proportions that stay: there what
    they do together has a peak."""
    unnamed: dict[Name, Finding] = {}
    peak = spot = None
    if is_search(levels):
        peak, spot = _peak_and_spot(levels, unnamed, looked=looked)
    else:
        unnamed["peak"] = finding("several-loads")
    if limit_ms is not None:
        unnamed["within limit"] = finding("several-response-times")
    return NamedPoints(peak=peak, sweet_spot=spot, unnamed=unnamed)


def _peak_and_spot(
    levels: Sequence[Level], unnamed: dict[Name, Finding], *, looked: bool
) -> tuple[Point | None, Point | None]:
    """Peak and sweet spot; why there is none is put into `unnamed`."""
    peak = peak_of(levels, looked=looked)
    if peak is None:
        if len(levels) > 1:
            unnamed["peak"] = finding("no-confirmed-load" if is_search(levels) else "few-valid-loads")
        return None, None
    spot, why = sweet_spot_of(levels, peak, looked=looked)
    if why is not None:
        unnamed["sweet spot"] = why
    return peak, spot


def limit_point(levels: Sequence[Level], limit_ms: float | None) -> NamedPoints:
    """The load within the limit, where there is one: all that a curve without a peak names."""
    within = within_limit_of(levels, limit_ms)
    unnamed: dict[Name, Finding] = {}
    if limit_ms is not None and within is None:
        unnamed["within limit"] = finding("no-load-surely-below", limit=limit_ms, unit="ms")
    return NamedPoints(within_limit=within, unnamed=unnamed)


def used_runs(level: Level) -> list[Repeat]:
    """The repeats that a level's figures rest on."""
    return [repeat for repeat in level.repeats if repeat.used]


def throughputs(level: Level) -> list[float]:
    """Throughputs of the runs that a level's figures rest on."""
    return [repeat.throughput_per_s for repeat in used_runs(level)]


def is_confirmed(level: Level) -> bool:
    """Whether the level's figures come from fresh confirmation runs."""
    runs = used_runs(level)
    return bool(runs) and all(repeat.purpose == "confirm" for repeat in runs)


def peak_of(levels: Sequence[Level], *, looked: bool = False) -> Point | None:
    """Return the lowest load of those that do the most, with the figure of its level; None below two levels.

    Which of the loads of a plateau is the highest is chance, so the plateau is named by its start. A search
    chooses by separate runs, so its figure does not flatter. In a sweep the runs of the figure choose the
    level: the lower end of the interval is moved down for the number of levels among which noise may have
    chosen.
    """
    good = usable(levels)
    top = _highest(levels)
    if len(good) < 2 or top is None:
        return None
    ratios = {level.level: ratio_to(level, top, looked=looked) for level in good if level is not top}
    told = {number: ratio for number, ratio in ratios.items() if ratio.ends() is not None}
    alike = {
        number: ratio for number, ratio in told.items() if ratio.against(least=NOT_INFERIOR.value) != "below"
    }
    candidates = {level.level for level in _candidates(levels)}
    plateau = _plateau(good, top, alike)
    first = next(level for level in plateau if level.level in candidates)
    others = [level.level for level in plateau if level_value(level) > level_value(first)]
    untold = candidates - told.keys() - {top.level}
    chosen_among = 1 if is_confirmed(first) else 1 + len(alike) + len(untold)
    return replace(
        _point(first, _notes_on_peak(first, good, levels)),
        throughput_per_s=first.throughput_per_s.lowered_for_choice(chosen_among),
        chosen_among=chosen_among,
        alike_levels=others,
        alike_percent=max(
            (_reach_percent(alike[each]) for each in (first.level, *others) if each in alike), default=None
        ),
    )


def _candidates(levels: Sequence[Level]) -> list[Level]:
    """Return the levels that may be named: of a search those that were confirmed."""
    good = usable(levels)
    return [level for level in good if is_confirmed(level)] if is_search(levels) else good


def _highest(levels: Sequence[Level]) -> Level | None:
    """Return the level with the highest throughput among those that may be named."""
    return max(_candidates(levels), key=_choosing_mean, default=None)


def _tested(good: Sequence[Level], top: Level) -> list[Level]:
    """Return the levels that can be compared with the highest one, by load: those of the runs that choose."""
    fair = [level for level in good if not choosing_runs(top) or choosing_runs(level)]
    return sorted(fair, key=level_value)


def _plateau(good: Sequence[Level], top: Level, alike: Mapping[int, Figure]) -> list[Level]:
    """Return the highest level and its neighbours that cannot be told apart from it, by load."""
    tested = _tested(good, top)
    at = next(place for place, level in enumerate(tested) if level is top)

    def near(levels: Iterable[Level]) -> list[Level]:
        return [*takewhile(lambda level: level.level in alike, levels)]

    return [*reversed(near(reversed(tested[:at]))), top, *near(tested[at + 1 :])]


def _reach_percent(ratio: Figure) -> float:
    """Return how far from 1 the interval of a ratio reaches, in percent."""
    return 100 * max(1 - (ratio.low or 0.0), (ratio.high or 1.0) - 1)


def sweet_spot_of(
    levels: Sequence[Level], peak: Point, *, looked: bool = False
) -> tuple[Point | None, Finding | None]:
    """Return the peak if its load is shown to be the lowest that does as much as any, whatever disturbed the
    machine, or else why this is not shown.

    From the highest level downwards each level is tested for being not inferior, until one is not: the
    order is fixed, so no correction is due (fixed-sequence testing). If a level is neither shown to do that
    work nor shown to do less, it may be the sweet spot itself: the answer is "undecided" and no higher level
    is named.
    """
    top = _highest(levels)
    if top is None or (is_search(levels) and not choosing_runs(top)):
        return None, finding("search-out-of-time")
    spot, shown = top, Figure.exactly(1.0, len(by_repeat(used_runs(top))))
    below = [level for level in _tested(usable(levels), top) if level_value(level) < level_value(top)]
    for level in reversed(below):
        ratio = ratio_to(level, top, looked=looked)
        if ratio.ends() is None:
            return None, finding("few-common-repeats", limit=LEAST_RUNS.value)
        side = ratio.against(least=NOT_INFERIOR.value)
        if side == "cannot tell":
            return None, finding(
                "lower-load-undecided",
                figure("ratio", ratio),
                Part(name="load", text=own_name(level)),
                limit=NOT_INFERIOR.value,
                because=[_what_would_decide(ratio, level, top)],
            )
        if side != "within":
            break
        spot, shown = level, ratio
    if spot.level != peak.level:
        return None, finding("sweet-spot-not-confirmed")
    return replace(peak, ratio_to_peak=shown, findings=[]), None


def knee_of(levels: Sequence[Level]) -> tuple[Point | None, Finding | None]:
    """Highest X / R (Kleinrock's power): beyond it, response times grow faster than throughput; or why not.

    Of a system that serves one after the other X does not grow and R does, so that X / R is highest at the
    lowest load by algebra: that is no finding.
    """
    good = [level for level in usable(levels) if has_exact_times(level)]
    if len(good) < LEAST_LEVELS_OF_KNEE.value:
        return None, None
    best = max(good, key=lambda level: level.throughput_per_s.value / _response_ms(level))
    if best is min(good, key=level_value):
        return None, finding("power-highest-at-lowest-load")
    return _point(best, [finding("knee-at-highest-load")] if best is max(good, key=level_value) else []), None


def within_limit_of(levels: Sequence[Level], limit_ms: float | None) -> Point | None:
    """The highest load whose mean response time is below the limit, its whole interval where it has one."""
    good = usable_times(levels)
    within = [level for level in good if limit_ms is not None and _is_below(level, limit_ms)]
    if not within:
        return None
    best = max(within, key=level_value)
    higher = [level for level in levels if level_value(level) > level_value(best)]
    failed = min(higher, key=level_value, default=None)
    found = []
    if failed is None:
        found.append(finding("limit-may-lie-beyond"))
    elif failed not in good:
        found.append(finding("next-load-invalid"))
    if any(level not in within and level_value(level) < level_value(best) for level in good):
        found.append(finding("lower-load-above-limit"))
    if len(throughputs(best)) == 1:
        found.append(finding("few-runs-of-point", runs=1))
    if not has_throughput(best):
        found.append(finding("throughput-invalid"))
    return replace(_point(best, found), first_fail_level=failed.level if failed else None)


def repeats_to_tell(ratio: Figure) -> int | None:
    """Return how many repeats bring the interval of a ratio away from `NOT_INFERIOR` if the ratio stays as it
    is; None if that takes more than `MOST_REPEATS`.

    An interval shrinks with the root of the repeats. Repeats do not move a ratio that the plan fixes, such as
    the ratio of two numbers of users who mostly think.
    """
    if ratio.low is None or ratio.high is None or not ratio.low > 0:
        return None
    away = abs(log(ratio.value / NOT_INFERIOR.value))
    half = log(ratio.high / ratio.low) / 2
    if half >= away * sqrt(MOST_REPEATS.value / max(ratio.n, 1)):
        return None
    return max(ceil(ratio.n * (half / away) ** 2), ratio.n + 1)


def _what_would_decide(ratio: Figure, level: Level, top: Level) -> Finding:
    """Repeats make an interval narrower, and not what disturbed the machine."""
    if any(_disturbance(each).throughput.width_percent > BOUND_PERCENT.value for each in (level, top)):
        return finding("quiet-machine-needed")
    repeats = repeats_to_tell(ratio)
    if repeats is None:
        return finding("loads-too-alike")
    return finding("repeats-needed", repeats=repeats)


def ratio_to(level: Level, top: Level, *, looked: bool = False) -> Figure:
    """Throughput over that of another level of the same curve, from the repeats of both: those that choose,
    where a search has such.

    Its interval, which holds at every look where the repeats were counted by looking (`looked`), is
    widened by what may have disturbed either level, and never narrower than its counts allow.
    """
    sides = [choosing_runs(each) or used_runs(each) for each in (level, top)]
    ours, theirs = map(by_repeat, sides)
    bounds = _disturbance(level).throughput.logs_over(_disturbance(top).throughput)
    without_pairs = Figure(value=level.throughput_per_s.value / top.throughput_per_s.value, n=0)
    least = least_of_ratio(sides)
    return ratio_by_repeat(ours, theirs, bounds, looked=looked, least=least) or without_pairs


def is_highest_tried(system: System) -> bool:
    """Whether the peak is at the highest load that was tried, so that the system may do more beyond it."""
    return system.peak is not None and system.peak.level == system.levels[-1].level


def ratio_by_repeat(
    ours: Mapping[int, RunFigure],
    theirs: Mapping[int, RunFigure],
    bounds: tuple[float, float],
    *,
    looked: bool,
    least: float = 0.0,
) -> Figure | None:
    """The ratio of figures by repeat, with an interval that reaches as far as `least` on both sides, its ends
    moved by these bounds (all of the logarithm); None where no repeat has both figures."""
    pairs = paired(ours, _in_place(ours, theirs))
    if not pairs.values:
        return None
    return paired_ratio(pairs, looked=looked).no_narrower(least).disturbed(bounds).widened()


def _in_place(ours: Mapping[int, RunFigure], theirs: Mapping[int, RunFigure]) -> dict[int, RunFigure]:
    """Theirs by our repeats: a fresh run, which one side alone has, stands for the run that it replaced,
    which the other side alone has. Which these are does not depend on the figures."""
    only_ours, only_theirs = sorted(ours.keys() - theirs.keys()), sorted(theirs.keys() - ours.keys())
    places = dict(zip(only_theirs, only_ours, strict=False))
    return {places.get(repeat, repeat): figure for repeat, figure in theirs.items()}


def _disturbance(level: Level) -> Disturbance:
    """What disturbed the runs that `ratio_to` reads."""
    choosing = choosing_runs(level)
    return (
        mean_disturbance([run.trust.disturbance for run in choosing]) if choosing else level.trust.disturbance
    )


def choosing_runs(level: Level) -> list[Repeat]:
    """The runs of a search by which it chose, as far as their throughput may be used."""
    return [run for run in level.repeats if run.purpose == "choose" and has_throughput(run)]


def by_repeat(runs: Sequence[Repeat]) -> dict[int, RunFigure]:
    """Throughputs by the number of the repeat."""
    return {
        run.repeat: RunFigure(run.throughput_per_s, run.order) for run in runs if run.throughput_per_s > 0
    }


def _choosing_mean(level: Level) -> float:
    runs = choosing_runs(level)
    return float(np.mean([run.throughput_per_s for run in runs])) if runs else level.throughput_per_s.value


def _is_below(level: Level, limit_ms: float) -> bool:
    """Return True if the mean response time is below the limit, with its whole interval if it has one."""
    times = level.response_time_ms
    if times is None:
        return False
    known = times.mean_interval
    if known is None or known.ends() is None:
        known = Figure.exactly(times.mean)
    return known.against(limit_ms, limit_ms) == "below"


def _response_ms(level: Level) -> float:
    return level.response_time_ms.mean if level.response_time_ms else float("inf")


def _point(level: Level, found: list[Finding]) -> Point:
    return Point(
        level=level.level,
        users=level.users,
        offered_per_s=level.offered_per_s,
        throughput_per_s=level.throughput_per_s,
        response_time_ms=level.response_time_ms.mean if has_times(level) and level.response_time_ms else None,
        confirmed=is_confirmed(level),
        instances=level.instances,
        findings=[replace(each, scope="level") for each in found],
    )


def _notes_on_peak(best: Level, good: Sequence[Level], levels: Sequence[Level]) -> list[Finding]:
    found = []
    runs = len(throughputs(best))
    if best is max(good, key=level_value):
        if any(level_value(level) > level_value(best) for level in levels):
            found.append(finding("higher-loads-invalid"))
        else:
            found.append(finding("peak-may-lie-beyond"))
    if not is_confirmed(best) and runs == 1:
        found.append(finding("one-run-flatters"))
    elif runs < LEAST_RUNS.value:
        found.append(finding("few-runs-of-point", runs=runs))
    return found
