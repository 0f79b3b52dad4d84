"""What a system does for its watts, and how many of a named disk it takes the place of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.power.parts import Merit, power_w
from igen.judge.aspect import SystemRuns
from igen.judge.result import Estimate, Level, Observation, System, aspect
from igen.judge.usable import usable
from igen.judge.wording import load, rate
from igen.units import format_energy_j, format_number


def merit_of(system: SystemRuns) -> Merit | None:
    """At the peak, else at the highest throughput, of what the study says as `watts` and `disk`."""
    described, levels, peak = system.described, system.levels, system.peak
    given, disk = described.get("watts"), described.get("disk") or {}
    best = max(usable(levels), key=lambda level: level.throughput_per_s.value, default=None)
    if best is None or not (given or disk):
        return None
    level = next((each for each in levels if peak and each.level == peak.level), best)
    throughput = level.throughput_per_s
    if throughput.value <= 0:
        return None
    meter = given if isinstance(given, str) else ""
    watts = power_w(level).get(meter) if meter else given
    return Merit(
        level=level.level,
        meter=meter,
        watts=watts,
        joules_per_transaction=_inverse(throughput, watts) if watts else None,
        disk=disk.get("name", ""),
        disk_per_s=disk.get("iops"),
        disks=_inverse(_inverse(throughput, 1.0), 1 / disk["iops"]) if disk else None,
    )


def merit_warnings(system: SystemRuns) -> Iterator[str]:
    """Says so where the study names a meter that no level was measured with."""
    meter, levels = system.described.get("watts"), system.levels
    if isinstance(meter, str) and levels and not any(meter in power_w(level) for level in levels):
        read = ", ".join(dict.fromkeys(name for level in levels for name in power_w(level)))
        yield (
            f"watts: the meter `{meter}` was not read; "
            + (f"the host's meters are: {read}" if read else "no meter of the host was")
            + ' (`monitors = ["power"]` in the job says why)'
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


def merit_observations(system: System, _: Sequence[Level]) -> Iterator[Observation]:
    """The figures of merit in one sentence each."""
    merit = aspect(system, Merit)
    level = next((each for each in system.levels if merit and each.level == merit.level), None)
    if merit is None or level is None:
        return
    does = f"{system.name} does {rate(system, level.throughput_per_s.value)} at {load(system, level)}"
    each = system.transaction.removesuffix("s")
    if merit.watts and merit.joules_per_transaction:
        figure = format_energy_j(merit.joules_per_transaction.value)
        watts = format_number(merit.watts, 3) if merit.meter else _given(merit.watts)
        text = f"{does} for {watts} W: {figure} per {each}."
        source = f"read from the host's meter {merit.meter}" if merit.meter else "as the study says"
        evidence = f"watts / throughput; watts {source}"
        yield Observation(text=text, evidence=evidence)
    if merit.disks:
        disks = f"{format_number(merit.disks.value, 3)} {merit.disk}"
        text = f"{does}, as many as {disks} with {_given(merit.disk_per_s)} {each}s/s each."
        yield Observation(text=text, evidence="throughput / that of one disk, as the study says")
