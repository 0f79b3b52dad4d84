"""What stands at the top of a report: what each system reached, and which figures cannot be used.

It is decided here and given as findings; `igen.say.headline` has the words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from igen.aspects.aspects import ASPECTS
from igen.judge.aspect import headline_of
from igen.judge.curve.observations import alike_loads
from igen.judge.curve.points import is_highest_tried
from igen.judge.result import Figure, Finding, Level, Part, Point, Result, System
from igen.judge.run.purpose import is_search
from igen.judge.trust.disturbance import Bound
from igen.judge.trust.finding import figure, finding, parts_of, reasons
from igen.judge.trust.usable import has_throughput, has_times
from igen.judge.trust.validity import is_overloaded, load_failures
from igen.layout.level import LoadAxis, best_level, level_name, verdict_text
from igen.loads import SEVERAL
from igen.report.aspects import speaking_for
from igen.report.curve_words import shape_of
from igen.report.pair import (
    common_load,
    headline_ratios,
    of_tests,
    over_all_loads,
    overall_statements,
    times_beside,
)
from igen.report.subject import are_many
from igen.say import footnotes, observe, say
from igen.say.pair import over_loads, pair_statement
from igen.text import Text

MOST_NAMED = 6
"""More INVALID levels than these are counted, not named."""


def headline(result: Result) -> list[Text]:
    """Return a sentence for each pair and each system; with tests one for all of them."""
    if of_tests(result):
        return overall_statements(result)
    axis = LoadAxis.of(result)
    if are_many(result):
        return _of_many(result.systems, axis)
    alone, common = len(result.systems) == 1, common_load(result)
    return [
        *map(over_loads, over_all_loads(result)),
        *(
            pair_statement(each, axis.name(each), times_beside(result, each))
            for each in headline_ratios(result)
        ),
        *(say(reached(system, axis, why=alone, common=common)) for system in result.systems),
    ]


def reached(system: System, axis: LoadAxis, *, why: bool = True, common: float | None = None) -> Finding:
    """Return what one system reached, how well that is known, where, and whether it can be believed.

    `why`: with the reasons of a level that is not VALID. `common`: the load at which systems are compared, if
    there is one; their own peaks lie at different loads.
    """
    of = [*parts_of({"system": system.name, "workload": system.workload}), *_tally(system)]
    if not system.levels:
        return finding("nothing-measured", *of)
    if all(level.trust.verdict == "INVALID" for level in system.levels):
        return finding("no-figure-usable", *of)
    if (of_aspect := headline_of(ASPECTS, system)) is not None:
        return finding("reached-by-aspect", *of, because=[of_aspect])
    if system.scaling:
        return finding("reached-together", *of, *_scaled(system))
    if system.load_model == SEVERAL:
        return _of_loads(system, of, axis, why=why)
    level = best_level(system) or max(filter(has_times, system.levels), key=axis.value, default=None)
    if level is None:
        return finding("none-succeeded", *of)
    if len(system.levels) == 1:
        return finding(
            "reached-alone", *of, *_figure(system, level, level, axis), because=_why(level, why=why)
        )
    if system.peak is not None and common is not None:
        (compared,) = (each for each in system.levels if axis.value(each) == common)
        figures = [*_figure(system, compared, compared, axis), *_believed(compared)]
        because = [*shape_of(system), *_why(compared, why=why)]
        return finding("reached-compared", *of, *figures, because=because)
    at: Level | Point = level
    rule, because = "reached-most", _no_peak(system)
    if system.peak is not None and system.peak.level == level.level:
        at, rule, because = system.peak, _rule_of_peak(system), [*alike_loads(system, system.peak)]
        of += _named_points(system)
    if not has_throughput(level):
        rule = "reached-times"
    within = _within(system)
    if system.peak is None and within is not None:
        rule, at, level, because = "reached-within-limit", within, within, []
        of += parts_of({"limit_ms": system.response_time_limit_ms or 0.0})
    elif system.load_model != "closed":
        at = level = _highest(system, axis)
        rule, because = "reached-held", []
        of = [part for part in of if part.name != "sweet_spot"]
        # A higher load may have been held, and its times be of no use.
        held = max(filter(has_throughput, system.levels), key=axis.value, default=level)
        if axis.value(held) > axis.value(level):
            rule, of = "reached-timed", [*of, Part(name="held", text=axis.name(held))]
    figures = [*_figure(system, level, at, axis), *_believed(level)]
    return finding(rule, *of, *figures, because=[*because, *_why(level, why=why)])


def _of_loads(system: System, of: list[Part], axis: LoadAxis, *, why: bool) -> Finding:
    """Return what several loads did at once: at the peak of a search, or at the highest load."""
    if (peak := system.peak) is None:
        usable = [level for level in system.levels if level.trust.verdict != "INVALID"]
        highest = max(usable, key=lambda level: (axis.value(level), level.level))
        because = [*_each_load(system, highest)]
        if is_search(system.levels):
            of += _believed(highest)
            because += [*_no_peak(system), *_why(highest, why=why)]
        return finding("reached-by-loads", *of, because=because)
    (at,) = (level for level in system.levels if level.level == peak.level)
    figures = [*_rate(system, at, peak, axis), *_named_points(system), *_believed(at)]
    because = [*alike_loads(system, peak), *_why(at, why=why), *_each_load(system, at)]
    return finding(_rule_of_peak(system), *of, *figures, because=because)


def _each_load(system: System, level: Level) -> Iterator[Finding]:
    """Yield what each of several loads did, as a system that is alone."""
    for name, part in level.loads.items():
        model = next(iter(part.load))
        axis = LoadAxis(by_rate=model == "open")
        parts = _figure(replace(system, load_model=model), part, part, axis)
        yield replace(finding("load-did", *parts), load=name)


def _tally(*systems: System) -> list[Part]:
    """Return how many levels have each verdict."""
    tally = Counter(level.trust.verdict for system in systems for level in system.levels)
    return [
        Part(name="levels", figure=tally[verdict], text=verdict)
        for verdict in ("VALID", "SUSPECT", "ONE RUN", "INVALID")
        if tally[verdict]
    ]


def _rule_of_peak(system: System) -> str:
    """Return the rule of the highest throughput, which is not a peak if no higher load was tried."""
    if system.peak is not None and system.peak.levels_off:
        return "reached-plateau"
    return "reached-most-tried" if is_highest_tried(system) else "reached-peak"


def _no_peak(system: System) -> list[Finding]:
    """Return why no peak is named."""
    why = system.unnamed.get("peak") if system.peak is None else None
    return [finding("peak-not-named", because=[why])] if why else []


def _named_points(system: System) -> list[Part]:
    """Return a doubt of the peak, and whether it is the sweet spot, as the start of a plateau always is."""
    if system.peak is None:
        return []
    found = [] if system.peak.confirmed else [Part(name="unconfirmed")]
    lowest = system.sweet_spot is not None and _rule_of_peak(system) == "reached-peak"
    return [*found, *([Part(name="sweet_spot")] if lowest else [])]


def _within(system: System) -> Level | None:
    """Return the highest load within the limit that the study sets."""
    found = system.within_limit
    if found is None or system.response_time_limit_ms is None:
        return None
    return next((level for level in system.levels if level.level == found.level), None)


def _highest(system: System, axis: LoadAxis) -> Level:
    held = [*filter(has_times, system.levels)] or [*filter(has_throughput, system.levels)]
    return max(held, key=axis.value)


def _scaled(system: System) -> list[Part]:
    """Return what the most instances of which something may be said did together."""
    by_number = {level.level: level for level in system.levels}
    measured = [(each, by_number[each.level]) for each in system.scaling]
    each, level = max(measured, key=lambda pair: (has_throughput(pair[1]), pair[1].instances))
    parts = [*_throughput(system, level, level), *parts_of({"instances": level.instances})]
    if level.instances > 1:
        parts.append(figure("efficiency", each.efficiency))
    if system.within_limit and system.response_time_limit_ms:
        within = system.within_limit.instances
        parts += parts_of({"limit_ms": system.response_time_limit_ms, "within_limit": within})
    return parts


def _figure(system: System, level: Level, at: Level | Point, axis: LoadAxis) -> list[Part]:
    """Return the throughput; of an open load, whose rate is given, the times."""
    if not has_times(level) or (system.load_model == "closed" and has_throughput(level)):
        return _rate(system, level, at, axis)
    times = level.response_time_ms
    assert times is not None
    mean = times.mean_interval or Figure(value=times.mean, n=level.throughput_per_s.n)
    return [
        Part(name="load", text=axis.name(at)),
        *parts_of({"mean_ms": times.mean, "p99_ms": times.p99, "runs": mean.n}),
        figure("mean_interval_ms", mean),
        *([figure("p99_interval_ms", times.p99_interval)] if times.p99_interval else []),
        *_machine(level.trust.disturbance.times),
    ]


def _rate(system: System, level: Level, at: Level | Point, axis: LoadAxis) -> list[Part]:
    return [Part(name="load", text=axis.name(at)), *_throughput(system, level, at)]


def _throughput(system: System, level: Level, at: Level | Point) -> list[Part]:
    rate = at.throughput_per_s
    return [
        figure("throughput_per_s", rate, system.transaction),
        *parts_of({"runs": rate.n}),
        *_machine(level.trust.disturbance.throughput),
    ]


def _machine(disturbed: Bound) -> list[Part]:
    return [Part(name="machine_percent", span=(disturbed.low_percent, disturbed.high_percent))]


def _believed(level: Level) -> list[Part]:
    """Return the verdict of the level that the figure is from, if it is not VALID."""
    if {level.trust.throughput, level.trust.times} == {"ONE RUN"}:
        return [Part(name="one_run")]
    return [] if level.trust.verdict == "VALID" else [Part(name="verdict", text=verdict_text(level))]


def _why(level: Level, *, why: bool) -> list[Finding]:
    return _reasons(level) if why else []


def _reasons(level: Level) -> list[Finding]:
    """Return the reasons of a level's verdict, but not that it has one run: its figure says so."""
    return [each for each in reasons(level.findings) if each.row.grade != "ONE RUN"]


def _of_many(systems: Sequence[System], axis: LoadAxis) -> list[Text]:
    """Return what aspects that stand for the throughput know of all systems, else the highest figure; and
    how far all of it can be believed."""
    found = [
        observe(each).text for aspect in speaking_for(*systems) for each in aspect.observe_together(systems)
    ]
    best = [(level.throughput_per_s.value, system) for system in systems if (level := best_level(system))]
    if not found and best:
        _, highest = max(best, key=lambda pair: pair[0])
        found = [say(finding("most-of-systems", because=[reached(highest, axis)]))]
    return [*found, say(finding("many-systems", *_tally(*systems), systems=len(systems)))]


def banner(result: Result, *, reasons: bool = True) -> list[Text]:
    """Return what must not be read over: levels without a usable figure, and with `reasons` why, once each.

    A load that is not served is a result, and not a fault, if the system serves another load.
    """
    axis = LoadAxis.of(result)
    levels = [(system, level) for system in result.systems for level in system.levels]
    found = [
        (system, level)
        for system, level in levels
        if level.trust.verdict == "INVALID" and not (is_overloaded(level) and _holds_another(system))
    ]
    failed = [(system, level) for system, level in levels if load_failures(level)]
    said = []
    if found and len(found) == len(levels):
        overloaded = {is_overloaded(level) for _, level in found}
        parts = [Part(name="overloaded" if each else "failed") for each in overloaded]
        said.append(say(finding("all-levels-invalid", *parts, levels=len(levels))))
    elif found:
        parts = _named(result, found, axis)
        said.append(say(finding("levels-invalid", *parts, invalid=len(found), levels=len(levels))))
    if failed:
        why = [each for _, level in failed for each in load_failures(level)]
        said.append(say(finding("load-failed", *_named(result, failed, axis), because=why)))
    return [*said, *(footnotes([_other_reasons(level) for _, level in found]).notes if reasons else ())]


def _holds_another(system: System) -> bool:
    return any(level.trust.verdict != "INVALID" for level in system.levels)


def _other_reasons(level: Level) -> list[Finding]:
    """Return the reasons of a level's verdict without failures of its load, which stand apart."""
    of_load = {each.rule for each in load_failures(level)}
    return [each for each in _reasons(level) if each.rule not in of_load]


def _named(result: Result, found: Sequence[tuple[System, Level]], axis: LoadAxis) -> list[Part]:
    """Return the first of these levels by their loads, each with its system if there are several, and how
    many more there are."""
    parts = []
    for system, level in found[:MOST_NAMED]:
        if len(result.systems) > 1:
            parts.append(Part(name="system", text=system.name))
        parts.append(Part(name="load", text=level_name(system, level, axis)))
    more = len(found) - MOST_NAMED
    return [*parts, *parts_of({"more": more} if more > 0 else {})]
