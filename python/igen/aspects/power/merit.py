"""Energy of a transaction, and the number of disks of the study that a system replaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from igen.aspects.power.parts import Merit, power_w
from igen.judge.aspect import SystemRuns
from igen.judge.curve.named import load_of, named, throughput
from igen.judge.result import Finding, Level, Part, System, aspect
from igen.judge.trust.finding import figure, finding
from igen.judge.trust.usable import usable


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
        joules_per_transaction=watts / throughput if watts else None,
        disk=disk.get("name", ""),
        disk_per_s=disk.get("iops"),
        disks=throughput / disk["iops"] if disk else None,
    )


def meter_not_read(system: SystemRuns) -> Iterator[Finding]:
    """Yield a finding if the study names a meter that no level was measured with."""
    meter, levels = system.described.get("watts"), system.levels
    if isinstance(meter, str) and levels and not any(meter in power_w(level) for level in levels):
        read = dict.fromkeys(name for level in levels for name in power_w(level))
        meters = [Part(name="meter_read", text=name) for name in read]
        yield finding("meter-not-read", *meters, scope="system", meter=meter)


def merit_observations(system: System, _: Sequence[Level]) -> Iterator[Finding]:
    """Yield the energy of a transaction, and the disks that the system replaces."""
    merit = aspect(system, Merit)
    level = next((each for each in system.levels if merit and each.level == merit.level), None)
    if merit is None or level is None:
        return
    does = (named(system), load_of(system, level), throughput(system, level.throughput_per_s))
    if merit.watts and merit.joules_per_transaction:
        yield finding(
            "energy-per-transaction",
            *does,
            figure("joules_per_transaction", merit.joules_per_transaction),
            *([Part(name="meter", text=merit.meter)] if merit.meter else []),
            watts=merit.watts,
        )
    if merit.disks and merit.disk_per_s:
        yield finding(
            "disks-replaced", *does, figure("disks", merit.disks, merit.disk), disk_per_s=merit.disk_per_s
        )
