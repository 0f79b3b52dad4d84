"""Charts of `mem`: bandwidth and latency by size of the arrays, bandwidth by threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from igen.analysis.interval import LEAST_RUNS
from igen.analysis.memory_kinds import best_of
from igen.analysis.plateau import SizePoint, Sizes, sizes_of
from igen.analysis.result import Estimate, MemoryKernel, Result
from igen.report.charts.curve import Curve, CurvePoint, draw_panel
from igen.report.charts.panel import LOG_X_FROM, Panel
from igen.report.charts.render import Picture, draw
from igen.report.number import significant
from igen.report.palette import system_colour
from igen.units import format_bytes

SHOWN = ("read", "write", "copy", "triad")
"""The other kernels lie between these."""
NT_DASH = (5, 3)
ROOM = 1.08
LABEL_MARGIN = 110
Measured = tuple[float, SizePoint, MemoryKernel]


def memory_charts(result: Result) -> list[Picture]:
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
    return f"{sizes.name}, {sizes.users} thread{'s' if sizes.users > 1 else ''}"


def _kernels(point: SizePoint) -> Mapping[str, MemoryKernel]:
    return point.system.levels[point.level].memory


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
    curves = [
        Curve(
            kind,
            system_colour(SHOWN.index(measured[0][2].kernel)),
            [
                _point(x, point, kernel.bytes_per_s, 1e9, f"{kind} ({kernel.width})", "GB/s")
                for x, point, kernel in measured
                if kernel.bytes_per_s
            ],
            NT_DASH if measured[0][2].stores == "nt" else (),
        )
        for kind, measured in found.items()
    ]
    return _picture(name, title, curves, by_size=by_size)


def _latency(varied: Sequence[Sizes]) -> list[Picture | None]:
    curves: list[Curve] = []
    for sizes in varied:
        points = [
            _point(float(point.array_bytes), point, chase.access_ns, 1.0, "look-up", "ns")
            for point in sizes.points
            if (chase := _kernels(point).get("chase")) and chase.access_ns
        ]
        if len(points) > 1:
            curves.append(Curve(_who(sizes), system_colour(len(curves)), points))
    return [_picture("memory-latency", "Latency by size, ns a look-up", curves, by_size=True)]


def _point(x: float, point: SizePoint, estimate: Estimate, unit: float, what: str, name: str) -> CurvePoint:
    level = point.system.levels[point.level]
    value = estimate.value / unit
    # With fewer repeats the intervals of neighbours cover each other.
    ends = (estimate.low, estimate.high) if estimate.n >= LEAST_RUNS else (None, None)
    low, high = (None if end is None else end / unit for end in ends)
    tip = f"{what}, arrays of {format_bytes(point.array_bytes)}: {significant(value)} {name}\n{level.verdict}"
    return CurvePoint(x, value, low, high, level.verdict, tip)


def _picture(name: str, title: str, curves: Sequence[Curve], *, by_size: bool) -> Picture | None:
    values = [point.y for curve in curves for point in curve.points]
    if not values:
        return None
    logarithmic = max(values) > LOG_X_FROM / 2 * min(values)
    panel = Panel(
        title=title,
        x_title="size of each array" if by_size else "threads",
        loads=sorted({point.x for curve in curves for point in curve.points}),
        top=max(values) * (ROOM**3 if logarithmic else ROOM),
        bottom=min(values) / ROOM**2 if logarithmic else 0.0,
        right_margin=LABEL_MARGIN,
        bytes_x=by_size,
    )
    ends = ", ".join(f"{curve.label} {significant(curve.points[-1].y)}" for curve in curves if curve.points)
    return draw(name, f"{title}. At the right end: {ends}.", draw_panel(panel, curves))
