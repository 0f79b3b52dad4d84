"""Charts of `mem`: bandwidth and latency by size of the arrays, bandwidth by threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from igen.aspects.memory.kernels import MemoryKernel, best_of, kernels_at
from igen.aspects.memory.plateau import SizePoint, Sizes, sizes_of
from igen.document import Axis, ChartLine, Dot, Lines, Picture, Pictures, Scale, Section
from igen.judge.result import Figure, Result
from igen.layout.dots import LOG_X_FROM, MARKS
from igen.layout.number import significant
from igen.units import counted, format_bytes

SHOWN = ("read", "write", "copy", "triad")
"""The other kernels lie between these."""
Measured = tuple[float, SizePoint, MemoryKernel]


CAPTION = (
    "The best width of each kernel at each place. Bytes by STREAM's rule; dashed: non-temporal stores, which "
    "are not to be laid beside STREAM's figures. Bars: 95 % interval over repeats."
)


def memory_section(result: Result) -> Section | None:
    """Bandwidth and latency over size and threads; only of the workload `mem`."""
    found = memory_pictures(result)
    return Section("memory", "Memory", [Pictures(found, CAPTION)]) if found else None


def memory_pictures(result: Result) -> list[Picture]:
    """What the result has data for; nothing of other workloads."""
    curves = sizes_of(result.systems)
    pictures = []
    varied = [sizes for sizes in curves if len(sizes.points) > 1]
    for number, sizes in enumerate(varied, start=1):
        found = _by_kind([(float(point.array_bytes), point) for point in sizes.points])
        title = f"Bandwidth by size, GB/s: {_who(sizes)}"
        pictures.append(_bandwidth(f"memory-size-{number}", title, found, by_size=True))
    pictures += _latency(varied)
    for number, name in enumerate(dict.fromkeys(sizes.name for sizes in curves), start=1):
        loads = [sizes for sizes in curves if sizes.name == name]
        if len(loads) > 1:
            largest = [(float(sizes.users), sizes.points[-1]) for sizes in loads]
            size = format_bytes(largest[0][1].array_bytes)
            title = f"Bandwidth by threads, GB/s: {name}, arrays of {size}"
            pictures.append(_bandwidth(f"memory-threads-{number}", title, _by_kind(largest), by_size=False))
    return [picture for picture in pictures if picture is not None]


def _who(sizes: Sizes) -> str:
    return f"{sizes.name}, {counted(sizes.users, 'thread')}"


def _kernels(point: SizePoint) -> Mapping[str, MemoryKernel]:
    return kernels_at(point.system.levels[point.level])


def _by_kind(points: Sequence[tuple[float, SizePoint]]) -> dict[str, list[Measured]]:
    """The best of each kind along the axis."""
    found: dict[str, list[Measured]] = {}
    for x, point in sorted(points, key=lambda each: each[0]):
        for kind, kernel in best_of(_kernels(point)).items():
            if kernel.kernel in SHOWN and (kernel.stores or kernel.kernel == "read"):
                found.setdefault(kind, []).append((x, point, kernel))
    return found


def _bandwidth(
    name: str, title: str, found: Mapping[str, list[Measured]], *, by_size: bool
) -> Picture | None:
    series = [
        ChartLine(
            kind,
            SHOWN.index(measured[0][2].kernel),
            [
                _dot(x, point, kernel.bytes_per_s, kernel.runs, 1e9, f"{kind} ({kernel.width})", "GB/s")
                for x, point, kernel in measured
                if kernel.bytes_per_s
            ],
            "dashed" if measured[0][2].stores == "nt" else "solid",
        )
        for kind, measured in found.items()
    ]
    return _picture(name, title, series, by_size=by_size)


def _latency(varied: Sequence[Sizes]) -> list[Picture | None]:
    series: list[ChartLine] = []
    for sizes in varied:
        dots = [
            _dot(float(point.array_bytes), point, chase.access_ns, chase.runs, 1.0, "look-up", "ns")
            for point in sizes.points
            if (chase := _kernels(point).get("chase")) and chase.access_ns
        ]
        if len(dots) > 1:
            series.append(ChartLine(_who(sizes), len(series), dots))
    return [_picture("memory-latency", "Latency by size, ns a look-up", series, by_size=True)]


def _dot(
    x: float,
    point: SizePoint,
    estimate: Figure,
    runs: Sequence[float],
    unit: float,
    what: str,
    name: str,
) -> Dot:
    level = point.system.levels[point.level]
    value = estimate.value / unit
    from igen.judge.trust.rules.statistics import (
        LEAST_RUNS,  # late: it brings scipy, which text has no need of
    )

    # With fewer repeats the intervals of neighbours cover each other.
    ends = (estimate.low, estimate.high) if estimate.n >= LEAST_RUNS.value else (None, None)
    low, high = (None if end is None else end / unit for end in ends)
    verdict = level.trust.verdict
    tip = f"{what}, arrays of {format_bytes(point.array_bytes)}: {significant(value)} {name}\n{verdict}"
    return Dot(x, value, low, high, [run / unit for run in runs], MARKS[verdict], tip)


def _picture(name: str, title: str, series: Sequence[ChartLine], *, by_size: bool) -> Picture | None:
    values = [dot.y for each in series for dot in each.dots]
    if not values:
        return None
    loads = sorted({dot.x for each in series for dot in each.dots})
    across: Scale = "log" if by_size or loads[-1] / loads[0] > LOG_X_FROM else "linear"
    upward: Scale = "log" if max(values) > LOG_X_FROM / 2 * min(values) > 0 else "linear"
    x = Axis(
        "size of each array" if by_size else "threads", across, unit="bytes" if by_size else "", ticks=loads
    )
    ends = ", ".join(f"{each.label} {significant(each.dots[-1].y)}" for each in series if each.dots)
    return Picture(name, title, f"{title}. At the right end: {ends}.", Lines(x, Axis("", upward), series))
