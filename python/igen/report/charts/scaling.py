"""The scaling charts: throughput and response time over load or instances, all systems in one picture."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from igen.analysis.result import Estimate, Level, Result, System, Times
from igen.report.charts.curve import Curve, CurvePoint, Note, draw_panel, ideal_line, limit_line
from igen.report.charts.panel import Panel
from igen.report.charts.render import Picture, draw
from igen.report.charts.theme import MUTED, shorten
from igen.report.level import LoadAxis, colour_places
from igen.report.number import interval, significant, time_ms
from igen.report.palette import system_colour
from igen.report.sentence import points_by_level

LOG_Y_FROM = 12.0
"""Highest percentile over lowest mean from which on response times are drawn on a logarithmic axis."""


def _tip(axis: LoadAxis, system: System, level: Level) -> str:
    rate = level.throughput_per_s
    spread = f" ({interval(rate)})" if rate.low is not None else ""
    lines = [
        f"{system.name}, {axis.name(level)}",
        f"{significant(rate.value, 4)} {system.transaction}/s{spread}",
    ]
    times = level.response_time_ms
    if times is not None:
        lines.append(
            f"response mean {time_ms(times.mean)}, p50 {time_ms(times.p50)}, "
            f"p95 {time_ms(times.p95)}, p99 {time_ms(times.p99)}"
        )
    return "\n".join([*lines, "; ".join([level.verdict, *level.reasons])])


def _curve(
    axis: LoadAxis,
    system: System,
    of: Callable[[Level], tuple[float, Estimate | None] | None],
    *,
    label: str,
    index: int,
    dash: tuple[int, ...] = (),
) -> Curve:
    found = []
    for level in sorted(system.levels, key=axis.value):
        value = of(level)
        if value is not None:
            y, estimate = value
            low, high = (estimate.low, estimate.high) if estimate is not None else (None, None)
            tip = _tip(axis, system, level)
            found.append(CurvePoint(axis.value(level), y, low, high, level.verdict, tip))
    return Curve(label, system_colour(index), found, dash, main=not dash)


def _notes(axis: LoadAxis, system: System) -> list[Note]:
    """Names of points; those that share a level share a note. The peak's stands above the curve."""
    return [
        Note(axis.value(point), point.throughput_per_s.value, " · ".join(names), "peak" in names)
        for point, names in points_by_level(system)
    ]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The systems of one picture with the places of their colours."""

    axis: LoadAxis
    systems: list[tuple[int, System]]
    test: str

    @classmethod
    def of(cls, result: Result, *, along_targets: bool, test: str) -> _Chosen:
        places = colour_places(result)
        systems = [
            (places[system.name], system)
            for system in result.systems
            if bool(system.scaling) == along_targets and system.test == test
        ]
        return cls(replace(LoadAxis.of(result), by_instances=along_targets), systems, test)

    @property
    def compared(self) -> bool:
        return len(self.systems) > 1

    @property
    def loads(self) -> list[float]:
        return sorted({self.axis.value(level) for _, system in self.systems for level in system.levels})

    def named(self, name: str) -> str:
        """The name of a picture."""
        return "-".join(filter(None, (name, self.test, "instances" if self.axis.by_instances else "")))

    def titled(self, title: str) -> str:
        """The title of a picture."""
        return f"{self.test}: {title[0].lower()}{title[1:]}" if self.test else title

    def label(self, system: System) -> str:
        """The name of a system at the end of its curve; none where it is the only one."""
        return shorten(system.system if self.test else system.name) if self.compared else ""

    def description(self, noun: str) -> str:
        names = ", ".join(system.name for _, system in self.systems)
        return f"{noun} of {names} over {self.axis.title}; the figures are in the level table."


def _right_margin(curves: list[Curve]) -> int:
    return 20 + 10 * max((len(curve.label) for curve in curves), default=0)


def throughput_chart(result: Result, *, along_targets: bool = False, test: str = "") -> Picture | None:
    """Throughput over the load with intervals, named points and the ideal line; nothing without levels.

    `along_targets`: of the curves along the number of targets, over that number. `test`: of those in it.
    """
    chosen = _Chosen.of(result, along_targets=along_targets, test=test)
    axis, compared = chosen.axis, chosen.compared
    curves = [
        _curve(
            axis,
            system,
            lambda level: (level.throughput_per_s.value, level.throughput_per_s),
            label=chosen.label(system),
            index=index,
        )
        for index, system in chosen.systems
    ]
    drawn = [point for curve in curves for point in curve.points]
    if not drawn:
        return None
    panel = Panel(
        chosen.titled(f"Throughput, {result.systems[0].transaction} per s"),
        axis.title,
        chosen.loads,
        top=1.14 * max(point.high or point.y for point in drawn) or 1.0,
        right_margin=max(40, _right_margin(curves)),
    )
    notes = [note for _, system in chosen.systems for note in _notes(axis, system)]
    below = [
        layer
        for index, curve in enumerate([curve for curve in curves if curve.scales()])
        for layer in ideal_line(
            panel,
            curve.line()[0],
            curve.colour if compared else MUTED,
            by_rate=axis.by_rate,
            labelled=index == 0,
        )
    ]
    return draw(
        chosen.named("throughput"), chosen.description("Throughput"), draw_panel(panel, curves, notes, below)
    )


def _statistic(name: str) -> Callable[[Level], tuple[float, Estimate | None] | None]:
    def of(level: Level) -> tuple[float, Estimate | None] | None:
        times: Times | None = level.response_time_ms
        if times is None:
            return None
        return getattr(times, name), times.mean_interval if name == "mean" else None

    return of


def response_chart(result: Result, *, along_targets: bool = False, test: str = "") -> Picture | None:
    """Mean response time with its interval, high percentiles, and the limit; nothing if no level has times.

    `along_targets`: of the curves along the number of targets, over that number. `test`: of those in it.
    """
    chosen = _Chosen.of(result, along_targets=along_targets, test=test)
    axis, compared = chosen.axis, chosen.compared
    styles = {"mean": (), "p99": (6, 3)} if compared else {"mean": (), "p95": (6, 3), "p99": (2, 2)}
    curves = [
        _curve(
            axis,
            system,
            _statistic(name),
            label=f"{chosen.label(system)} {name}".strip(),
            index=index,
            dash=dash,
        )
        for index, system in chosen.systems
        for name, dash in styles.items()
    ]
    drawn = [point for curve in curves for point in curve.points]
    if not drawn:
        return None
    highest = max(point.high or point.y for point in drawn)
    lowest = min(point.y for point in drawn)
    logarithmic = lowest > 0 and highest / lowest > LOG_Y_FROM
    panel = Panel(
        chosen.titled("Response time, ms" + (" (log scale)" if logarithmic else "")),
        axis.title,
        chosen.loads,
        top=highest * (1.3 if logarithmic else 1.08),
        bottom=lowest / 1.3 if logarithmic else 0.0,
        right_margin=_right_margin(curves),
    )
    limits = {system.response_time_limit_ms for _, system in chosen.systems if system.response_time_limit_ms}
    below = [limit_line(panel, limit_ms) for limit_ms in limits if panel.bottom < limit_ms < panel.top]
    return draw(
        chosen.named("response-time"),
        chosen.description("Response time"),
        draw_panel(panel, curves, below=[layer for layers in below for layer in layers]),
    )
