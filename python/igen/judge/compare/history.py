"""Runs of one workload over time: a series for each load of the same settings, and where it changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from igen.facts import WORKLOAD_VERSION
from igen.judge.compare.change import Change, change_points, least_runs, odd_runs, resemblance, segments
from igen.judge.compare.differences import differing
from igen.judge.compare.side_by_side import Confirmation, SideBySide, confirmation, side_by_sides
from igen.judge.curve.load import load_key, load_name
from igen.judge.figure.interval import log_welch
from igen.judge.record.settings import flat, settings_of, value_text
from igen.judge.result import Difference, Figure, Level, Quantity, System
from igen.judge.trust.finding import Finding, finding
from igen.judge.trust.rules.comparison import FALSE_CHANGES, RESEMBLANCE
from igen.judge.trust.usable import has_exact_times, usable, usable_times
from igen.loads import THROUGHPUT, Load

OF_ONE_STUDY = ("load_seed", "seed")
"""Settings that are others in each study."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPoint:
    """What one run did at the load of a series."""

    run: str
    system: str
    started_unix_s: float
    value: Figure
    """Throughput a second, or the mean response time in milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesChange:
    """The series has another level from this run on: suspected, until runs side by side confirm it."""

    run: str
    """The first one after the change."""
    before: str
    """The last one before it."""
    started_unix_s: float
    ratio: Figure
    """After over before, of the runs up to the changes next to it, in which odd runs count as the runs around
    them. The place was chosen where it is largest, so that it flatters."""
    p: float
    differences: list[Difference]
    """Facts and settings in which these two runs differ."""
    confirmation: Confirmation | None
    """What a later run says in which both sides of the change stood side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeries:
    """The runs of the same settings at one load, in the order of time."""

    title: str
    """What tells it from the others: `target sqlite:///shop.db, synchronous=full, 4 users`."""
    quantity: Quantity
    points: list[RunPoint]
    changes: list[SeriesChange]
    notes: list[Finding]
    """Findings that limit what the search for changes can show."""
    odd: list[Finding]
    """The runs that are far from the runs around them, which are not changes."""
    looked: bool
    """Whether it has runs enough for a change to be told from chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The runs of a workload on one machine."""

    workload: str
    host: str
    runs: int
    series: list[RunSeries]
    """Those with the most runs first."""
    false_alarms: float = FALSE_CHANGES.value
    """Share of histories without a change in which one is found: of all series together."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A point with what is known of its system, without its levels."""

    system: System
    level: Level
    name: str
    """The one of several loads at once that it is about; empty if there is one."""
    quantity: Quantity
    point: RunPoint

    @property
    def load(self) -> str:
        load = load_name(self.level, by_rate=self.system.load_model == "open")
        return f"{self.name} among {load}" if self.name else load


def history_of(systems: Iterable[System], workload: str, host: str) -> History:
    """The history that systems of this workload and host tell: those of a run in a row, runs in any order."""
    groups: dict[tuple[str, ...], list[_Kept]] = {}
    runs: set[str] = set()
    sides: list[SideBySide] = []
    for run, of_run in groupby(systems, key=lambda each: each.run):
        runs.add(run)
        together = [*of_run]
        sides += side_by_sides(together)
        for system in together:
            for key, kept in _kept(system):
                group = groups.setdefault(key, [])
                # Of a run in which a system stands beside itself one side is enough.
                if all(each.point.run != run for each in group):
                    group.append(kept)
    told = sum(len(group) >= least_runs(FALSE_CHANGES.value) for group in groups.values())
    alpha = FALSE_CHANGES.value / max(told, 1)
    titles = _titles([group[-1] for group in groups.values()])
    series = [
        _series(title, sorted(group, key=lambda each: each.point.started_unix_s), alpha, sides)
        for title, group in zip(titles, groups.values(), strict=True)
    ]
    ordered = sorted(series, key=lambda each: -len(each.points))
    return History(workload=workload, host=host, runs=len(runs), series=ordered)


def _settings(system: System) -> dict[str, str]:
    return {
        path: value_text(value) for path, value in settings_of(system.job).items() if path not in OF_ONE_STUDY
    } | {"load": system.load_model}


def _kept(system: System) -> Iterator[tuple[tuple[str, ...], _Kept]]:
    """Each load of the system, by the settings and the load that make a series."""
    bare = replace(system, levels=[], observations=[])
    settings = [f"{path}={value}" for path, value in sorted(_settings(system).items())]
    version = value_text(system.facts.get(WORKLOAD_VERSION))
    for level in system.levels:
        for name, part in level.each.items():
            quantity = Load.of(part.load or {system.load_model: {}}).decides
            value = _value(part, quantity)
            if value is None:
                continue
            point = RunPoint(
                run=system.run, system=system.name, started_unix_s=_started(level, system), value=value
            )
            load = f"{load_key(level)} {level.instances}"
            key = (*settings, version, load, name)
            yield key, _Kept(bare, replace(level, repeats=[]), name, quantity, point)


def _value(level: Level, quantity: Quantity) -> Figure | None:
    """What a load decides by; None where it may not be used."""
    if quantity == THROUGHPUT:
        return level.throughput_per_s if usable([level]) else None
    times = level.response_time_ms
    if times is None or not (usable_times([level]) and has_exact_times(level)):
        return None
    return times.mean_interval or Figure(value=times.mean, n=len(level.repeats))


def _started(level: Level, system: System) -> float:
    return min((run.started_unix_s for run in level.repeats), default=system.started_unix_s)


def _titles(groups: Sequence[_Kept]) -> list[str]:
    """What tells each from the others: settings that differ, and the load."""
    settings = [_settings(each.system) | dict(_of_job(each)) for each in groups]
    paths = [
        path
        for path in dict.fromkeys(path for each in settings for path in each)
        if any(each.get(path) != settings[0].get(path) for each in settings)
    ]
    return [
        ", ".join(
            [f"{path.rpartition('.')[2]}={of.get(path, 'unset')}" for path in paths if path != "load"]
            + [each.load]
        )
        for each, of in zip(groups, settings, strict=True)
    ]


def _of_job(each: _Kept) -> Iterator[tuple[str, str]]:
    yield "workload version", value_text(each.system.facts.get(WORKLOAD_VERSION))
    for path, value in flat({"params": each.system.params}):
        yield path, value_text(value)


def _series(title: str, group: Sequence[_Kept], alpha: float, sides: Sequence[SideBySide]) -> RunSeries:
    points = [each.point for each in group]
    values = [point.value.value for point in points]
    notes = []
    changes: list[Change] = []
    odd = odd_runs(values)
    settled = [odd.get(at, value) for at, value in enumerate(values)]
    least = least_runs(alpha)
    if len(values) < least:
        notes.append(finding("short-history", scope="comparison", limit=least, unit="runs", runs=len(values)))
    else:
        changes = change_points(values, alpha)
        alike = resemblance(settled, changes)
        if alike is not None and alike > RESEMBLANCE.value:
            notes.append(finding("runs-resemble", scope="comparison", correlation=alike))
    return RunSeries(
        title=title,
        quantity=group[0].quantity,
        points=points,
        changes=[*_told(group, settled, changes, sides)],
        notes=notes,
        odd=[
            finding("odd-run", scope="comparison", run=points[at].run, ratio=values[at] / around)
            for at, around in odd.items()
        ],
        looked=len(values) >= least,
    )


def _told(
    group: Sequence[_Kept],
    values: Sequence[float],
    changes: Sequence[Change],
    sides: Sequence[SideBySide],
) -> Iterator[SeriesChange]:
    parts = segments(values, changes)
    here = _without_target(group[0].system)
    of_here = [side for side in sides if _without_target(side.system) == here]
    for number, change in enumerate(changes):
        before, after = group[change.at - 1], group[change.at]
        ratio = log_welch(parts[number + 1], parts[number])
        differences = [*differing(before.system, after.system)]
        yield SeriesChange(
            run=after.point.run,
            before=before.point.run,
            started_unix_s=after.point.started_unix_s,
            ratio=ratio,
            p=change.p,
            differences=differences,
            confirmation=confirmation(
                of_here,
                differences,
                load_key(after.level),
                after.name,
                since_unix_s=after.point.started_unix_s,
                faster=(ratio.value > 1) == (after.quantity == THROUGHPUT),
            ),
        )


def _without_target(system: System) -> dict[str, str]:
    return {path: value for path, value in _settings(system).items() if path != "targets"}
