"""What stands at the top of a report: the figure first, and its doubt in the same sentence."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.result import Figure, Finding, Part
from igen.judge.trust.disturbance import Bound
from igen.say.group import Group
from igen.say.words import because, doubt_text, efficiency_percent, estimate_text, half_width, phrase
from igen.units import counted, format_time_ms


def _who(group: Group) -> str:
    return f"{group.texts('system')[0]} ({group.texts('workload')[0]})"


def _validity(group: Group) -> str:
    """Return `4 levels: 2 VALID, 1 SUSPECT, 1 INVALID`."""
    tally = [(round(part.figure or 0), part.text) for part in group.parts("levels")]
    number = sum(count for count, _ in tally)
    if len(tally) == 1:
        return f"{counted(number, 'level')}, {'all ' if number > 1 else ''}{tally[0][1]}"
    return f"{counted(number, 'level')}: {', '.join(f'{count} {verdict}' for count, verdict in tally)}"


def _doubt(group: Group, part: Part) -> str:
    """Return `±1.2 %, machine 0 to +9.1 %`."""
    low, high = part.span or (None, None)
    runs = round(group.parts("runs")[0].figure or 0)
    machine_low, machine_high = group.parts("machine_percent")[0].span or (0.0, 0.0)
    disturbed = Bound(low_percent=machine_low, high_percent=machine_high or 0.0)
    return doubt_text(Figure(value=part.figure or 0.0, low=low, high=high, n=runs), disturbed)


def _rate(group: Group, where: str) -> str:
    """Return `9,714 transactions a second at 2 users, ±1.2 %`."""
    part = group.parts("throughput_per_s")[0]
    rate = estimate_text(Figure(value=part.figure or 0.0))
    return f"{rate} {part.text} a second {where}, {_doubt(group, part)}"


def _times(group: Group) -> str:
    """Return `5 ms at 20/s, ±1.2 % (p99 9 ms)`."""
    mean, p99 = (group.number(name, format_time_ms) for name in ("mean_ms", "p99_ms"))
    known = "".join(f" {half_width(part, 0)}" for part in group.parts("p99_interval_ms") if part.span)
    doubt = _doubt(group, group.parts("mean_interval_ms")[0])
    return f"{mean} at {group.texts('load')[0]}, {doubt} (p99 {p99}{known})"


def _figure(group: Group, times: str = "Mean response time ", rate: str = "") -> str:
    """Return the figure after the words for its kind."""
    if group.has("mean_ms"):
        return f"{times}{_times(group)}"
    where = f"at {group.texts('load')[0]}"
    return f"{rate}{_rate(group, where)}"


def _reason(group: Group) -> str:
    """Return the gravest reason of a verdict, and how many more there are."""
    found = [each for each in group.findings[0].because if each.row.grade != "VALID"]
    if not found:
        return ""
    more = f" and {counted(len(found) - 1, 'further reason')}" if len(found) > 1 else ""
    return f": {phrase(found[0])}{more}"


def _believed(group: Group) -> str:
    """Return the verdict of the level that the figure is from, if it is not VALID."""
    if group.has("one_run"):
        return " That level has one run."
    return f" That level is {group.texts('verdict')[0]}{_reason(group)}." if group.has("verdict") else ""


def _loads(group: Group) -> list[Finding]:
    """Return what each of several loads did."""
    return [each for each in group.findings[0].because if each.rule == "load-did"]


def _reached(role: Callable[[Group], str], of: Callable[[Group], str] = _figure) -> Callable[[Group], str]:
    """Return the sentence of a figure that has this role among those of its system."""

    def said(group: Group) -> str:
        spot = ", its sweet spot too" if group.has("sweet_spot") else ""
        alike = because(group, "alike-loads", "peak-not-named")
        text = f"{of(group)}: {role(group)}{spot}{f'; {alike}' if alike else ''}.{_believed(group)}"
        did = "; ".join(
            f"{each.load} {_figure(Group([each]), 'had a mean response time of ', 'did ')}"
            for each in _loads(group)
        )
        return f"{text}{f' There {did}.' if did else ''} {_validity(group)}."

    return said


def _by_loads(group: Group) -> str:
    figures = [f"{each.load}: {_figure(Group([each]), 'mean response time ')}" for each in _loads(group)]
    unnamed = because(group, "peak-not-named")
    text = f"{'; '.join(figures)}: {_who(group)}{f'; {unnamed}' if unnamed else ''}."
    return f"{text}{_believed(group)} {_validity(group)}."


def _plateau(group: Group) -> str:
    """Return `Levels off at 9,714 transactions a second from 2 users on, ±1.2 %`."""
    where = f"from {group.texts('load')[0]} on"
    return f"Levels off at {_rate(group, where)}"


def _compared(group: Group) -> str:
    """Return the figure of a system at the load of a comparison, and how its own curve goes."""
    shape = because(group, "levels-off", "highest-at", "still-grows")
    of_curve = f" {shape}" if shape else ""
    return f"{_figure(group)}: {_who(group)}.{_believed(group)}{of_curve} {_validity(group)}."


def _peak(group: Group) -> str:
    """Return the system, its loads, and a doubt of its peak."""
    proportions = " in these proportions" if _loads(group) else ""
    return f"{_who(group)}{proportions}{' (not confirmed)' if group.has('unconfirmed') else ''}"


def _most(group: Group) -> str:
    """Return which of many systems does the most, and what it reached."""
    (name,) = Group(group.because[0]).texts("system")
    return f"{name} does the most. {because(group)}"


def _together(group: Group) -> str:
    """Return what several instances did together."""
    text = _rate(group, f"with {group.count('instances', 'instance')}")
    if group.has("efficiency"):
        text += f", efficiency {efficiency_percent(group.parts('efficiency')[0])}"
    text += f": {_who(group)}"
    if group.has("within_limit"):
        limit, most = group.number("limit_ms", format_time_ms), group.count("within_limit", "instance")
        text += f"; mean response time below {limit} up to {most}"
    return f"{text}. {_validity(group)}."


def _all_invalid(group: Group) -> str:
    number = group.number("levels")
    whole = "the only level is" if number == "1" else f"all {number} levels are"
    why = " and overloaded" if not group.has("failed") else ""
    return f"Do not use these figures: {whole} INVALID{why}."


def _invalid(group: Group) -> str:
    of = f"{group.number('invalid')} of {group.count('levels', 'level')}"
    return f"Do not use the figures of {_named(group)}: INVALID ({of})."


def _named(group: Group) -> str:
    """Return `A at 2 users, 4 users; B at 8 users and 2 more`."""
    loads: dict[str, list[str]] = {}
    of = ""
    for part in group.findings[0].parts:
        if part.name == "system":
            of = f"{part.text} at "
        elif part.name == "load":
            loads.setdefault(of, []).append(part.text)
    levels = "; ".join(f"{of}{', '.join(names)}" for of, names in loads.items())
    return f"{levels} and {group.number('more')} more" if group.has("more") else levels


def _curve(verb: str, ending: str) -> Callable[[Group], str]:
    """Return the sentence of how a curve goes."""

    def said(group: Group) -> str:
        part, load = group.parts("throughput_per_s")[0], group.texts("load")[0]
        rate = estimate_text(Figure(value=part.figure or 0.0))
        text = f"{verb} {rate} {part.text}/s {ending.format(load=load)}"
        if group.has("fall_percent"):
            fall = group.parts("fall_percent")[0]
            return f"{text}; {fall.figure or 0.0:.0f} % less at {fall.text}."
        return f"{text}."

    return said


PHRASES: dict[str, Callable[[Group], str]] = {
    "levels-off": _curve("Levels off at", "from {load} on"),
    "highest-at": _curve("Peaks at", "with {load}"),
    "still-grows": _curve("Still grows:", "at the highest load tried, {load}"),
    "nothing-measured": lambda group: f"{_who(group)}: nothing was measured.",
    "no-figure-usable": lambda group: f"{_who(group)}: no figure can be used. {_validity(group)}.",
    "none-succeeded": lambda group: f"{_who(group)}: no transaction succeeded. {_validity(group)}.",
    "reached-by-aspect": lambda group: f"{because(group)}. {_validity(group)}.",
    "reached-together": _together,
    "reached-alone": lambda group: f"{_figure(group)}: {_who(group)}. {_validity(group)}{_reason(group)}.",
    "reached-compared": _compared,
    "reached-plateau": _reached(_peak, of=_plateau),
    "reached-peak": _reached(lambda group: f"the peak of {_peak(group)}"),
    "reached-most-tried": _reached(lambda group: f"the most of {_peak(group)}, at the highest load tried"),
    "reached-most": _reached(lambda group: f"the most of {_who(group)} at any load"),
    "reached-times": _reached(lambda group: f"{_who(group)}, whose throughput can be used at no load"),
    "reached-within-limit": _reached(
        lambda group: (
            f"the highest load of {_who(group)} with a mean response time below "
            f"{group.number('limit_ms', format_time_ms)}"
        )
    ),
    "reached-held": _reached(lambda group: f"the highest load that {_who(group)} held"),
    "reached-timed": _reached(
        lambda group: (
            f"the highest load of {_who(group)} whose times can be used; "
            f"{group.texts('held')[0]} was held too"
        )
    ),
    "reached-by-loads": _by_loads,
    "load-did": _figure,
    "peak-not-named": lambda group: f"no peak is named: {because(group)}",
    "most-of-systems": _most,
    "many-systems": lambda group: f"{group.number('systems')} systems, {_validity(group)}.",
    "all-levels-invalid": _all_invalid,
    "levels-invalid": _invalid,
    "load-failed": lambda group: f"The load itself failed at {_named(group)}: {because(group)}.",
}
