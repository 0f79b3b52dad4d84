"""The tiers of a level, from the readings of the monitor `tier`, and of the machines on which they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from igen.aspects.tier.parts import TierHost, TierResult, Tiers
from igen.aspects.tier.places import Place, machine_of, places_of
from igen.facts import TIER_HOST_CLOCK_ERROR_S
from igen.judge.aspect import LevelRuns
from igen.judge.figure.interval import mean_interval
from igen.judge.result import Finding, Part, Resources
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.resources import Host, mean_of, resources
from igen.judge.trust.finding import finding
from igen.judge.trust.rules.machine import TICK_S, UNATTRIBUTED_PERCENT


def tiers_of(level: LevelRuns) -> Tiers | None:
    """Means over the runs whose tiers were read; None where none was."""
    runs = [run for run in level.used if any(place.is_read(run) for place in places_of(run))]
    if not runs:
        return None
    places = dict.fromkeys(place for run in runs for place in places_of(run))
    read = {place: [run for run in runs if place.is_read(run)] for place in places}
    tiers = [_tier(place, its) for place, its in read.items() if its]
    not_read = [place.tier for place, its in read.items() if not its]
    costs = [tier.cpu_ms_per_transaction for tier in tiers]
    own = [tier for tier in tiers if not tier.host]
    return Tiers(
        tiers=tiers,
        not_read=not_read,
        busy_processors=None if not_read else sum(tier.busy_processors.value for tier in tiers),
        cpu_ms_per_transaction=None if not_read else _sum([each.value if each else None for each in costs]),
        memory_bytes=None if not_read else _sum([tier.memory_bytes for tier in tiers]),
        host_processors=runs[0].host.processors,
        host_cpu_percent=_mean([run.resources.cpu_percent for run in runs]),
        driver_cpu_percent=_mean([run.resources.driver_cpu_percent for run in runs]),
        interrupts_cpu_percent=_mean([_interrupts(run.host) for run in runs]),
        unattributed_cpu_percent=_mean([run.resources.foreign_cpu_percent for run in runs]) if own else None,
        hosts=[
            _host(url, name, places, [run for run in runs if machine_of(run, url).processors])
            for url, name in dict.fromkeys(
                (place.url, place.host) for place in places if place.url and read[place]
            )
        ],
    )


def unattributed(level: LevelRuns) -> Iterator[Finding]:
    """Others used so much of the host that the tiers of the job are not all that serves.

    A server that only its target names is a tier too; who else serves with it was not asked.
    """
    tiers = tiers_of(level) if any(run.recording.tiers for run in level.used) else None
    shortest_s = min((run.measured_s for run in level.used), default=0.0)
    if tiers is None or shortest_s <= 0:
        return
    shares = {"": tiers.unattributed_cpu_percent}
    shares |= {host.name: host.unattributed_cpu_percent for host in tiers.hosts}
    for host, percent in shares.items():
        # One tick of each processor may belong to the time before.
        certain = (percent or 0.0) - 100 * TICK_S.value / shortest_s
        if certain > UNATTRIBUTED_PERCENT.value:
            yield finding(
                "unattributed",
                *([Part(name="machine", text=host)] if host else []),
                scope="level",
                limit=UNATTRIBUTED_PERCENT.value,
                unit="percent",
                used_percent=percent or 0.0,
            )


def _tier(place: Place, runs: Sequence[MeasuredRun]) -> TierResult:
    busy = [place.busy(run) for run in runs]
    capacity = _mean([place.capacity(run) for run in runs]) or 1.0
    costs = [
        1e3 * each / run.throughput_per_s
        for each, run in zip(busy, runs, strict=True)
        if run.throughput_per_s
    ]
    throttled = _mean([place.throttled(run) for run in runs])
    return TierResult(
        name=place.tier,
        host=place.host,
        source=place.source(runs[0]),
        capacity_processors=capacity,
        busy_processors=mean_interval(busy),
        cpu_percent=mean_interval([100 * each / capacity for each in busy]),
        cpu_ms_per_transaction=mean_interval(costs) if costs else None,
        throttled_percent=None if throttled is None else 100 * throttled / capacity,
        memory_bytes=_mean([place.memory_bytes(run) for run in runs]),
        processes=_mean([place.gauge(run, "processes") for run in runs]),
    )


def _host(url: str, name: str, places: Iterable[Place], runs: Sequence[MeasuredRun]) -> TierHost:
    machines = [machine_of(run, url) for run in runs]
    used = [resources(machine) for machine in machines]
    is_told_apart = all(not place.is_whole for place in places if place.url == url)
    errors = [run.recording.facts.get(TIER_HOST_CLOCK_ERROR_S.of(url)) for run in runs]
    known = [float(each) for each in errors if isinstance(each, int | float)]
    return TierHost(
        name=name,
        processors=machines[0].processors if machines else 0,
        resources=mean_of(Resources, used) if used else Resources(),
        interrupts_cpu_percent=_mean([_interrupts(machine) for machine in machines]),
        unattributed_cpu_percent=_mean([each.foreign_cpu_percent for each in used])
        if is_told_apart
        else None,
        clock_error_ms=1e3 * max(known) if known else None,
    )


def _interrupts(host: Host) -> float | None:
    """As a share of all processors; None where the host was not read."""
    used = host.sum_per_s("cpu", ("irq_s", "softirq_s"), [""])
    return 100 * used / host.processors if used is not None and host.processors else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _sum(values: Sequence[float | None]) -> float | None:
    """None where one of them is not known: a part is no sum."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
