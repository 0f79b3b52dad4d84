"""The curves over the load or over instances as charts: throughput and response time, all systems in one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from igen.document import Axis, ChartLine, Dash, Dot, Guide, Lines, Note, Picture, Scale
from igen.judge.curve.load import side_name
from igen.judge.result import Figure, Level, Repeat, Result, System, Times
from igen.judge.run.purpose import is_search
from igen.layout.dots import LOG_X_FROM, MARKS, tip
from igen.layout.level import LoadAxis, colour_places, points_by_level, shorten
from igen.layout.number import time_unit
from igen.layout.short_names import short_names

LOG_Y_FROM = 12.0
"""Highest percentile over lowest mean from which on response times are drawn on a logarithmic axis."""
MOST_SIGNS, LEAST_SIGNS = 20, 8
"""Signs of a name at the end of a line, for room on narrow pages; at least of a system beside a load."""

Statistic = Callable[[Level], tuple[float, Figure | None] | None]
RunFigure = Callable[[Repeat], float | None]


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The systems of one picture with the places of their colours.

    Each of several loads has a line of its own; in a search their sum, on which its points are, has one too.
    """

    axis: LoadAxis
    systems: list[tuple[int, System]]
    lines: list[tuple[int, System, str]]
    """A colour, a system, and the one of several loads at once that it is about, or none."""
    test: str
    short: dict[str, str]
    """Names of the systems at the ends of lines."""

    @classmethod
    def of(cls, result: Result, *, along_targets: bool, test: str) -> _Chosen:
        places = colour_places(result)
        systems = [
            (places[system.name], system)
            for system in result.systems
            if bool(system.scaling) == along_targets and system.test == test
        ]
        lines = [(place, system, "") for place, system in systems]
        if any(name for _, system in systems for name in _names(system)):
            of_each = [(system, name) for _, system in systems for name in _lines(system)]
            lines = [(place, *each) for place, each in enumerate(of_each)]
        return cls(
            replace(LoadAxis.of(result), by_instances=along_targets),
            systems,
            lines,
            test,
            short_names(result),
        )

    @property
    def compared(self) -> bool:
        return len(self.lines) > 1

    @property
    def loads(self) -> list[float]:
        return sorted({self.axis.value(level) for _, system in self.systems for level in system.levels})

    @property
    def x(self) -> Axis:
        loads = self.loads
        wide = loads[0] > 0 and loads[-1] / loads[0] > LOG_X_FROM
        title = "users of all" if any(_has_sum(system) for _, system in self.systems) else self.axis.title
        return Axis(title, "log" if wide else "linear", ticks=loads)

    def named(self, name: str) -> str:
        """The name of a picture."""
        return "-".join(filter(None, (name, self.test, "instances" if self.axis.by_instances else "")))

    def titled(self, title: str) -> str:
        """The title of a picture."""
        return f"{self.test}: {title[0].lower()}{title[1:]}" if self.test else title

    def label(self, system: System, load: str) -> str:
        """The name of a system at the end of its curve; none where it is the only one."""
        if not load and _has_sum(system):
            load = "all"
        if len(self.systems) == 1:
            return load
        room = max(MOST_SIGNS - len(side_name("", load)), LEAST_SIGNS)
        return side_name(shorten(system.system if self.test else self.short[system.name], room), load)

    def description(self, noun: str) -> str:
        names = ", ".join(system.name for _, system in self.systems)
        return f"{noun} of {names} over {self.axis.title}; the figures are in the level table."

    def series(
        self, line: tuple[int, System, str], of: Statistic, run: RunFigure, label: str, dash: Dash = "solid"
    ) -> ChartLine:
        """One line; a dashed one is without dots."""
        place, system, load = line
        dots = []
        for level in sorted(system.levels, key=self.axis.value):
            part = level.each.get(load, level)
            found = of(part)
            if found is None:
                continue
            value, estimate = found
            runs = [figure for each in part.repeats if each.used and (figure := run(each)) is not None]
            low, high = (estimate.low, estimate.high) if estimate is not None else (None, None)
            text = tip(self.axis, system, level, load)
            dots.append(Dot(self.axis.value(level), value, low, high, runs, MARKS[part.trust.verdict], text))
        return ChartLine(label, place, dots, dash, main=dash == "solid")


def _names(system: System) -> list[str]:
    return [*system.levels[0].loads] if system.levels else []


def _has_sum(system: System) -> bool:
    """Whether there is a curve of all loads together: only a search keeps their proportions."""
    return bool(_names(system)) and is_search(system.levels)


def _lines(system: System) -> list[str]:
    """The loads that have a line, after the sum of all of them, which has no name."""
    return ["", *_names(system)] if _has_sum(system) else _names(system) or [""]


def _notes(axis: LoadAxis, system: System, colour: int | None) -> list[Note]:
    """Names of points; those that share a level share a note."""
    return [
        Note(axis.value(point), point.throughput_per_s.value, " · ".join(names), colour)
        for point, names in points_by_level(system)
    ]


def throughput_picture(result: Result, *, along_targets: bool = False, test: str = "") -> Picture | None:
    """Throughput over the load with intervals, runs, named points and the ideal line; None below two loads.

    `along_targets`: of the curves along the number of targets, over that number. `test`: of those in it.
    """
    chosen = _Chosen.of(result, along_targets=along_targets, test=test)
    if len(chosen.loads) < 2:
        return None
    series = [
        chosen.series(
            line,
            lambda level: (level.throughput_per_s.value, level.throughput_per_s),
            lambda run: run.throughput_per_s,
            chosen.label(*line[1:]),
        )
        for line in chosen.lines
    ]
    chart = Lines(
        chosen.x,
        Axis(),
        series,
        [
            note
            for place, system, load in chosen.lines
            if not load
            for note in _notes(chosen.axis, system, place if chosen.compared else None)
        ],
        # What a load adds does not grow with the load of another.
        [] if chosen.axis.several else _ideal(series, by_rate=chosen.axis.by_rate, compared=chosen.compared),
    )
    what = " and ".join(dict.fromkeys(system.transaction for _, system in chosen.systems))
    title = chosen.titled(f"Throughput, {what} per s")
    return Picture(chosen.named("throughput"), title, chosen.description("Throughput"), chart)


def _ideal(series: list[ChartLine], *, by_rate: bool, compared: bool) -> list[Guide]:
    """Throughput that grows as the load does, from the lowest level on; for an open load the offered rate."""
    if by_rate:
        return [Guide("offered", slope=1.0)]
    starts = [
        (each.colour, dots[0])
        for each in series
        if len(dots := [dot for dot in each.dots if dot.mark != "hollow"]) > 1
        and dots[0].x > 0
        and dots[0].y > 0
    ]
    return [
        Guide("ideal" if number == 0 else "", dot.y / dot.x, colour=place if compared else None)
        for number, (place, dot) in enumerate(starts)
    ]


def rescaled(series: Sequence[ChartLine], factor: float) -> list[ChartLine]:
    """The series in another unit: `factor` times as many of it."""

    def moved(value: float | None) -> float | None:
        return None if value is None else factor * value

    return [
        replace(
            each,
            dots=[
                replace(
                    dot,
                    y=factor * dot.y,
                    low=moved(dot.low),
                    high=moved(dot.high),
                    runs=[factor * run for run in dot.runs],
                )
                for dot in each.dots
            ],
        )
        for each in series
    ]


def _statistic(name: str) -> Statistic:
    def of(level: Level) -> tuple[float, Figure | None] | None:
        times: Times | None = level.response_time_ms
        if times is None:
            return None
        return getattr(times, name), getattr(times, f"{name}_interval", None)

    return of


def _mean_of_run(run: Repeat) -> float | None:
    return run.response_time_ms.mean if run.response_time_ms else None


def response_picture(result: Result, *, along_targets: bool = False, test: str = "") -> Picture | None:
    """Mean response time with its interval and runs, high percentiles, and the limit; None below two loads.

    `along_targets`: of the curves along the number of targets, over that number. `test`: of those in it.
    """
    chosen = _Chosen.of(result, along_targets=along_targets, test=test)
    styles: dict[str, Dash] = {"mean": "solid", "p99": "dashed"}
    if not chosen.compared:
        styles = {"mean": "solid", "p95": "dashed", "p99": "dotted"}
    series = [
        chosen.series(line, _statistic(name), _mean_of_run, _label(chosen, line, name), dash)
        for line in chosen.lines
        # Transactions of different kinds have no mean in common.
        if line[2] or not _has_sum(line[1])
        for name, dash in styles.items()
    ]
    values = [dot.y for each in series for dot in each.dots]
    if len(chosen.loads) < 2 or not values:
        return None
    wide: Scale = "log" if min(values) > 0 and max(values) / min(values) > LOG_Y_FROM else "linear"
    limits = {system.response_time_limit_ms for _, system in chosen.systems if system.response_time_limit_ms}
    unit, per_ms = time_unit(values)
    guides = [Guide("limit", height=per_ms * each) for each in sorted(limits)]
    chart = Lines(chosen.x, Axis("", wide), rescaled(series, per_ms), guides=guides)
    title = chosen.titled(f"Response time, {unit}{': mean, and dashed the p99' if chosen.compared else ''}")
    return Picture(chosen.named("response-time"), title, chosen.description("Response time"), chart)


def _label(chosen: _Chosen, line: tuple[int, System, str], statistic: str) -> str:
    """The name of a line of times: of several systems that of the mean has the system's, in whose colour the
    other one is."""
    if not chosen.compared:
        return statistic
    return chosen.label(*line[1:]) if statistic == "mean" else statistic


def load_pictures(result: Result, *, along_targets: bool) -> list[Picture]:
    """Throughput and response time, a pair for each test."""
    tests = dict.fromkeys(system.test for system in result.systems if bool(system.scaling) == along_targets)
    found = (
        picture_of(result, along_targets=along_targets, test=test)
        for test in tests
        for picture_of in (throughput_picture, response_picture)
    )
    return [picture for picture in found if picture is not None]
