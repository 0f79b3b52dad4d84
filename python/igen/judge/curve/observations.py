"""What the reader should know about one system. Each finding is made only if its test passed.

None rests on an invalid level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from igen.judge.aspect import Aspect, speaking
from igen.judge.curve.load import loads_in, side_name
from igen.judge.curve.named import below_limit, load_of, named, sample_of, throughput
from igen.judge.curve.points import Name, is_highest_tried, ratio_by_repeat, ratio_to
from igen.judge.curve.quantities import bounds_of, figures, never_wait
from igen.judge.curve.scaling import scaling_observations
from igen.judge.curve.standstill import stood_still_s
from igen.judge.result import Figure, Finding, Level, Part, Point, System
from igen.judge.run.load_processes import load_processes
from igen.judge.run.purpose import is_search
from igen.judge.trust.finding import figure, finding
from igen.judge.trust.rules.curve import (
    HIDDEN,
    IO_PRESSURE_PERCENT,
    NOT_INFERIOR,
    SATURATED_PERCENT,
    STALL,
    STALLED_SHARE,
)
from igen.judge.trust.rules.machine import FOREIGN_CPU_PERCENT
from igen.judge.trust.usable import has_exact_times, has_times, usable, usable_times
from igen.loads import MEAN
from igen.units import MS_PER_S


def observations_of(system: System, aspects: Sequence[Aspect] = ()) -> list[Finding]:
    """Return all observations of one system, the most important first."""
    levels = usable(system.levels)
    by_number = {level.level: level for level in levels}
    found: list[Finding] = []
    if alone := speaking(aspects, levels):
        return [of_system(each) for aspect in alone for each in aspect.observe(system, levels)]
    if system.scaling:
        found += scaling_observations(system)
    elif system.peak and len(levels) > 1:
        peak = by_number[system.peak.level]
        found.append(_peak(system, levels, peak, system.peak))
        found += _scaling(system, levels, peak)
        found += _beyond_peak(system, levels, peak)
        found += _bottleneck(system, levels, peak)
    elif len(levels) == 1:
        found += _single(system, levels[0])
    found += [*_within_limit(system), *_unnamed(system)]
    timed = [level for level in usable_times(system.levels) if has_exact_times(level)]
    for name in dict.fromkeys(name for level in timed for name in level.each):
        found += _stalls(system, timed, name)
    found += load_processes(system)
    found += [each for aspect in aspects for each in aspect.observe(system, levels)]
    return [of_system(each) for each in found]


def of_system(found: Finding) -> Finding:
    """Return a finding about a system."""
    return replace(found, scope="system")


def _single(system: System, level: Level) -> Iterator[Finding]:
    for name, part in level.loads.items():
        of_one = replace(system, name=side_name(system.name, name), load_model=next(iter(part.load)))
        yield from _single(of_one, part)
    if level.loads:
        return
    times = level.response_time_ms if has_times(level) else None
    yield finding(
        "single-load",
        named(system),
        load_of(system, level),
        throughput(system, level.throughput_per_s),
        *([Part(name="response_time_ms", figure=times.mean)] if times else []),
        *sample_of(level),
    )


def _peak(system: System, levels: list[Level], peak: Level, point: Point) -> Finding:
    is_highest = is_highest_tried(system)
    because = []
    if point.confirmed:
        because.append(finding("confirmed"))
    elif point.throughput_per_s.low is not None and point.chosen_among > 1:
        because.append(finding("best-of-loads", loads=point.chosen_among))
    if not is_highest and peak is levels[-1]:
        because.append(finding("higher-loads-invalid"))
    because += [*alike_loads(system, point), *_sweet_spot(system, peak)]
    rule = "reaches-plateau" if point.levels_off else "most-of-loads-tried" if is_highest else "peak"
    return finding(
        rule,
        named(system),
        load_of(system, peak),
        throughput(system, point.throughput_per_s),
        *sample_of(peak),
        because=because,
    )


def alike_loads(system: System, peak: Point) -> Iterator[Finding]:
    """Yield the loads of a plateau, if there is one, and within how much they are alike."""
    if peak.alike_percent is None:
        return
    same = [level for level in system.levels if level.level in (peak.level, *peak.alike_levels)]
    test = Part(name="test", text=_test(system))
    yield finding(
        "alike-loads",
        Part(name="loads", text=loads_in(system, same)),
        test,
        within_percent=peak.alike_percent,
    )


def _sweet_spot(system: System, peak: Level) -> Iterator[Finding]:
    """Yield that no lower load does the peak's work, or why this is not shown."""
    if system.sweet_spot is not None:
        yield finding("lowest-load-tried" if peak is system.levels[0] else "no-lower-load-does-as-much")
    elif why := system.unnamed.get("sweet spot"):
        yield finding("no-sweet-spot", because=[why])


def _unnamed(system: System) -> Iterator[Finding]:
    """Yield why a point has no name that a reader will look for."""
    named_points: tuple[Name, ...] = ("peak", "within limit")
    for name in named_points:
        # That an open load has no peak is no finding, but that a search found none is one.
        why = None if name == "peak" and not is_search(system.levels) else system.unnamed.get(name)
        if why:
            rule = "no-peak" if name == "peak" else "no-load-within-limit"
            yield finding(rule, named(system), because=[why])


def _scaling(system: System, levels: list[Level], peak: Level) -> Iterator[Finding]:
    """Yield how much of the added load came out as throughput, from the lowest level to the peak."""
    lowest = levels[0]
    if system.load_model != "closed" or peak is lowest or not lowest.users or not peak.users:
        return
    ratio = ratio_to(peak, lowest, looked=system.looked)
    if ratio.against(1, 1) != "above":
        return
    yield finding(
        "growth",
        figure("ratio", ratio),
        load_of(system, peak),
        *_paired(system, ratio),
        lowest_users=lowest.users,
        ideal=peak.users / lowest.users,
    )


def _beyond_peak(system: System, levels: list[Level], peak: Level) -> Iterator[Finding]:
    """More load than the peak's only waits."""
    highest = levels[-1]
    if highest is peak or not has_times(highest) or not has_times(peak):
        return
    slower = _times_ratio(system, highest, peak)
    if slower.against(1, 1) != "above":
        return
    ratio = ratio_to(highest, peak, looked=system.looked)
    if ratio.against(1, 1) == "below":
        rule = "falls-beyond-peak"
    elif ratio.against(least=NOT_INFERIOR.value) == "within":
        rule = "waits-beyond-peak"
    else:
        return
    yield finding(
        rule,
        load_of(system, peak),
        load_of(system, highest, "higher_load"),
        figure("ratio", ratio),
        # Of users who never wait it restates how many they are.
        *([] if never_wait(highest) else [figure("times_ratio", slower)]),
        *_paired(system, slower),
        limit=NOT_INFERIOR.value,
    )


def _bottleneck(system: System, levels: list[Level], peak: Level) -> Iterator[Finding]:
    """Yield the resource that is used up, if throughput had stopped growing."""
    used = peak.resources
    grows_still = peak is levels[-1]
    disturbed = used.foreign_cpu_percent is not None and used.foreign_cpu_percent > FOREIGN_CPU_PERCENT.value
    if used.cpu_percent is None or grows_still or disturbed:
        return
    shares = {
        "cpu_percent": used.cpu_percent,
        "cpu_user_percent": used.cpu_user_percent,
        "cpu_system_percent": used.cpu_system_percent,
        "pressure_io_percent": used.pressure_io_percent,
    }
    parts = [Part(name=name, figure=value) for name, value in shares.items() if value is not None]
    if used.cpu_percent >= SATURATED_PERCENT.value:
        yield finding(
            "cpu-bound", load_of(system, peak), *parts, limit=SATURATED_PERCENT.value, unit="percent"
        )
    elif used.pressure_io_percent is not None and used.pressure_io_percent >= IO_PRESSURE_PERCENT.value:
        yield finding(
            "io-bound", load_of(system, peak), *parts, limit=IO_PRESSURE_PERCENT.value, unit="percent"
        )


def _stalls(system: System, levels: list[Level], load: str) -> Iterator[Finding]:
    """Yield what a clock started at the actual start would not have seen; at the worst level only."""
    hidden = []
    for level in levels:
        part = level.each.get(load, level)
        response, service = part.response_time_ms, part.service_time_ms
        if response and service and service.p99 > 0:
            hidden.append((response.p99 / service.p99, level, part, response, service))
    if not hidden or (worst := max(hidden, key=lambda row: row[0]))[0] < HIDDEN.value:
        return
    _, whole, level, response, service = worst
    is_long = service.max >= max(response.p99 / 2, STALL.value * service.p99)
    of_all = level.users == 1 or MS_PER_S * stood_still_s(whole) >= STALLED_SHARE.value * service.max
    yield finding(
        "hidden-stall" if is_long and of_all else "hidden-wait",
        *([Part(name="of_load", text=load)] if load else []),
        load_of(system, whole),
        response_p99_ms=response.p99,
        service_p99_ms=service.p99,
        longest_service_ms=service.max,
        transactions=level.transactions,
    )


def _test(system: System) -> str:
    return "paired confidence sequence" if system.looked else "paired log-t"


def _paired(system: System, ratio: Figure) -> list[Part]:
    return [Part(name="test", text=_test(system)), Part(name="runs", figure=ratio.n)]


def _times_ratio(system: System, level: Level, other: Level) -> Figure:
    """The ratio of mean response times, repeat by repeat; its interval as that of `ratio_to`."""
    ours, theirs = figures(level, MEAN), figures(other, MEAN)
    bounds = bounds_of(other, level, MEAN)
    return ratio_by_repeat(ours, theirs, bounds, looked=system.looked) or Figure(value=1.0, n=0)


def _within_limit(system: System) -> Iterator[Finding]:
    """Yield the last pass and the first fail of a limit on the mean response time."""
    point, limit_ms = system.within_limit, system.response_time_limit_ms
    if point is None or limit_ms is None or system.scaling:
        return
    failed = next((level for level in system.levels if level.level == point.first_fail_level), None)
    because = []
    if failed is None:
        because.append(finding("highest-load-tried"))
    elif not has_times(failed) or failed.response_time_ms is None:
        because.append(finding("load-invalid", load_of(system, failed)))
    else:
        mean_ms = failed.response_time_ms.mean
        because.append(finding("first-load-beyond", load_of(system, failed), response_time_ms=mean_ms))
    (at,) = (level for level in system.levels if level.level == point.level)
    yield finding(
        "within-limit",
        named(system),
        load_of(system, point),
        *below_limit(at),
        limit=limit_ms,
        unit="ms",
        because=because,
        response_time_ms=point.response_time_ms or 0.0,
    )
