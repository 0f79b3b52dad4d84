"""The sentences at the top of a report: the figure first, and its doubt in the same sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from igen.aspects.aspects import ASPECTS
from igen.judge.aspect import headline_of
from igen.judge.curve.load import instances_name
from igen.judge.curve.observations import alike_loads
from igen.judge.curve.points import is_highest_tried
from igen.judge.result import Figure, Finding, Level, Point, Result, System
from igen.judge.run.purpose import is_search
from igen.judge.trust.disturbance import Bound
from igen.judge.trust.finding import figure, reasons
from igen.judge.trust.usable import has_throughput, has_times
from igen.judge.trust.validity import is_overloaded, load_failures
from igen.layout.level import (
    LoadAxis,
    best_level,
    level_name,
    verdict_text,
)
from igen.layout.number import half_width, significant, time_ms
from igen.loads import SEVERAL
from igen.report.aspects import speaking_for
from igen.report.pair import headline_ratios, overall_statements, times_beside
from igen.report.subject import are_many
from igen.say import footnotes, observe
from igen.say.pair import pair_statement
from igen.say.sentence import sentence
from igen.say.words import bound_text, efficiency_percent
from igen.text import Text
from igen.units import counted


def estimate_text(estimate: Figure) -> str:
    """`9,714`: four significant digits, as many as a benchmark on a quiet machine repeats."""
    return significant(estimate.value, 4)


def doubt_text(estimate: Figure, disturbed: Bound | None = None) -> str:
    """`±1.2 %, machine 0 to +9.1 %`: the interval, or why there is none, and the systematic error."""
    known = half_width(estimate) if estimate.low is not None else f"{counted(estimate.n, 'run')}, no interval"
    machine = bound_text(disturbed) if disturbed is not None else ""
    return f"{known}, machine {machine}" if machine else known


def validity(*systems: System) -> str:
    """`4 levels: 2 VALID, 1 SUSPECT, 1 INVALID`."""
    tally = Counter(level.verdict for system in systems for level in system.levels)
    levels = counted(tally.total(), "level")
    if len(tally) == 1:
        return f"{levels}, {'all ' if tally.total() > 1 else ''}{next(iter(tally))}"
    return f"{levels}: " + ", ".join(
        f"{tally[verdict]} {verdict}" for verdict in ("VALID", "SUSPECT", "INVALID") if tally[verdict]
    )


def headline(result: Result) -> list[str | Text]:
    """A sentence for each pair and each system; with tests one for all of them."""
    if result.overall:
        return [*overall_statements(result)]
    axis = LoadAxis.of(result)
    if are_many(result):
        return _of_many(result.systems, axis)
    statements: list[str | Text] = [
        pair_statement(ratio, axis.name(ratio), times_beside(result, ratio))
        for ratio in headline_ratios(result)
    ]
    alone = len(result.systems) == 1
    return statements + [system_statement(system, axis, why=alone) for system in result.systems]


def system_statement(system: System, axis: LoadAxis, *, why: bool = True) -> str:
    """What one system reached, how well that is known, where, and whether it can be believed.

    `why`: with the gravest reason of a level that is not VALID.
    """
    who = f"{system.name} ({system.workload})"
    if not system.levels:
        return f"{who}: nothing was measured."
    if all(level.verdict == "INVALID" for level in system.levels):
        return f"{who}: no figure can be used. {validity(system)}."
    if (of_aspect := headline_of(ASPECTS, system)) is not None:
        return f"{sentence([of_aspect])}. {validity(system)}."
    if system.scaling:
        return f"{_scaling(system)}. {validity(system)}."
    if system.load_model == SEVERAL:
        return f"{_together(system, who, axis, why=why)} {validity(system)}."
    level = best_level(system) or max(filter(has_times, system.levels), key=axis.value, default=None)
    if level is None:
        return f"{who}: no transaction succeeded. {validity(system)}."
    at = system.peak if system.peak is not None and system.peak.level == level.level else level
    if len(system.levels) == 1:
        return f"{_figure(system, level, level, axis)}: {who}. {validity(system)}{_reason(level, why=why)}."
    if at is system.peak:
        role, sweet_spot = _role_of_peak(system, who), f"{_sweet_spot(system, axis)}{_alike(system)}"
    else:
        role, sweet_spot = f"the most of {who} at any load", _no_peak(system)
    if not has_throughput(level):
        role = f"{who}, whose throughput can be used at no load"
    within = _within(system)
    if system.peak is None and within is not None:
        limit = time_ms(system.response_time_limit_ms)
        role = f"the highest load of {who} with a mean response time below {limit}"
        at = level = within
        sweet_spot = ""
    elif system.load_model != "closed":
        at = level = _highest(system, axis)
        role, sweet_spot = _role_of_highest(system, who, level, axis), ""
    text = f"{_figure(system, level, at, axis)}: {role}{sweet_spot}."
    return f"{text}{_believed(level, why=why)} {validity(system)}."


def _together(system: System, who: str, axis: LoadAxis, *, why: bool) -> str:
    """What several loads did at once: at the peak of a search, or at the highest load."""
    peak = system.peak
    if peak is None:
        usable = [level for level in system.levels if level.verdict != "INVALID"]
        highest = max(usable, key=lambda level: (axis.value(level), level.level))
        figures = (f"{name}: {_begun_small(_figure(*of_one))}" for name, of_one in _loads(system, highest))
        said = f"{'; '.join(figures)}: {who}"
        if not is_search(system.levels):
            return f"{said}."
        return f"{said}{_no_peak(system)}.{_believed(highest, why=why)}"
    (at,) = (level for level in system.levels if level.level == peak.level)
    rate, doubt = peak.throughput_per_s, doubt_text(peak.throughput_per_s, at.disturbance.throughput)
    figure = f"{estimate_text(rate)} {system.transaction} a second at {axis.name(peak)}, {doubt}"
    role = _role_of_peak(system, f"{who} in these proportions")
    role += f"{_sweet_spot(system, axis)}{_alike(system)}"
    did = "; ".join(f"{name} {_did(*of_one)}" for name, of_one in _loads(system, at))
    return f"{figure}: {role}.{_believed(at, why=why)} There {did}."


def _did(system: System, level: Level, at: Level | Point, axis: LoadAxis) -> str:
    """`did 98 transactions a second at 10 users`, `had a mean response time of 50 ms at 20/s`."""
    if _is_told_by_times(system, level):
        return f"had a mean response time of {_times(level, at, axis)}"
    return f"did {_rate(system, level, at, axis)}"


def _loads(system: System, level: Level) -> list[tuple[str, tuple[System, Level, Level, LoadAxis]]]:
    """Each by its name, as a system that is alone: what its figure is told from."""
    found = []
    for name, part in level.loads.items():
        model = next(iter(part.load))
        of_one = replace(system, load_model=model)
        found.append((name, (of_one, part, part, LoadAxis(by_rate=model == "open"))))
    return found


def _begun_small(figure: str) -> str:
    return f"{figure[0].lower()}{figure[1:]}"


def _within(system: System) -> Level | None:
    """The highest load within the limit that the study sets."""
    found = system.within_limit
    if found is None or system.response_time_limit_ms is None:
        return None
    return next((level for level in system.levels if level.level == found.level), None)


def _no_peak(system: System) -> str:
    """Why no peak is named."""
    why = system.unnamed.get("peak") if system.peak is None else None
    return f"; no peak is named: {sentence([why])}" if why else ""


def _highest(system: System, axis: LoadAxis) -> Level:
    held = [*filter(has_times, system.levels)] or [*filter(has_throughput, system.levels)]
    return max(held, key=axis.value)


def _role_of_highest(system: System, who: str, level: Level, axis: LoadAxis) -> str:
    """What the level is whose times are told: a higher one may have been held, and its times be of no use."""
    held = max(filter(has_throughput, system.levels), key=axis.value, default=level)
    if axis.value(held) <= axis.value(level):
        return f"the highest load that {who} held"
    return f"the highest load of {who} whose times can be used; {axis.name(held)} was held too"


def _figure(system: System, level: Level, at: Level | Point, axis: LoadAxis) -> str:
    """`9,714 transactions a second at 2 users, ±1.2 %`; of an open load, whose rate is given, times."""
    if _is_told_by_times(system, level):
        return f"Mean response time {_times(level, at, axis)}"
    return _rate(system, level, at, axis)


def _is_told_by_times(system: System, level: Level) -> bool:
    is_closed = system.load_model == "closed" and has_throughput(level)
    return has_times(level) and not is_closed


def _rate(system: System, level: Level, at: Level | Point, axis: LoadAxis) -> str:
    rate = at.throughput_per_s
    doubt = doubt_text(rate, level.disturbance.throughput)
    return f"{estimate_text(rate)} {system.transaction} a second at {axis.name(at)}, {doubt}"


def _times(level: Level, at: Level | Point, axis: LoadAxis) -> str:
    """`5 ms at 20/s, ±1.2 % (p99 9 ms)` of a level that has times."""
    times = level.response_time_ms
    assert times is not None
    interval = times.mean_interval or Figure(value=times.mean, n=level.throughput_per_s.n)
    tail = times.p99_interval
    known = f" {half_width(tail)}" if tail is not None and tail.low is not None else ""
    unstable = ", unstable" if times.p99_unstable else ""
    doubt = doubt_text(interval, level.disturbance.times)
    mean = f"{time_ms(times.mean)} at {axis.name(at)}"
    return f"{mean}, {doubt} (p99 {time_ms(times.p99)}{known}{unstable})"


def _believed(level: Level, *, why: bool) -> str:
    """Says that the level which the figure is from is not VALID, where it is not."""
    if level.verdict == "VALID":
        return ""
    return f" That level is {verdict_text(level)}{_reason(level, why=why)}."


def _reason(level: Level, *, why: bool) -> str:
    """The gravest reason of a verdict, and how many more there are."""
    found = reasons(level.findings)
    if not (why and found):
        return ""
    more = f" and {counted(len(found) - 1, 'further reason')}" if len(found) > 1 else ""
    return f": {sentence([found[0]])}{more}"


def _role_of_peak(system: System, who: str) -> str:
    """What its figure is: no peak where nobody has tried more."""
    doubt = _not_confirmed(system.peak)
    if is_highest_tried(system):
        return f"the most of {who}{doubt}, at the highest load tried"
    return f"the peak of {who}{doubt}"


def _not_confirmed(peak: Point | None) -> str:
    return "" if peak is None or peak.confirmed else " (not confirmed)"


def _alike(system: System) -> str:
    """Return the loads that do as much as the peak."""
    return (
        "".join(f"; {sentence([each])}" for each in alike_loads(system, system.peak)) if system.peak else ""
    )


def _sweet_spot(system: System, axis: LoadAxis) -> str:
    if system.sweet_spot is None or system.peak is None:
        return ""
    if system.sweet_spot.level != system.peak.level:
        return f"; its sweet spot is {axis.name(system.sweet_spot)}"
    return "" if is_highest_tried(system) else ", its sweet spot too"


def _scaling(system: System) -> str:
    """What the most instances of which something may be said did together."""
    by_number = {level.level: level for level in system.levels}
    measured = [(each, by_number[each.level]) for each in system.scaling]
    each, level = max(measured, key=lambda pair: (has_throughput(pair[1]), pair[1].instances))
    rate = f"{estimate_text(level.throughput_per_s)} {system.transaction} a second"
    doubt = doubt_text(level.throughput_per_s, level.disturbance.throughput)
    text = f"{rate} with {instances_name(level)}, {doubt}"
    if level.instances > 1:
        text += f", efficiency {efficiency_percent(figure('efficiency', each.efficiency))}"
    text += f": {system.name} ({system.workload})"
    if system.within_limit and system.response_time_limit_ms:
        limit = time_ms(system.response_time_limit_ms)
        text += f"; mean response time below {limit} up to {instances_name(system.within_limit)}"
    return text


def _of_many(systems: Sequence[System], axis: LoadAxis) -> list[str | Text]:
    """Return what aspects that stand for the throughput know of all systems, else the highest figure; and
    how far all of it can be believed."""
    found: list[str | Text] = [
        observe(each).text for aspect in speaking_for(*systems) for each in aspect.observe_together(systems)
    ]
    best = [(level.throughput_per_s.value, system) for system in systems if (level := best_level(system))]
    if not found and best:
        _, highest = max(best, key=lambda pair: pair[0])
        found = [f"The most: {system_statement(highest, axis)}"]
    return [*found, f"{len(systems)} systems, {validity(*systems)}."]


def banner(result: Result) -> list[str | Text]:
    """What must not be read over: levels of which no figure can be used, and why, equal reasons once.

    That a system does not serve all that it is offered is no such thing where it serves another load: what it
    holds is what was asked.
    """
    axis = LoadAxis.of(result)
    found = [
        (system, level)
        for system in result.systems
        for level in system.levels
        if level.verdict == "INVALID" and not (is_overloaded(level) and _holds_another(system))
    ]
    failed = _load_failed(result, axis)
    if not found:
        return [*failed]
    count = sum(len(system.levels) for system in result.systems)
    why_not = footnotes([_other_reasons(level) for _, level in found]).notes
    if len(found) == count:
        whole = f"all {count} levels are" if count > 1 else "the only level is"
        overloaded = {is_overloaded(level) for _, level in found}
        why = "disturbed beyond use or failed"
        if True in overloaded:
            why = "disturbed beyond use, failed or overloaded" if False in overloaded else "overloaded"
        return [f"INVALID: no figure can be used, {whole} {why}.", *failed, *why_not]
    several = len(result.systems) > 1
    shown = _named(found, axis, several=several)
    head = f"INVALID: no figure of {shown} can be used ({len(found)} of {counted(count, 'level')})."
    return [head, *failed, *why_not]


def _holds_another(system: System) -> bool:
    return any(level.verdict != "INVALID" for level in system.levels)


def _other_reasons(level: Level) -> list[Finding]:
    """Return the reasons of a level's verdict without failures of its load, which stand apart."""
    of_load = {each.rule for each in load_failures(level)}
    return [each for each in reasons(level.findings) if each.rule not in of_load]


def _load_failed(result: Result, axis: LoadAxis) -> list[Text]:
    """Where the load itself failed, whatever the machine did, and why."""
    found = [(system, level) for system in result.systems for level in system.levels if load_failures(level)]
    if not found:
        return []
    where = _named(found, axis, several=len(result.systems) > 1)
    why = Text.of(*footnotes([load_failures(level) for _, level in found]).notes, between="; ")
    return [Text.of(f"The load itself failed at {where}: ", why, ".")]


def _named(found: Sequence[tuple[System, Level]], axis: LoadAxis, *, several: bool) -> str:
    """Levels by their loads, of many the first ones and how many more; with their systems if `several`."""
    by_system: dict[str, list[str]] = {}
    for system, level in found[:MOST_NAMED]:
        of = f"{system.name} at " if several else ""
        by_system.setdefault(of, []).append(level_name(system, level, axis))
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    return "; ".join(of + ", ".join(names) for of, names in by_system.items()) + more


MOST_NAMED = 6
"""More INVALID levels than these are counted, not named."""
