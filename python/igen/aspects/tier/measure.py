"""The tiers of a level, from the readings of the monitor `tier`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.tier.parts import UNATTRIBUTED_PERCENT, TierResult, Tiers
from igen.judge import limits
from igen.judge.aspect import LevelRuns
from igen.judge.interval import mean_interval
from igen.judge.limits import Finding
from igen.judge.measured import MeasuredRun

MONITOR = "tier"
TIMES = ("user_s", "system_s")


def tiers_of(level: LevelRuns) -> Tiers | None:
    """Means over the runs whose tiers were read; None where none was."""
    runs = [run for run in level.used if _names(run)]
    if not runs:
        return None
    users = runs[0].recording.users
    tiers = [_tier(name, runs, users) for name in _names(runs[0])]
    per_transaction = [tier.cpu_ms_per_transaction for tier in tiers]
    memory = _sum([tier.memory_bytes for tier in tiers])
    return Tiers(
        tiers=tiers,
        busy_processors=sum(tier.busy_processors.value for tier in tiers),
        cpu_ms_per_transaction=_sum([None if each is None else each.value for each in per_transaction]),
        memory_bytes=memory,
        memory_bytes_per_user=memory / users if memory is not None and users else None,
        host_processors=runs[0].host.processors,
        host_cpu_percent=_mean([run.resources.cpu_percent for run in runs]),
        driver_cpu_percent=_mean([run.resources.driver_cpu_percent for run in runs]),
        interrupts_cpu_percent=_mean([_interrupts(run) for run in runs]),
        unattributed_cpu_percent=_mean([run.resources.foreign_cpu_percent for run in runs]),
    )


def unattributed(level: LevelRuns) -> Iterator[Finding]:
    """Others used so much of the host that the tiers are not the whole story."""
    tiers = tiers_of(level)
    percent = tiers.unattributed_cpu_percent if tiers else None
    shortest_s = min((run.measured_s for run in level.used), default=0.0)
    if percent is None or shortest_s <= 0:
        return
    # One tick of each processor may belong to the time before.
    certain = percent - 100 * limits.TICK_S / shortest_s
    if certain > UNATTRIBUTED_PERCENT:
        yield Finding(
            "SUSPECT",
            "unattributed",
            f"{percent:.1f} % of the host's processors were used by processes that are of no tier (limit "
            f"{UNATTRIBUTED_PERCENT:g} %): what a transaction costs is not all told",
        )


def _names(run: MeasuredRun) -> list[str]:
    """The tiers that were read in the measured time."""
    return [name for name in run.host.subjects(MONITOR) if run.host.ends(MONITOR, name)]


def _tier(name: str, runs: Sequence[MeasuredRun], users: int | None) -> TierResult:
    read = [run for run in runs if name in _names(run)]
    busy = [run.host.sum_per_s(MONITOR, TIMES, [name]) or 0.0 for run in read]
    capacity = _mean([run.host.mean_gauge(MONITOR, "capacity_processors", name) for run in read]) or 1.0
    costs = [
        1e3 * each / run.throughput_per_s
        for each, run in zip(busy, read, strict=True)
        if run.throughput_per_s
    ]
    memory = _mean([run.host.mean_gauge(MONITOR, "memory_bytes", name) for run in read])
    throttled = _mean([run.host.per_s(MONITOR, "throttled_s", name) for run in read])
    return TierResult(
        name=name,
        source=str(read[0].recording.facts.get(f"tier.{name}.source", "")),
        capacity_processors=capacity,
        busy_processors=mean_interval(busy),
        cpu_percent=mean_interval([100 * each / capacity for each in busy]),
        cpu_ms_per_transaction=mean_interval(costs) if costs else None,
        throttled_percent=None if throttled is None else 100 * throttled / capacity,
        memory_bytes=memory,
        memory_bytes_per_user=memory / users if memory is not None and users else None,
        processes=_mean([run.host.mean_gauge(MONITOR, "processes", name) for run in read]),
    )


def _interrupts(run: MeasuredRun) -> float | None:
    """As a share of all processors; None where the host was not read."""
    used = run.host.sum_per_s("cpu", ("irq_s", "softirq_s"), [""])
    return 100 * used / run.host.processors if used is not None and run.host.processors else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _sum(values: Sequence[float | None]) -> float | None:
    """None where one of them is not known: a part is no sum."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
