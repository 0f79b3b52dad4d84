"""What a system does for its watts, and how many of a named disk it takes the place of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from igen.analysis.points import usable
from igen.analysis.result import Estimate, Level, Merit, Observation, Point, System
from igen.analysis.wording import load, rate
from igen.units import format_number


def merit_of(described: Mapping[str, Any], levels: Sequence[Level], peak: Point | None) -> Merit | None:
    """At the peak, else at the highest throughput; `described` is the study's system with `watts`, `disk`."""
    watts, disk = described.get("watts"), described.get("disk") or {}
    best = max(usable(levels), key=lambda level: level.throughput_per_s.value, default=None)
    if best is None or not (watts or disk):
        return None
    level = next((each for each in levels if peak and each.level == peak.level), best)
    throughput = level.throughput_per_s
    if throughput.value <= 0:
        return None
    return Merit(
        level=level.level,
        watts=watts,
        milliwatts_per_transaction=_inverse(throughput, 1e3 * watts) if watts else None,
        disk=disk.get("name", ""),
        disk_per_s=disk.get("iops"),
        disks=_inverse(_inverse(throughput, 1.0), 1 / disk["iops"]) if disk else None,
    )


def _inverse(estimate: Estimate, of: float) -> Estimate:
    """`of` divided by it; where its interval reaches 0 there is none."""
    low, high = estimate.low, estimate.high
    if not low or not high or low <= 0:
        return Estimate(value=of / estimate.value, n=estimate.n)
    return Estimate(value=of / estimate.value, low=of / high, high=of / low, n=estimate.n)


def _given(value: float | None) -> str:
    """As the study has it, no digit more."""
    return f"{value:,.10g}"


def merit_observations(system: System) -> Iterator[Observation]:
    """The figures of merit in one sentence each."""
    merit = system.merit
    level = next((each for each in system.levels if merit and each.level == merit.level), None)
    if merit is None or level is None:
        return
    does = f"{system.name} does {rate(system, level.throughput_per_s.value)} at {load(system, level)}"
    each = system.transaction.removesuffix("s")
    if merit.milliwatts_per_transaction:
        figure = format_number(merit.milliwatts_per_transaction.value, 3)
        text = f"{does} for {_given(merit.watts)} W: {figure} mW per {each}."
        evidence = "1,000 × watts / throughput, as published; watts as the study says"
        yield Observation(text=text, evidence=evidence)
    if merit.disks:
        disks = f"{format_number(merit.disks.value, 3)} {merit.disk}"
        text = f"{does}, as many as {disks} with {_given(merit.disk_per_s)} {each}s/s each."
        yield Observation(text=text, evidence="throughput / that of one disk, as the study says")
