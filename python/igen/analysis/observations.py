"""What the reader should know about one system, in sentences. Each is written only where its test passed.

None rests on an invalid level; each names its evidence.
"""

from __future__ import annotations

from collections.abc import Iterator

from igen.analysis.directory_observations import directory_observations
from igen.analysis.interval import log_welch
from igen.analysis.limits import FOREIGN_CPU_PERCENT
from igen.analysis.memory_observations import memory_observations
from igen.analysis.merit import merit_observations
from igen.analysis.points import throughputs, usable, used_runs
from igen.analysis.result import Level, Observation, Point, System
from igen.analysis.scaling import scaling_observations
from igen.analysis.server_observations import server_observations
from igen.analysis.stored import stored_observations
from igen.analysis.target import target_schemes
from igen.analysis.target_observations import target_observations
from igen.analysis.wording import load, load_number, loads, rate, rate_with_interval, ratio_with_interval
from igen.units import format_number, format_time_ms

FLAT = 1.5
"""A curve is flat if its highest point is less than this times its lowest."""
SATURATED_PERCENT = 90.0
IO_PRESSURE_PERCENT = 20.0
HIDDEN = 2.0
"""A percentile from the intended start tells more if it is this many times that from the actual start."""


STALL = 10.0
"""A service is a stall if it is this many times the 99th percentile of all: of exponential ones, which make
a plain queue, the longest of a million is 3 times as long."""


def observations_of(system: System) -> list[Observation]:
    """All sentences about one system, the most important first."""
    levels = usable(system.levels)
    by_number = {level.level: level for level in levels}
    found: list[Observation] = []
    if any(level.memory for level in levels):
        # Passes a second of several kernels are no figure.
        return list(memory_observations(system, levels))
    if system.scaling:
        found += scaling_observations(system)
    elif system.peak and len(levels) > 1:
        peak = by_number[system.peak.level]
        found += _peak(system, levels, peak, system.peak)
        found += _one_writer(system, levels) or _scaling(system, levels, peak)
        found += _beyond_peak(system, levels, peak)
        found += _bottleneck(system, levels, peak)
        found += server_observations(system, peak)
    elif len(levels) == 1:
        found += _single(system, levels[0])
        found += server_observations(system, levels[0])
    found += [*merit_observations(system), *target_observations(system, levels), *_stalls(system, levels)]
    return [*found, *directory_observations(system, levels), *stored_observations(system)]


def _single(system: System, level: Level) -> Iterator[Observation]:
    response = f", {format_time_ms(level.response_time_ms.mean)} each" if level.response_time_ms else ""
    rate_text = rate_with_interval(system, level.throughput_per_s)
    text = f"{system.name} does {rate_text} at {load(system, level)}{response}."
    yield Observation(text=text, evidence=_runs(system, level))


def _peak(system: System, levels: list[Level], peak: Level, point: Point) -> Iterator[Observation]:
    doubt = "" if point.confirmed else " (not confirmed)"
    text = f"{system.name} peaks at {load(system, peak)}{doubt} with "
    text += rate_with_interval(system, peak.throughput_per_s)
    evidence = _runs(system, peak) + (", fresh confirmation runs" if point.confirmed else "")
    if peak is system.levels[-1]:
        text += "; that is the highest load tried, so the true peak may lie beyond"
    elif peak is levels[-1]:
        text += "; all higher loads are INVALID"
    if point.equal_levels:
        same = [level for level in levels if level.level in (peak.level, *point.equal_levels)]
        text += f"; {loads(system, same)} are statistically the same, {_sweet_spot(system, peak)}"
        evidence += "; log-Welch interval of the ratio to the peak spans 1"
    yield Observation(text=f"{text}.", evidence=evidence)


def _sweet_spot(system: System, peak: Level) -> str:
    """What follows from levels that are statistically the peak's."""
    spot = system.sweet_spot
    if spot is None or spot.warnings:
        return "but the runs are too noisy to name a sweet spot"
    text = f"so {load_number(system, spot)} is its sweet spot"
    if spot.response_time_ms and peak.response_time_ms:
        gain = peak.response_time_ms.mean / spot.response_time_ms
        text += f" ({format_number(gain, 3)} × lower response time)" if gain > 1.05 else ""
    return text


def _one_writer(system: System, levels: list[Level]) -> list[Observation]:
    """SQLite's write lock: said only where the curve is as flat as that predicts."""
    if (
        target_schemes(system.targets) != {"sqlite"}
        or system.workload not in ("oltp", "bank")
        or system.params.get("read_only")
    ):
        return []
    between = system.levels[system.levels.index(levels[0]) : system.levels.index(levels[-1]) + 1]
    means = [level.throughput_per_s.value for level in levels]
    users = [level.users for level in levels if level.users]
    if between != levels or max(means) > FLAT * min(means) or len(users) < 2 or max(users) < 4 * min(users):
        return []
    span = f"{rate(system, min(means)).split(' ')[0]} and {rate(system, max(means))}"
    text = (
        f"SQLite lets one connection write at a time, so the curve is flat by design: from {min(users)} to "
        f"{max(users)} users the throughput stays between {span}."
    )
    evidence = (
        f"target is SQLite; highest over lowest level {max(means) / min(means):.2f} (flat below {FLAT:g})"
    )
    return [Observation(text=text, evidence=evidence)]


def _scaling(system: System, levels: list[Level], peak: Level) -> list[Observation]:
    """How much of the added load came out as throughput, from the lowest level to the peak."""
    lowest = levels[0]
    if system.load_model != "closed" or peak is lowest or not lowest.users or not peak.users:
        return []
    ratio = log_welch(throughputs(peak), throughputs(lowest)).ratio
    if ratio.low is None or ratio.low <= 1:
        return []
    ideal = peak.users / lowest.users
    text = (
        f"From {lowest.users} to {peak.users} users throughput grows {ratio_with_interval(ratio)}, "
        f"{100 * ratio.value / ideal:.0f} % of the ideal {format_number(ideal, 3)} ×."
    )
    return [Observation(text=text, evidence=f"log-Welch over {ratio.n} runs of both levels")]


def _beyond_peak(system: System, levels: list[Level], peak: Level) -> Iterator[Observation]:
    """More load than the peak's only waits."""
    highest = levels[-1]
    if highest is peak or not highest.response_time_ms or not peak.response_time_ms:
        return
    slower = log_welch(_response_ms(highest), _response_ms(peak)).ratio
    if slower.low is None or slower.low <= 1:
        return
    ratio = log_welch(throughputs(highest), throughputs(peak)).ratio
    if ratio.high is not None and ratio.high < 1:
        change = f"throughput falls to {100 * ratio.value:.0f} % of the peak"
    elif ratio.low is not None and ratio.low <= 1:
        change = "throughput is statistically that of the peak"
    else:
        return
    text = f"Beyond {load(system, peak)} more load only waits: at {load(system, highest)} {change}"
    text += f" and the response time is {ratio_with_interval(slower)} as long."
    yield Observation(text=text, evidence=f"log-Welch over {slower.n} runs of both levels")


def _bottleneck(system: System, levels: list[Level], peak: Level) -> Iterator[Observation]:
    """The resource that is used up, where throughput had stopped growing."""
    used = peak.resources
    grows_still = peak is levels[-1] and not (system.peak and system.peak.equal_levels)
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


def _stalls(system: System, levels: list[Level]) -> Iterator[Observation]:
    """What a clock started at the real start would not have seen; the worst level only."""
    hidden = [
        (level.response_time_ms.p99 / level.service_time_ms.p99, level)
        for level in levels
        if level.response_time_ms and level.service_time_ms and level.service_time_ms.p99 > 0
    ]
    ratio, level = max(hidden, key=lambda row: row[0], default=(0.0, None))
    if level is None or ratio < HIDDEN or not level.response_time_ms or not level.service_time_ms:
        return
    response, service = level.response_time_ms, level.service_time_ms
    text = (
        f"At {load(system, level)} the 99th percentile is {format_time_ms(response.p99)} from the intended "
        f"start and {format_time_ms(service.p99)} from the actual one: "
    )
    if service.max >= max(response.p99 / 2, STALL * service.p99):
        text += f"a stall of {format_time_ms(service.max)} is visible only from the intended start."
    else:
        text += "the difference is time spent waiting for a free user."
    yield Observation(
        text=text, evidence=f"{level.transactions:,} transactions, longest service {service.max:.4g} ms"
    )


def _response_ms(level: Level) -> list[float]:
    return [run.response_time_ms.mean for run in used_runs(level) if run.response_time_ms]


def _runs(system: System, level: Level) -> str:
    count = len(used_runs(level))
    runs = f"{count} run{'s' if count > 1 else ''} of {load(system, level)}"
    return f"{runs}, {level.transactions:,} transactions"
