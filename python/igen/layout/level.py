"""Which levels a report shows, in which order and under which name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from igen.judge.curve.load import Loaded, instances_name, level_value, load_name, load_value
from igen.judge.curve.points import is_highest_tried
from igen.judge.result import Level, Point, Ratio, Result, System
from igen.judge.run.purpose import is_search
from igen.judge.trust.rules import GRAVITY
from igen.judge.trust.usable import has_throughput
from igen.layout.number import ABSENT, plain


@dataclass(frozen=True, slots=True)
class LoadAxis:
    """What is varied over the levels: users, or for an open load the offered rate; or the instances.

    Of several loads at once it is that of the one which is varied, or of a search the users of all.
    """

    by_rate: bool
    by_instances: bool = False
    several: bool = False
    """There are several loads at once."""
    varied: str = ""
    """The only one of them whose amount is varied."""

    @classmethod
    def of(cls, result: Result) -> LoadAxis:
        """Rate as soon as one system was under an open load, users otherwise."""
        return cls.over(result.systems)

    @classmethod
    def over(cls, systems: Sequence[System]) -> LoadAxis:
        """That of the levels of these systems."""
        levels = [level for system in systems for level in system.levels if level.loads]
        if not levels:
            return cls(any(system.load_model == "open" for system in systems))
        if any(is_search(system.levels) for system in systems):
            return cls(by_rate=False, several=True)
        loads: dict[str, set[tuple[float, bool]]] = {}
        for level in levels:
            for name, part in level.loads.items():
                loads.setdefault(name, set()).add((level_value(part), "open" in part.load))
        varied = [name for name, found in loads.items() if len(found) > 1]
        if len(varied) != 1:
            return cls(by_rate=False, several=True)
        by_rate = any(is_open for _, is_open in loads[varied[0]])
        return cls(by_rate=by_rate, several=True, varied=varied[0])

    @property
    def title(self) -> str:
        """Header of the column and title of the axis."""
        if self.by_instances:
            return "instances"
        if self.several and not self.varied:
            return "load"
        of = f" of {self.varied}" if self.varied else ""
        return f"offered per s{of}" if self.by_rate else f"users{of}"

    def value(self, at: Loaded) -> float:
        """Where `at` stands on the axis."""
        if self.by_instances and not isinstance(at, Ratio):
            return float(at.instances)
        if isinstance(at, Ratio) and at.load:
            return float(at.level)
        if isinstance(at, Level):
            at = at.each.get(self.varied, at)
        return load_value(at, by_rate=self.by_rate)

    def short(self, at: Loaded) -> str:
        """The value alone, for a column under `title`."""
        if self.several and not self.varied:
            return self.name(at)
        if isinstance(at, Level):
            at = at.each.get(self.varied, at)
        value = at.offered_per_s if self.by_rate else at.users
        return ABSENT if value is None else plain(value)

    def name(self, at: Loaded) -> str:
        """The load in a sentence: `4 users`."""
        if self.by_instances and not isinstance(at, Ratio):
            return instances_name(at)
        return load_name(at, by_rate=self.by_rate)


def level_name(system: System, level: Level, axis: LoadAxis) -> str:
    """The load of a level, with the number of its instances where that is what the system is about."""
    instances = f"{instances_name(level)}, " if system.scaling else ""
    return f"{instances}{axis.name(level)}"


def verdict_text(level: Level) -> str:
    """The verdict, and of throughput and times that have different ones the worse: `SUSPECT (times)`."""
    parts = {"throughput": level.trust.throughput, "times": level.trust.times}
    worse = max(parts, key=lambda name: GRAVITY.index(parts[name]))
    if len({*parts.values()}) == 1:
        return level.trust.verdict
    grave = "" if parts[worse] == level.trust.verdict else f" {parts[worse]}"
    return f"{level.trust.verdict} ({worse}{grave})"


def best_level(system: System) -> Level | None:
    """The peak, or of the levels that are not INVALID the one with the highest throughput."""
    peak = next((level for level in system.levels if system.peak and level.level == system.peak.level), None)
    valid = [level for level in system.levels if has_throughput(level) and level.throughput_per_s.value > 0]
    return peak or max(valid, key=lambda level: level.throughput_per_s.value, default=None)


@dataclass(frozen=True, slots=True)
class LevelRow:
    """One level of one system, with its ratio to the base where there is one."""

    system: System
    level: Level
    ratio: Ratio | None


def level_rows(result: Result) -> list[LevelRow]:
    """All levels by test and load; where systems are compared, the same load of each stands together.

    Curves along the number of targets come after those along the load.
    """
    axis = LoadAxis.of(result)
    ratios = {
        (ratio.system, axis.value(ratio)): ratio
        for ratio in result.ratios
        if ratio.decides and not ratio.load
    }
    rows = [
        LevelRow(system, level, ratios.get((system.name, axis.value(level))))
        for system in result.systems
        for level in system.levels
    ]
    tests = [*dict.fromkeys(system.test for system in result.systems)]
    return sorted(
        rows,
        key=lambda row: (tests.index(row.system.test), bool(row.system.scaling), axis.value(row.level)),
    )


def colour_places(result: Result) -> dict[str, int]:
    """The place of each system's colour, by its name: a system has the same one in every test."""
    kinds = [(system.test != "", system.system if system.test else system.name) for system in result.systems]
    distinct = [*dict.fromkeys(kinds)]
    return {system.name: distinct.index(kind) for system, kind in zip(result.systems, kinds, strict=True)}


def is_comparison(result: Result) -> bool:
    """Whether several systems stand side by side."""
    return len(result.systems) > 1


def points(system: System) -> list[tuple[str, Point]]:
    """The named points that were found, in the order in which they are read.

    The peak is named by what is known beyond it: a plateau, less throughput, or nothing. A load beyond which
    nobody has looked is not a sweet spot either.
    """
    peak, sweet_spot = system.peak, system.sweet_spot
    edge = is_highest_tried(system)
    if edge and peak and sweet_spot and sweet_spot.level == peak.level:
        sweet_spot = None
    levels_off = peak is not None and peak.levels_off
    named = (
        ("levels off" if levels_off else "highest load tried" if edge else "peak", peak),
        ("sweet spot", sweet_spot),
        ("knee", system.knee),
        ("within limit", system.within_limit),
    )
    return [(name, point) for name, point in named if point is not None]


def points_by_level(system: System) -> list[tuple[Point, list[str]]]:
    """The named points, those of one level together under the first of them."""
    found: dict[int, tuple[Point, list[str]]] = {}
    for name, point in points(system):
        found.setdefault(point.level, (point, []))[1].append(name)
    return list(found.values())


def shorten(name: str, most: int = 24) -> str:
    """A name short enough to stand beside a line."""
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"
