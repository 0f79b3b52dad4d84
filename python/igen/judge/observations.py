"""What the reader should know about one system, in sentences. Each is written only where its test passed.

None rests on an invalid level; each names its evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from igen.judge.aspect import Aspect, speaking
from igen.judge.limits import FOREIGN_CPU_PERCENT
from igen.judge.load import side_name
from igen.judge.load_processes import load_processes
from igen.judge.points import NOT_INFERIOR, Name, is_highest_tried, paired_ratio, ratio_to, used_runs
from igen.judge.purpose import is_search
from igen.judge.questions import MEAN, bounds_of, figures, never_wait
from igen.judge.result import Estimate, Level, Observation, Point, System
from igen.judge.scaling import scaling_observations
from igen.judge.standstill import stood_still_s
from igen.judge.usable import has_exact_times, has_times, usable, usable_times
from igen.judge.wording import (
    alike_text,
    below_limit_evidence,
    load,
    load_number,
    rate_with_interval,
    ratio_with_interval,
)
from igen.units import counted, format_number, format_time_ms

SATURATED_PERCENT = 90.0
IO_PRESSURE_PERCENT = 20.0
HIDDEN = 2.0
"""A percentile from the intended start tells more if it is this many times that from the actual start."""


STALL = 10.0
"""A service is a stall if it is this many times the 99th percentile of all: of exponential ones, which make
a plain queue, the longest of a million is 3 times as long."""
STALLED_SHARE = 0.6
"""All users stood still for at least this share of it: one of two users who waits takes half as much."""
_WIDENED = ", widened by what may have disturbed the machine"


def observations_of(system: System, aspects: Sequence[Aspect] = ()) -> list[Observation]:
    """All sentences about one system, the most important first."""
    levels = usable(system.levels)
    by_number = {level.level: level for level in levels}
    found: list[Observation] = []
    if alone := speaking(aspects, levels):
        return [sentence for each in alone for sentence in each.observe(system, levels)]
    if system.scaling:
        found += scaling_observations(system)
    elif system.peak and len(levels) > 1:
        peak = by_number[system.peak.level]
        found += _peak(system, levels, peak, system.peak)
        found += _scaling(system, levels, peak)
        found += _beyond_peak(system, levels, peak)
        found += _bottleneck(system, levels, peak)
    elif len(levels) == 1:
        found += _single(system, levels[0])
    found += [*_within_limit(system), *_unnamed(system)]
    timed = [level for level in usable_times(system.levels) if has_exact_times(level)]
    for name in dict.fromkeys(name for level in timed for name in level.personas or [""]):
        found += _stalls(system, timed, name)
    found += load_processes(system)
    return [*found, *(sentence for each in aspects for sentence in each.observe(system, levels))]


def _single(system: System, level: Level) -> Iterator[Observation]:
    for name, part in level.personas.items():
        of_one = replace(system, name=side_name(system.name, name), load_model=next(iter(part.load)))
        yield from _single(of_one, part)
    if level.personas:
        return
    times = level.response_time_ms if has_times(level) else None
    response = f", {format_time_ms(times.mean)} each" if times else ""
    rate_text = rate_with_interval(system, level.throughput_per_s)
    text = f"{system.name} does {rate_text} at {load(system, level)}{response}."
    yield Observation(text=text, evidence=_runs(system, level))


def _peak(system: System, levels: list[Level], peak: Level, point: Point) -> Iterator[Observation]:
    doubt = "" if point.confirmed else " (not confirmed)"
    at, figure = f"{load(system, peak)}{doubt}", rate_with_interval(system, point.throughput_per_s)
    text = f"{system.name} peaks at {at} with {figure}"
    evidence = _runs(system, peak)
    if point.confirmed:
        evidence += ", fresh confirmation runs"
    elif point.throughput_per_s.low is not None and point.chosen_among > 1:
        evidence += f"; the lower end is that of the best of {counted(point.chosen_among, 'load')}"
    if is_highest_tried(system):
        text = f"{system.name} does the most at {at}, the highest load tried, with {figure}: "
        text += "its peak may lie beyond"
    elif peak is levels[-1]:
        text += "; all higher loads are INVALID"
    if alike := alike_text(system, point):
        text += f"; {alike}"
        evidence += f"; {_test(system)} interval of the ratio to the peak{_WIDENED}"
    text += _sweet_spot(system, peak)
    yield Observation(text=f"{text}.", evidence=evidence)


def _sweet_spot(system: System, peak: Level) -> str:
    """The lowest load that does the peak's work, or why it has no name."""
    spot, why = system.sweet_spot, system.unnamed.get("sweet spot")
    if spot is None:
        return f"; no sweet spot can be shown: {why}" if why else ""
    if spot.level == peak.level:
        lowest = peak is system.levels[0]
        return "; that is the lowest load tried" if lowest else "; no lower load does as much"
    return f"; {load_number(system, spot)} is its sweet spot, the lowest load that does"


def _unnamed(system: System) -> Iterator[Observation]:
    """Why a point has no name that a reader will look for."""
    named: tuple[tuple[Name, str], ...] = (
        ("peak", "peak"),
        ("within limit", "highest load within the response-time limit"),
    )
    for name, what in named:
        # That an open load has no peak is no finding, but that a search found none is one.
        why = "" if name == "peak" and not is_search(system.levels) else system.unnamed.get(name)
        if why:
            yield Observation(text=f"{system.name} has no {what}: {why}.", evidence="rule of the load model")


def _scaling(system: System, levels: list[Level], peak: Level) -> list[Observation]:
    """How much of the added load came out as throughput, from the lowest level to the peak."""
    lowest = levels[0]
    if system.load_model != "closed" or peak is lowest or not lowest.users or not peak.users:
        return []
    ratio = ratio_to(peak, lowest, looked=system.looked)
    if ratio.low is None or ratio.low <= 1:
        return []
    ideal = peak.users / lowest.users
    text = (
        f"From {lowest.users} to {load(system, peak)} throughput grows {ratio_with_interval(ratio)}, "
        f"{100 * ratio.value / ideal:.0f} % of the ideal {format_number(ideal, 3)} ×."
    )
    return [Observation(text=text, evidence=_paired(system, ratio))]


def _beyond_peak(system: System, levels: list[Level], peak: Level) -> Iterator[Observation]:
    """More load than the peak's only waits."""
    highest = levels[-1]
    if highest is peak or not has_times(highest) or not has_times(peak):
        return
    slower = _times_ratio(system, highest, peak)
    if slower.low is None or slower.low <= 1:
        return
    ratio = ratio_to(highest, peak, looked=system.looked)
    if ratio.high is not None and ratio.high < 1:
        change = f"throughput falls to {100 * ratio.value:.0f} % of the peak"
    elif ratio.low is not None and ratio.low >= NOT_INFERIOR:
        change = f"throughput is still at least {100 * NOT_INFERIOR:g} % of the peak's"
    else:
        return
    text = f"Beyond {load(system, peak)} more load only waits: at {load(system, highest)} {change}"
    if not never_wait(highest):
        # Of users who never wait it restates how many they are.
        text += f" and the response time is {ratio_with_interval(slower)} as long"
    yield Observation(text=f"{text}.", evidence=_paired(system, slower))


def _bottleneck(system: System, levels: list[Level], peak: Level) -> Iterator[Observation]:
    """The resource that is used up, where throughput had stopped growing."""
    used = peak.resources
    lowest = system.sweet_spot.level if system.sweet_spot else peak.level
    grows_still = peak is levels[-1] and lowest == peak.level
    disturbed = used.foreign_cpu_percent is not None and used.foreign_cpu_percent > FOREIGN_CPU_PERCENT
    if used.cpu_percent is None or grows_still or disturbed:
        return
    if used.cpu_percent >= SATURATED_PERCENT:
        text = f"The processors are the limit: {used.cpu_percent:.0f} % busy at {load(system, peak)}"
        if used.cpu_user_percent is not None and used.cpu_system_percent is not None:
            text += f" ({used.cpu_user_percent:.0f} % user, {used.cpu_system_percent:.0f} % system)"
        evidence = f"CPU above {SATURATED_PERCENT:g} % and no growth beyond"
        yield Observation(text=f"{text}.", evidence=evidence, topic="bottleneck")
    elif used.pressure_io_percent is not None and used.pressure_io_percent >= IO_PRESSURE_PERCENT:
        text = f"Input and output are the limit at {load(system, peak)}: some task waited for them "
        text += (
            f"{used.pressure_io_percent:.0f} % of the time, processors were {used.cpu_percent:.0f} % busy."
        )
        evidence = f"I/O pressure above {IO_PRESSURE_PERCENT:g} % and no growth beyond"
        yield Observation(text=text, evidence=evidence, topic="bottleneck")


def _stalls(system: System, levels: list[Level], persona: str) -> Iterator[Observation]:
    """What a clock started at the real start would not have seen; the worst level only."""
    hidden = []
    for level in levels:
        part = level.personas.get(persona, level)
        response, service = part.response_time_ms, part.service_time_ms
        if response and service and service.p99 > 0:
            hidden.append((response.p99 / service.p99, level, part, response, service))
    if not hidden or (worst := max(hidden, key=lambda row: row[0]))[0] < HIDDEN:
        return
    _, whole, level, response, service = worst
    of = f" of {persona}" if persona else ""
    text = (
        f"At {load(system, whole)} the 99th percentile{of} is {format_time_ms(response.p99)} from the "
        f"intended start and {format_time_ms(service.p99)} from the actual one: "
    )
    is_long = service.max >= max(response.p99 / 2, STALL * service.p99)
    of_all = level.users == 1 or 1e3 * stood_still_s(whole) >= STALLED_SHARE * service.max
    if is_long and of_all:
        text += f"a stall of {format_time_ms(service.max)} is visible only from the intended start."
    else:
        text += "the difference is time spent waiting for a free user."
    yield Observation(
        text=text,
        evidence=f"{counted(level.transactions, 'transaction')}, longest service {service.max:.4g} ms",
    )


def _test(system: System) -> str:
    return "paired confidence sequence" if system.looked else "paired log-t"


def _paired(system: System, ratio: Estimate) -> str:
    return f"{_test(system)} over {ratio.n} runs of both levels{_WIDENED}"


def _times_ratio(system: System, level: Level, other: Level) -> Estimate:
    """The ratio of mean response times, repeat by repeat; its interval as that of `ratio_to`."""
    ours, theirs = figures(level, MEAN), figures(other, MEAN)
    bounds = bounds_of(other, level, MEAN)
    return paired_ratio(ours, theirs, bounds, looked=system.looked) or Estimate(value=1.0, n=0)


def _within_limit(system: System) -> Iterator[Observation]:
    """Last pass and first fail of a limit on the mean response time."""
    point, limit_ms = system.within_limit, system.response_time_limit_ms
    if point is None or limit_ms is None or system.scaling:
        return
    mean = format_time_ms(point.response_time_ms or 0.0)
    text = (
        f"{system.name} answers within {format_time_ms(limit_ms)} up to {load(system, point)} (mean {mean})"
    )
    failed = next((level for level in system.levels if level.level == point.first_fail_level), None)
    if failed is None:
        text += ", the highest load tried"
    elif not has_times(failed) or failed.response_time_ms is None:
        text += f"; {load(system, failed)} is INVALID"
    else:
        mean = format_time_ms(failed.response_time_ms.mean)
        text += f"; at {load(system, failed)} it does not, or not surely (mean {mean})"
    (at,) = (level for level in system.levels if level.level == point.level)
    yield Observation(text=f"{text}.", evidence=below_limit_evidence(at))


def _runs(system: System, level: Level) -> str:
    runs = f"{counted(len(used_runs(level)), 'run')} of {load(system, level)}"
    return f"{runs}, {counted(level.transactions, 'transaction')}"
