"""Whose processor time and whose memory: a row for each tier at each level, and what adds up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from igen.aspects.tier.parts import TierResult, Tiers, tiers_at
from igen.document import Column, Table
from igen.judge.result import Figure, Result
from igen.judge.trust.rules.machine import UNATTRIBUTED_PERCENT
from igen.layout.columns import load_columns
from igen.layout.level import LevelRow, level_rows
from igen.layout.number import ABSENT, column, interval, plain
from igen.units import format_time_ms

NOTES = (
    "Busy processors, CPU time and memory add up to those of all tiers. CPU % does not: it is of each tier's "
    "own processors, and percentages of different capacities do not average.",
    "driver: the load process with its monitors. unattributed: programs of no tier; above "
    f"{UNATTRIBUTED_PERCENT.value:g} % of the host the level is SUSPECT. Interrupts are nobody's: most of "
    "them are the load's own.",
)
OTHERS_NOTE = (
    "host: where the row's processors are. all tiers: those of all machines. monitor: what reading that "
    "machine used of it."
)
LOAD_MACHINE, ALL_TIERS = "load machine", "all tiers"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A row of the table."""

    at: LevelRow
    name: str
    host: str = ""
    """Name of another machine; empty for the load machine."""
    busy: float | None = None
    percent: float | None = None
    spread: Figure | None = None
    processors: float | None = None
    cost_ms: float | None = None
    memory_bytes: float | None = None
    throttled_percent: float | None = None
    source: str = ""


def tiers_table(result: Result) -> Table:
    """The tiers of all levels that have any; no columns where none has."""
    found = [(row, tiers) for row in level_rows(result) if (tiers := tiers_at(row.level)) is not None]
    lines = [line for row, tiers in found for line in _lines(row, tiers)]
    if not lines:
        return Table([])
    each = result.systems[0].transaction.removesuffix("s")

    def figures(
        title: str, values: Sequence[float | None], *, per: float = 1.0, decimals: int = 3, group: str = ""
    ) -> Column:
        scaled = [None if value is None else value / per for value in values]
        return Column(title, column(scaled, most_decimals=decimals), group=group)

    columns = [
        *load_columns(result, [line.at for line in lines]),
        Column("tier", [line.name for line in lines], "text", key=True),
        Column("host", _hosts(lines), "text"),
        figures("CPU %", [line.percent for line in lines], decimals=1),
        Column("95 % of CPU %", [interval(line.spread, digits=3) for line in lines]),
        Column("of processors", [ABSENT if line.processors is None else _count(line) for line in lines]),
        figures("busy processors", [line.busy for line in lines]),
        figures(f"CPU ms per {each}", [line.cost_ms for line in lines]),
        figures("throttled %", [line.throttled_percent for line in lines], decimals=1),
        figures("memory, MB", [line.memory_bytes for line in lines], per=1e6, decimals=1),
        Column("source", [line.source or ABSENT for line in lines], "text"),
    ]
    notes = [*NOTES, *_notes([tiers for _, tiers in found])]
    return Table([one for one in columns if any(cell != ABSENT for cell in one.cells)], notes)


def _hosts(lines: Sequence[_Line]) -> list[str]:
    """No column where all is on the load machine."""
    if not any(line.host for line in lines):
        return [ABSENT] * len(lines)
    return [ABSENT if line.name == ALL_TIERS else line.host or LOAD_MACHINE for line in lines]


def _notes(found: Sequence[Tiers]) -> Iterator[str]:
    """On other machines, where tiers run on some."""
    names = dict.fromkeys(host.name for tiers in found for host in tiers.hosts)
    if names:
        yield OTHERS_NOTE
    for name in names:
        errors = [host.clock_error_ms for tiers in found for host in tiers.hosts if host.name == name]
        known = [error for error in errors if error is not None]
        if known:
            yield f"Times of {name} are known on the load's clock to within {format_time_ms(max(known))}."
    if missing := dict.fromkeys(name for tiers in found for name in tiers.not_read):
        yield f"Nothing was read of {' and '.join(missing)}: no sum of all tiers stands there."


def _count(line: _Line) -> str:
    return ABSENT if line.processors is None else plain(line.processors)


def _lines(row: LevelRow, tiers: Tiers) -> list[_Line]:
    """Each tier, their sum, and what else the host did."""
    host = tiers.host_processors

    def of_host(name: str, percent: float | None, host: int = host, where: str = "") -> _Line:
        return _Line(
            at=row,
            name=name,
            host=where,
            percent=percent,
            processors=float(host) if host else None,
            busy=None if percent is None else percent * host / 100,
        )

    rest = [
        of_host("driver", tiers.driver_cpu_percent),
        of_host("interrupts", tiers.interrupts_cpu_percent),
        of_host("unattributed", tiers.unattributed_cpu_percent),
        of_host("host", tiers.host_cpu_percent),
    ]
    for other in tiers.hosts:
        rest += [
            of_host(name, percent, other.processors, other.name)
            for name, percent in (
                ("monitor", other.monitor_cpu_percent),
                ("interrupts", other.interrupts_cpu_percent),
                ("unattributed", other.unattributed_cpu_percent),
                ("host", other.cpu_percent),
            )
        ]
    all_tiers = _Line(
        at=row,
        name=ALL_TIERS,
        busy=tiers.busy_processors,
        cost_ms=tiers.cpu_ms_per_transaction,
        memory_bytes=tiers.memory_bytes,
    )
    return [
        *(_of_tier(row, tier) for tier in tiers.tiers),
        *([] if tiers.not_read else [all_tiers]),
        *(line for line in rest if line.percent is not None),
    ]


def _of_tier(row: LevelRow, tier: TierResult) -> _Line:
    cost = tier.cpu_ms_per_transaction
    return _Line(
        at=row,
        name=tier.name,
        host=tier.host,
        busy=tier.busy_processors.value,
        percent=tier.cpu_percent.value,
        spread=tier.cpu_percent,
        processors=tier.capacity_processors,
        cost_ms=cost.value if cost else None,
        memory_bytes=tier.memory_bytes,
        throttled_percent=tier.throttled_percent,
        source=tier.source,
    )
