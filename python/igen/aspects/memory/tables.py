"""Bandwidth and latency of memory: the best of each kernel, every kernel, the pointer chase."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, TypeVar

from igen.aspects.memory.kernels import MemoryKernel, best_of, kernels_at, kind_of
from igen.aspects.memory.plateau import Sizes, name_without_size, sizes_of
from igen.aspects.published.parts import published_beside
from igen.document import Column, Table
from igen.judge.result import Result
from igen.layout.number import ABSENT, column, half_width
from igen.units import counted, format_bytes

NOTE = (
    "GB/s: 10^9 bytes a second that the program reads and writes, by STREAM's rule; all users together. nt: "
    "non-temporal stores, not to be laid beside STREAM's figures."
)
ALLOCATED_NOTE = "moved: with the reads of memory that regular stores cause (write-allocate)."
PUBLISHED_KERNELS = ("read", "write", "copy")
Place = tuple[str, str]
"""Two header lines of a column: load, size of the arrays."""
Name = TypeVar("Name", bound=Hashable)
By = dict[Place, Mapping[str, MemoryKernel]]


def best_kernels_table(result: Result) -> Table:
    """A row for each kernel and kind of stores, a column for each load and size: the best width's bandwidth.

    No columns for other workloads, and where all kernels ran in one width and size alone.
    """
    found = _by_system(result)
    best = {name: {place: best_of(kernels) for place, kernels in by.items()} for name, by in found.items()}
    one_size = len({size for _, size in _names(found)}) == 1
    alone = all(
        len(best[name][place]) == len(_moving(by[place])) for name, by in found.items() for place in by
    )
    if one_size and alone:
        return Table([])
    rows = [(name, kind) for name, by in best.items() for kind in _names(by)]
    if not rows:
        return Table([])
    columns = _heads(rows, several=len(best) > 1, title="kernel")
    for place in _names(best):
        cells = [best[name].get(place, {}).get(kind) for name, kind in rows]
        columns.append(_bandwidth(cells, place))
        if one_size:
            widths = [kernel.width if kernel else ABSENT for kernel in cells]
            columns.append(Column("by", widths, "text", group=place[0]))
    return Table(columns, [NOTE])


def all_kernels_table(result: Result) -> Table:
    """A row for each kernel and width; only where the size of the arrays is not varied."""
    found = _by_system(result)
    places = _names(found)
    if len({size for _, size in places}) != 1:
        return Table([])
    rows = [
        (name, kernel) for name, by in found.items() for kernel in _names({p: _moving(by[p]) for p in by})
    ]
    if not rows:
        return Table([])
    columns = _heads(rows, several=len(found) > 1, title="pass")
    for place in places:
        cells = [found[name].get(place, {}).get(kernel) for name, kernel in rows]
        rates = [kernel.bytes_per_s if kernel else None for kernel in cells]
        moved = [kernel.bytes_per_s_with_allocation if kernel else None for kernel in cells]
        group = place[0]
        columns.append(_bandwidth(cells, place))
        columns.append(Column("95 %", [half_width(rate) if rate else ABSENT for rate in rates], group=group))
        giga = [rate.value / 1e9 if rate else None for rate in moved]
        columns.append(Column("moved", column(giga, digits=3), group=group))
    return Table(columns, [NOTE, ALLOCATED_NOTE])


def latency_table(result: Result) -> Table:
    """Nanoseconds of a look-up that waits for the one before; no columns without a chase."""
    found = {
        name: {place: chase for place, kernels in by.items() if (chase := kernels.get("chase"))}
        for name, by in _by_system(result).items()
    }
    rows = [(name, "look-up, ns") for name, by in found.items() if by]
    if not rows:
        return Table([])
    columns = _heads(rows, several=len(found) > 1, title="latency")
    places = _names(found)
    varied = len({size for _, size in places}) > 1
    for place in places:
        times = [chase.access_ns if (chase := found[name].get(place)) else None for name, _ in rows]
        cells = column([time.value if time else None for time in times], digits=3)
        columns.append(Column(place[1], cells, group=place[0]) if varied else Column(place[0], cells))
    return Table(columns)


def published_bandwidths_table(result: Result) -> Table:
    """Published figures beside the best of this machine, with as many users or the most there are."""
    rows = []
    for system in result.systems:
        measured = [sizes for sizes in sizes_of([system]) if sizes.points]
        for published in published_beside(system).bandwidths if measured else []:
            sizes = min(measured, key=lambda each: abs(each.users - published.users))
            best = best_of(kernels_at(system.levels[sizes.points[-1].level]))
            rows += [
                (system, sizes, published, kernel, _fastest(best, kernel)) for kernel in PUBLISHED_KERNELS
            ]
    if not rows:
        return Table([])
    # The figures of memory, not of caches.
    largest = max(row[1].points[-1].array_bytes for row in rows)
    rows = [row for row in rows if row[1].points[-1].array_bytes == largest]
    theirs = [float(getattr(published, f"{kernel}_gb_per_s")) for _, _, published, kernel, _ in rows]
    ours = [best[1] if best else None for *_, best in rows]
    ratios = [None if here is None else here / there for here, there in zip(ours, theirs, strict=True)]
    heads = [("published", [row[2].title for row in rows]), ("kernel", [row[3] for row in rows])]
    if len({row[0].name for row in rows}) > 1:
        heads.insert(0, ("system", [name_without_size(row[0].name) for row in rows]))
    return Table(
        [
            *(Column(title, cells, "text") for title, cells in heads),
            Column("GB/s", column(theirs, digits=2)),
            Column("here", [_load(row[1]) for row in rows], "text"),
            Column("GB/s", column(ours, digits=3)),
            Column("by", [row[4][0] if row[4] else ABSENT for row in rows], "text"),
            Column("ratio", column(ratios, digits=2)),
        ]
    )


def _fastest(best: Mapping[str, MemoryKernel], kernel: str) -> tuple[str, float] | None:
    """Kind of stores and width, and GB/s, of the best way to run a kernel."""
    found = [each for each in best.values() if each.kernel == kernel and each.bytes_per_s]
    rates = {
        f"{each.width} {each.stores}".rstrip(): each.bytes_per_s.value for each in found if each.bytes_per_s
    }
    if not rates:
        return None
    name = max(rates, key=lambda name: rates[name])
    return name, rates[name] / 1e9


def _by_system(result: Result) -> dict[str, By]:
    """What every kernel did by system (but for its size), load and size."""
    found: dict[str, By] = {}
    for sizes in sizes_of(result.systems):
        for point in sizes.points:
            kernels = kernels_at(point.system.levels[point.level])
            found.setdefault(sizes.name, {})[_load(sizes), format_bytes(point.array_bytes)] = kernels
    return found


def _load(sizes: Sizes) -> str:
    return counted(sizes.users, "user")


def _names(tables: Mapping[Any, Mapping[Name, Any]]) -> list[Name]:
    """The names that occur in any of the tables, in their order."""
    return list(dict.fromkeys(name for table in tables.values() for name in table))


def _moving(kernels: Mapping[str, MemoryKernel]) -> dict[str, MemoryKernel]:
    """Without a chase; in the order in which kinds are read."""
    order = list(best_of(kernels))
    moving = {name: kernel for name, kernel in kernels.items() if kernel.bytes_per_s}
    return dict(sorted(moving.items(), key=lambda item: order.index(kind_of(item[1]))))


def _heads(rows: list[tuple[str, str]], *, several: bool, title: str) -> list[Column]:
    heads = [Column("system", [name for name, _ in rows], "text")] if several else []
    return [*heads, Column(title, [kernel for _, kernel in rows], "text")]


def _bandwidth(cells: list[MemoryKernel | None], place: Place) -> Column:
    """`GB/s` under the load; the size where that is what varies."""
    rates = [kernel.bytes_per_s if kernel else None for kernel in cells]
    values = column([rate.value / 1e9 if rate else None for rate in rates], digits=3)
    return Column(f"GB/s, {place[1]}", values, group=place[0])
