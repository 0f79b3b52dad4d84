"""Where the tiers of a run are, and what was read of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from igen.facts import TIER_SOURCE
from igen.judge.run.measured import MeasuredRun
from igen.judge.run.resources import BUSY, OWN_TIMES, Host, memory_used_bytes
from igen.machine_name import machine_names

MONITOR = "tier"
TIMES = OWN_TIMES


@dataclass(frozen=True, slots=True)
class Place:
    """A tier, and the machine on which it runs."""

    tier: str
    url: str = ""
    """The machine as the job names it; empty for the load machine."""
    host: str = ""
    """Name of the machine: `db1`; empty for the load machine."""
    is_whole: bool = False
    """Whether it is the whole of that machine."""

    def is_read(self, run: MeasuredRun) -> bool:
        """Whether readings span the measured time."""
        there = machine_of(run, self.url)
        return there.ends(*(("cpu", "") if self.is_whole else (MONITOR, self.tier))) is not None

    def busy(self, run: MeasuredRun) -> float:
        """Seconds of processor time a second."""
        there = machine_of(run, self.url)
        if self.is_whole:
            return there.sum_per_s("cpu", BUSY, [""]) or 0.0
        return there.sum_per_s(MONITOR, TIMES, [self.tier]) or 0.0

    def capacity(self, run: MeasuredRun) -> float | None:
        """Processors that it may use."""
        there = machine_of(run, self.url)
        if not self.is_whole:
            return there.mean_gauge(MONITOR, "capacity_processors", self.tier)
        said = _tier_of(run, self.tier).get("processors")
        return float(said) if isinstance(said, int | float) and said else float(there.processors) or None

    def memory_bytes(self, run: MeasuredRun) -> float | None:
        """What it holds."""
        there = machine_of(run, self.url)
        return memory_used_bytes(there) if self.is_whole else self.gauge(run, "memory_bytes")

    def gauge(self, run: MeasuredRun, name: str) -> float | None:
        """Mean of a gauge of the monitor `tier`; None of a whole machine, which has none."""
        return machine_of(run, self.url).mean_gauge(MONITOR, name, self.tier)

    def throttled(self, run: MeasuredRun) -> float | None:
        """Processors that its quota held back."""
        return machine_of(run, self.url).per_s(MONITOR, "throttled_s", self.tier)

    def source(self, run: MeasuredRun) -> str:
        """Where its figures come from."""
        if self.is_whole:
            by = "an agent over ssh" if self.url.startswith("ssh:") else "its exporter"
            return f"all of {self.host}, by {by}"
        return str(run.recording.facts.get(TIER_SOURCE.of(self.tier), ""))


def places_of(run: MeasuredRun) -> list[Place]:
    """The tiers of the load machine that were read, and all of other machines, in the order of the job's."""
    here = [Place(name) for name in run.host.subjects(MONITOR)]
    names = machine_names(host for tier in run.recording.tiers if (host := tier.get("host")))
    there = [
        Place(tier["name"], host, names[host], "match" not in tier)
        for tier in run.recording.tiers
        if (host := tier.get("host"))
    ]
    return [*here, *there]


def machine_of(run: MeasuredRun, url: str) -> Host:
    """A machine in the measured time of a run; empty for the load machine."""
    return run.host.of_machine(run.recording.of_tier_hosts.get(url) or {}) if url else run.host


def _tier_of(run: MeasuredRun, name: str) -> Mapping[str, Any]:
    return next((tier for tier in run.recording.tiers if tier.get("name") == name), {})
