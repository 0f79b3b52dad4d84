"""What was published of a workload, as rows that runs of one's own can stand beside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from igen.aspects.density.parts import Density
from igen.aspects.power.parts import Merit
from igen.aspects.published.beside import APPLICATIONS, BANDWIDTHS, IO
from igen.aspects.published.contradictions import contradictions_of, operations_disagree
from igen.aspects.published.recomputed import recomputed
from igen.aspects.published.reference import PublishedChip, PublishedDevice, PublishedResults, PublishedTable
from igen.facts import CPU_CORES, CPU_SOCKETS
from igen.judge.curve.points import throughputs
from igen.judge.figure.figure import Figure
from igen.judge.figure.interval import log_welch
from igen.judge.result import Level, System, aspect
from igen.judge.trust.finding import Finding, finding
from igen.judge.trust.rules.published import GENEROUS
from igen.judge.trust.usable import usable
from igen.units import format_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One result of the landscape, published or of one's own."""

    name: str
    published: bool
    source: str
    """The reference set, or the run."""
    unit: str
    """What `per_s` is a rate of."""
    per_s: Figure | None = None
    users: int | None = None
    response_ms: float | None = None
    watts: float | None = None
    rack_units: float | None = None
    cores: int | None = None
    """All machines together have so many, as they have watts and rack units."""
    chips: int | None = None
    price: float | None = None
    """In the currency of the study."""

    @property
    def performance(self) -> float | None:
        """Users where they were counted by a limit or a publication, else the throughput."""
        return self.users if self.per_s is None or (self.published and self.users) else self.per_s.value

    def per(self, what: str) -> float | None:
        """Performance by `watts`, `rack_units`, `cores`, `chips` or `price`; None where it is not told."""
        amount, performance = getattr(self, what), self.performance
        return performance / amount if amount and performance is not None else None


def published_standings(workload: str, sets: Mapping[str, PublishedResults]) -> Iterator[Standing]:
    """All that the sets have of a workload."""
    for name, of in sets.items():
        for table in of.tables:
            if table.workload == workload:
                yield _table(table, name)
        for peak in of.peaks:
            if peak.workload == workload:
                yield _published(
                    peak.system, name, "tx/s", Figure(value=peak.per_s), response_ms=peak.response_ms
                )
        for each in of.servers:
            if each.workload == workload:
                yield Standing(
                    name=f"{each.product}, {each.servers} × {each.server}",
                    published=True,
                    source=name,
                    unit="",
                    users=each.users,
                    watts=each.watts,
                    rack_units=each.servers * each.rack_units,
                    cores=each.servers * each.cores,
                    chips=each.servers * each.chips,
                )
        yield from _of_a_kind(workload, name, of)


def _of_a_kind(workload: str, name: str, of: PublishedResults) -> Iterator[Standing]:
    """What sets have of one workload alone."""
    for app in of.applications if workload == APPLICATIONS else []:
        yield Standing(
            name=f"{app.product}, {format_count(app.users)} users",
            published=True,
            source=name,
            unit="tx/s",
            per_s=Figure(value=app.transactions_per_s) if app.transactions_per_s else None,
            users=app.users,
            response_ms=None if app.response_time_s is None else 1e3 * app.response_time_s,
            watts=app.watts,
            rack_units=app.rack_units,
        )
    for io in of.io if workload == IO else []:
        rate, unit = (io.io_per_s, "I/Os/s") if io.io_per_s else (io.bytes_per_s, "bytes/s")
        watts = next((each.watts for each in of.devices if each.product == io.product), None)
        yield _published(
            f"{io.product}: {io.load}", name, unit, Figure(value=rate) if rate else None, watts=watts
        )
    for memory in of.bandwidths if workload == BANDWIDTHS else []:
        yield _published(f"{memory.title}: read", name, "bytes/s", Figure(value=1e9 * memory.read_gb_per_s))


def _published(
    name: str,
    source: str,
    unit: str,
    per_s: Figure | None,
    *,
    response_ms: float | None = None,
    watts: float | None = None,
) -> Standing:
    return Standing(
        name=name,
        published=True,
        source=source,
        unit=unit,
        per_s=per_s,
        response_ms=response_ms,
        watts=watts,
    )


def _table(table: PublishedTable, source: str) -> Standing:
    """Its first line with a rate, and the mean time of the same operations."""
    first = next(row for row in table.rows if row.avg_per_second)
    times = [row.avg_duration_ms for row in table.rows if row.avg_duration_ms]
    return _published(
        table.title,
        source,
        f"{first.unit}/s",
        Figure(value=first.avg_per_second or 0.0),
        response_ms=times[0] if times else None,
    )


def own_standing(system: System) -> Standing | None:
    """The peak of a run, or its level with the highest throughput; None where nothing may be said of it."""
    level = own_level(system)
    if level is None:
        return None
    density, merit = aspect(system, Density), aspect(system, Merit)
    watts = density.watts.value if density and density.watts else merit.watts if merit else None
    cores, chips = (system.facts.get(fact) for fact in (CPU_CORES, CPU_SOCKETS))
    times = level.response_time_ms
    return Standing(
        name=system.name,
        published=False,
        source=system.run,
        unit=f"{'tx' if system.transaction == 'transactions' else system.transaction}/s",
        per_s=level.throughput_per_s,
        users=level.users,
        response_ms=times.mean if times else None,
        watts=watts,
        rack_units=density.rack_units if density else None,
        price=density.price if density else None,
        cores=cores if isinstance(cores, int) else None,
        chips=chips if isinstance(chips, int) else None,
    )


def own_level(system: System) -> Level | None:
    """The level that `own_standing` tells of."""
    good = usable(system.levels)
    best = max(good, key=lambda level: level.throughput_per_s.value, default=None)
    return next((each for each in good if system.peak and each.level == system.peak.level), best)


def ratio_to(system: System, other: Standing, others_level: Level | None = None) -> Figure | None:
    """The throughput of one's own over another; with an interval where that has runs too.

    None where the other one tells no rate, or one of something else.
    """
    mine, standing = own_level(system), own_standing(system)
    if mine is None or standing is None or other.per_s is None or not other.per_s.value:
        return None
    if others_level is not None:
        return log_welch(throughputs(mine), throughputs(others_level))
    if other.unit not in (standing.unit, "tx/s"):
        return None
    return mine.throughput_per_s / other.per_s.value


def landscape_contradictions(workload: str, sets: Mapping[str, PublishedResults]) -> Iterator[Finding]:
    """Yield findings about published figures that disagree with each other, or were cut and not rounded."""
    for of in sets.values():
        for table in of.tables:
            if table.workload == workload:
                for each in (*contradictions_of(table), *operations_disagree(table)):
                    yield finding("table-disagrees", table=table.title, because=[each])
        if workload == APPLICATIONS:
            yield from recomputed(of.applications, of.advantages)
        if workload == IO:
            yield from (each for device in of.devices for each in _device(device))
        if any(peak.workload == workload for peak in of.peaks):
            yield from (each for chip in of.chips for each in _chip(chip))


def _chip(chip: PublishedChip) -> Iterator[Finding]:
    exact = chip.watts / chip.threads
    if f"{exact:.0f}" != chip.watts_per_thread:
        yield finding(
            "watts-cut",
            chip=chip.name,
            watts=chip.watts,
            threads=chip.threads,
            computed=exact,
            published=chip.watts_per_thread,
        )


def _device(device: PublishedDevice) -> Iterator[Finding]:
    each_per_s = device.io_per_s / device.disks
    if each_per_s > GENEROUS.value * device.disk_io_per_s:
        yield finding(
            "disks-generous",
            product=device.product,
            ios_per_s=device.io_per_s,
            disks=device.disks,
            each_per_s=each_per_s,
            disk_per_s=device.disk_io_per_s,
        )
