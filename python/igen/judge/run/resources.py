"""What host and load driver used while a run was measured, from the monitors' cumulative counters.

Rates are differences between the readings nearest to both ends of the measured time, divided by the time
between those readings: an interval's misfit at the ends does not bias them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TypeVar

from igen.facts import ENGINE_SPUN_S, FLEET_MACHINES, FLEET_PROCESS_IDS, TIER_PROCESS_IDS
from igen.judge.record.recording import Reading, Recording
from igen.judge.result import Resources, ResourcesPerTransaction
from igen.units import US_PER_S

BUSY = ("user_s", "nice_s", "system_s", "irq_s", "softirq_s")
NOT_BUSY = ("idle_s", "iowait_s", "steal_s")
MOST_PROCESSES = 20
"""Processes that the monitor of them names in one reading."""
OWN_CHILDREN = ("children_user_s", "children_system_s")
OWN = ("user_s", "system_s", *OWN_CHILDREN)
"""Processor time of what works for the job: programs that the driver starts are the work itself."""
OWN_TIMES = ("user_s", "system_s")
"""Processor time of a process itself, and of a tier."""
DRIVER = "agent"

Means = TypeVar("Means")
"""A dataclass of figures, each of them None where it is not known."""


@dataclass(frozen=True, slots=True)
class Host:
    """The monitors' readings over the measured time, in seconds on the agent's clock."""

    recording: Recording
    start_s: float
    end_s: float
    _ends: dict[tuple[str, str], tuple[Reading, Reading] | None] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )
    """The readings nearest to both ends, of what was asked for."""

    def of_machine(self, readings: dict[tuple[str, str], list[Reading]]) -> Host:
        """Another machine in the same time, by its readings."""
        return replace(self, recording=replace(self.recording, readings=readings))

    @property
    def processors(self) -> int:
        """Processors of the host; 0 where the monitor did not run."""
        return sum(1 for subject in self.subjects("cpu") if subject)

    def subjects(self, monitor: str) -> list[str]:
        """What a monitor has readings about."""
        return [subject for name, subject in self.recording.readings if name == monitor]

    def per_s(self, monitor: str, counter: str, subject: str = "") -> float | None:
        """Growth of a counter a second; None where its readings do not span half of the measured time."""
        ends = self.ends(monitor, subject)
        if ends is None:
            return None
        first, last = ends
        if counter not in first.counters or counter not in last.counters:
            return None
        # The kernel's estimates of idle time may go back a little.
        return max(last.counters[counter] - first.counters[counter], 0.0) / (last.at_s - first.at_s)

    def ends(self, monitor: str, subject: str = "") -> tuple[Reading, Reading] | None:
        """Return the readings nearest to both ends; None if they do not span half of the measured time."""
        place = monitor, subject
        if place not in self._ends:
            self._ends[place] = self._found_ends(self.recording.readings.get(place))
        return self._ends[place]

    def _found_ends(self, readings: Sequence[Reading] | None) -> tuple[Reading, Reading] | None:
        if not readings:
            return None
        first, last = _nearest(readings, self.start_s), _nearest(readings, self.end_s)
        span_s = last.at_s - first.at_s
        if span_s < (self.end_s - self.start_s) / 2 or span_s <= 0:
            return None
        return first, last

    def mean_gauge(self, monitor: str, gauge: str, subject: str = "") -> float | None:
        """Mean of its readings within the measured time; None without any."""
        values = [
            reading.gauges[gauge]
            for reading in self.recording.readings.get((monitor, subject), [])
            if self.start_s <= reading.at_s <= self.end_s and gauge in reading.gauges
        ]
        return sum(values) / len(values) if values else None

    def drivers(self) -> list[str]:
        """Subjects of the monitor `process` that are load processes: the agent, and those beside it."""
        beside = self.recording.facts.get(FLEET_PROCESS_IDS)
        ids = {str(pid) for pid in beside} if isinstance(beside, list) else set()
        return [each for each in self.subjects("process") if each == DRIVER or each.partition(" ")[0] in ids]

    def spun_per_s(self) -> float | None:
        """Return the processors of this host that load processes kept busy with nothing but waiting.

        Load machines share the users evenly, and so they share the sum of this time. None if no thread spun.
        """
        spun_s, machines = (self.recording.facts.get(name) for name in (ENGINE_SPUN_S, FLEET_MACHINES))
        measure = self.recording.measure
        if not isinstance(spun_s, int | float) or not measure:
            return None
        shared_by = machines if isinstance(machines, int) else 1
        return spun_s / shared_by / (measure[-1].end_s - measure[0].start_s)

    def servers(self) -> list[tuple[str, str]]:
        """Monitor and subject of each server whose processes are on this host, each server once.

        A monitor that follows a server says the `process_id` of its first process.
        """
        found: dict[float, tuple[str, str]] = {}
        for place, readings in self.recording.readings.items():
            for reading in readings:
                if "process_id" in reading.gauges:
                    found.setdefault(reading.gauges["process_id"], place)
        return list(found.values())

    def followed(self) -> list[tuple[str, str]]:
        """Monitor and subject of all that works for the job: driver, processes of interest, local servers,
        tiers."""
        servers = self.servers()
        roots = {root for server in servers for root in self._roots_of(server)}
        # What a tier or a server is counted for is not counted twice.
        in_tiers = self._first_of_tiers()
        named = [name for name in self.subjects("process") if name.partition(" ")[0] not in roots | in_tiers]
        tiers = [("tier", name) for name in self.subjects("tier")]
        alone = [place for place in servers if not self._roots_of(place) & in_tiers]
        return [*(("process", name) for name in named), *alone, *tiers]

    def _roots_of(self, server: tuple[str, str]) -> set[str]:
        """Ids of the first processes of a server, which may have been restarted."""
        readings = self.recording.readings[server]
        ids = [reading.gauges.get("process_id") for reading in readings]
        return {f"{each:.0f}" for each in ids if each is not None}

    def _first_of_tiers(self) -> set[str]:
        """Ids of the processes of tiers that no other of the same tier had started."""
        facts = self.recording.facts
        lists = [facts.get(TIER_PROCESS_IDS.of(name)) for name in self.subjects("tier")]
        return {str(pid) for each in lists if isinstance(each, list) for pid in each}

    def sum_per_s(self, monitor: str, counters: Sequence[str], subjects: Iterable[str]) -> float | None:
        """Sum of `per_s` over counters and subjects, of those that are known; None if none is."""
        rates = [self.per_s(monitor, counter, subject) for subject in subjects for counter in counters]
        known = [rate for rate in rates if rate is not None]
        return sum(known) if known else None

    def processes(self) -> list[tuple[str, float]]:
        """Return foreign processes and how many processors each kept busy, the busiest first.

        The monitor looks at the start and at the end of MEASURE, and at times in between. Each look names the
        `MOST_PROCESSES` processes that used most since it was opened. A process that a look did not name had
        used nothing, or if the look named that many, at most as much as the least of them. A share is the
        least that may be: the time that a process used between its own last reading and its end is unknown,
        and so is the time of a process that was never named.
        """
        by_subject = {name: self.recording.readings["processes", name] for name in self.subjects("processes")}
        looks_s = sorted({reading.at_s for readings in by_subject.values() for reading in readings})
        if not looks_s:
            return []
        first_s, last_s = (
            min(looks_s, key=lambda at_s: abs(at_s - of_s)) for of_s in (self.start_s, self.end_s)
        )
        if last_s <= first_s:
            return []
        named = {
            subject: _used_s(reading)
            for subject, readings in by_subject.items()
            for reading in readings
            if subject and reading.at_s == first_s
        }
        unnamed_s = min(named.values()) if len(named) >= MOST_PROCESSES else 0.0
        busy = []
        for subject, readings in by_subject.items():
            later = [_used_s(each) for each in readings if first_s < each.at_s <= last_s]
            if subject and later:
                used_s = later[-1] - named.get(subject, unnamed_s)
                busy.append((subject, max(used_s / (last_s - first_s), 0.0)))
        return sorted(busy, key=lambda row: -row[1])

    def is_hidden(self, process: str) -> bool:
        """True if the agent was not permitted to look into a process: it may be the server's."""
        return any("hidden" in each.gauges for each in self.recording.readings["processes", process])

    def short_lived(self) -> list[tuple[str, float]]:
        """Short-lived processes of others by program and parent, and how many processors each program kept
        busy at least; empty where they were not watched.

        Counters begin at 0 when the monitor is opened, and each reading tells the programs whose sums are
        largest, and the sum over all. One that a reading does not tell had used no more than the least of
        those told, and no more than what these leave of the sum over all.
        """
        ends = self.ends("short_lived", "all")
        if ends is None:
            return []
        first, last = ends
        told = {
            subject: self.recording.readings["short_lived", subject]
            for subject in self.subjects("short_lived")
            if subject != "all"
        }
        before = {
            subject: _short_s(reading)
            for subject, readings in told.items()
            for reading in readings
            if reading.at_s == first.at_s
        }
        left_s = max(_short_s(first) - sum(before.values()), 0.0)
        untold_s = min([left_s, *before.values()])
        busy = []
        for subject, readings in told.items():
            until = [_short_s(each) for each in readings if first.at_s <= each.at_s <= last.at_s]
            used_s = max(until, default=0.0) - before.get(subject, untold_s)
            if used_s > 0:
                busy.append((f"- short-lived {subject}", used_s / (last.at_s - first.at_s)))
        return busy


def resources(host: Host) -> Resources:
    """All that the readings tell; None for what they do not."""
    processors = host.processors
    cpu = {name: host.per_s("cpu", name) or 0.0 for name in (*BUSY, *NOT_BUSY)}
    total = sum(cpu.values())
    driver = host.sum_per_s("process", OWN_TIMES, host.drivers())
    used = [host.sum_per_s(monitor, OWN, [name]) for monitor, name in host.followed()]
    followed = sum(busy for busy in used if busy is not None) if driver is not None else None

    def percent(*names: str) -> float | None:
        return 100 * sum(cpu[name] for name in names) / total if total else None

    def of_processors(busy: float | None) -> float | None:
        return 100 * busy / processors if busy is not None and processors else None

    def pressure(subject: str) -> float | None:
        share = host.per_s("pressure", "some_s", subject)
        return None if share is None else min(100 * share, 100.0)

    # A thread that spins has nothing else to do: other programs can use the processor.
    spun_percent = of_processors(host.spun_per_s() if driver is not None else None)

    def working(busy_percent: float | None) -> float | None:
        return None if busy_percent is None else max(busy_percent - (spun_percent or 0.0), 0.0)

    followed_percent = of_processors(followed)
    foreign_percent = None
    programs_percent = percent("user_s", "nice_s", "system_s")
    if programs_percent is not None and followed_percent is not None:
        # Interrupts are nobody's: most of them are the load's own.
        foreign_percent = max(programs_percent - followed_percent, 0.0)
    disks = host.subjects("disk")
    interfaces = [subject for subject in host.subjects("network") if subject != "lo"]
    return Resources(
        cpu_percent=working(percent(*BUSY)),
        cpu_user_percent=percent("user_s", "nice_s"),
        cpu_system_percent=percent("system_s", "irq_s", "softirq_s"),
        cpu_iowait_percent=percent("iowait_s"),
        cpu_steal_percent=percent("steal_s"),
        driver_cpu_percent=working(of_processors(driver)),
        spun_cpu_percent=spun_percent,
        foreign_cpu_percent=foreign_percent,
        memory_used_bytes=memory_used_bytes(host),
        disk_read_bytes_per_s=host.sum_per_s("disk", ["read_bytes"], disks),
        disk_written_bytes_per_s=host.sum_per_s("disk", ["written_bytes"], disks),
        disk_operations_per_s=host.sum_per_s("disk", ["reads", "writes"], disks),
        network_received_bytes_per_s=host.sum_per_s("network", ["received_bytes"], interfaces),
        network_sent_bytes_per_s=host.sum_per_s("network", ["sent_bytes"], interfaces),
        context_switches_per_s=host.per_s("cpu", "context_switches"),
        pressure_cpu_percent=pressure("cpu"),
        pressure_memory_percent=pressure("memory"),
        pressure_io_percent=pressure("io"),
    )


def per_transaction(used: Resources, processors: int, throughput_per_s: float) -> ResourcesPerTransaction:
    """Host resources divided by transactions; all None without transactions."""
    if throughput_per_s <= 0:
        return ResourcesPerTransaction()

    def each(per_s: float | None, factor: float = 1.0) -> float | None:
        return None if per_s is None else per_s * factor / throughput_per_s

    us_per_percent = processors / 100 * US_PER_S
    received, sent = used.network_received_bytes_per_s, used.network_sent_bytes_per_s
    return ResourcesPerTransaction(
        cpu_us=each(used.cpu_percent, us_per_percent),
        driver_cpu_us=each(used.driver_cpu_percent, us_per_percent),
        disk_read_bytes=each(used.disk_read_bytes_per_s),
        disk_written_bytes=each(used.disk_written_bytes_per_s),
        network_bytes=each(None if received is None or sent is None else received + sent),
        context_switches=each(used.context_switches_per_s),
    )


def mean_of(make: type[Means], parts: Sequence[Means]) -> Means:
    """Mean of each value over the parts that know it."""

    def mean(name: str) -> float | None:
        known = [value for part in parts if (value := getattr(part, name)) is not None]
        return sum(known) / len(known) if known else None

    return make(**{field.name: mean(field.name) for field in fields(make)})  # type: ignore[arg-type]


def _nearest(readings: Sequence[Reading], at_s: float) -> Reading:
    return min(readings, key=lambda reading: abs(reading.at_s - at_s))


def _used_s(reading: Reading) -> float:
    return reading.counters.get("user_s", 0.0) + reading.counters.get("system_s", 0.0)


def _short_s(reading: Reading) -> float:
    return reading.counters.get("used_s", 0.0)


def memory_used_bytes(host: Host) -> float | None:
    """Memory that programs cannot have without swapping; None where it was not read."""
    total_bytes, available_bytes = (
        host.mean_gauge("memory", f"{what}_bytes") for what in ("total", "available")
    )
    return None if total_bytes is None or available_bytes is None else total_bytes - available_bytes
