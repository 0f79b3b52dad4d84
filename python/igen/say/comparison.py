"""Observations of two systems side by side, and notes on their comparison."""

from __future__ import annotations

from collections.abc import Callable

from igen.judge.result import Difference
from igen.say.change import THROUGHPUT, change, change_with_interval, words_of
from igen.say.group import Group
from igen.say.said import Said
from igen.say.words import because, could_have_seen, figure_of, joined, phrase, shared_error
from igen.text import Text
from igen.units import counted, format_number

EVIDENCE = ("tested", "order-of-pairs", "corrected", "session-noise-assumed")
"""Rules that tell what stands behind an answer."""
APART = ("apart-shorter", "apart-longer", "apart-unknown")
"""Rules of what keeps two systems from being equivalent."""


def difference_text(found: Difference) -> Text:
    """Return a difference: `A against B: parameter users: 4 against 2`."""
    pair = f"{found.system} against {found.base}: " if found.system else ""
    values = f"{found.of_system} against {found.of_base}"
    if found.kind == "work":
        return Text(f"{pair}no ratio of other work: {found.name} {values}")
    kind = "parameter " if found.kind == "parameter" else ""
    return Text(f"{pair}{kind}{found.name}: {values}")


def _names(group: Group) -> tuple[str, str]:
    """Return the system and its base."""
    return group.texts("system")[0], group.texts("base")[0]


def _margin(group: Group) -> str:
    return f"±{group.number('margin_percent', 'g')} %"


def _at(group: Group) -> str:
    """Return ` at 3 of 4 loads`; nothing if there is one load."""
    compared = group.number("loads_compared")
    return f" at {group.number('loads')} of {compared} loads" if compared != "1" else ""


def _range(group: Group) -> str:
    """Return `21.0 % faster at 1 user (97 % interval …)`; of several loads the smallest and the largest."""
    parts, words = group.parts("ratio"), words_of(group.texts("quantity")[0])
    changes = [f"{change(figure_of(part), words)} at {part.text}" for part in parts]
    if len(parts) == 1:
        return f"{changes[0]}{_interval(group)}"
    return " to ".join(changes)


def _interval(group: Group) -> str:
    interval = change_with_interval(figure_of(group.parts("ratio")[0]), words_of(group.texts("quantity")[0]))
    return f" ({interval})" if interval else ""


def _quantity(group: Group) -> str:
    quantity = group.texts("quantity")[0]
    return "" if quantity == THROUGHPUT else f"{quantity} "


def _answer(what: Callable[[Group], str]) -> Callable[[Group], Said]:
    def said(group: Group) -> Said:
        more = because(group, "could-have-seen", *APART)
        text = f"{what(group)}{_at(group)}: {_quantity(group)}{_range(group)}"
        if little := because(group, "within-margin"):
            text += f", {little}"
        return Said(f"{text}; {more}." if more else f"{text}.", because(group, *EVIDENCE))

    return said


def _times(word: str) -> Callable[[Group], Said]:
    def said(group: Group) -> Said:
        system, base = _names(group)
        who = f"The {group.texts('quantity')[0]} of {system} is {word} than that of {base}"
        return Said(f"{who}{_at(group)}: {_range(group)}.", because(group, *EVIDENCE))

    return said


def _overall(what: Callable[[Group], str]) -> Callable[[Group], Said]:
    def said(group: Group) -> Said:
        loads = group.count("loads", "load")
        size = change(figure_of(group.parts("ratio")[0]), words_of(group.texts("quantity")[0]))
        text = f"Over {loads} {what(group)}: {_quantity(group)}{size}{_interval(group)}"
        if apart := because(group, *APART):
            text += f"; {apart}"
        if seen := because(group, "could-have-seen"):
            text += f"; {seen}"
        test = f"{group.texts('test')[0]} over {group.count('repeats', 'repeat')} of all loads"
        return Said(f"{text}.", f"{test}; {because(group, *EVIDENCE)}")

    return said


def _seen(group: Group) -> str:
    visible = group.parts("visible_percent")
    return could_have_seen(visible[0].figure if visible else None)


def _holds_rate(group: Group) -> Said:
    holder, other = _names(group)
    loads = [part.text for part in group.parts("load")]
    compared = round(group.parts("loads_compared")[0].figure or 0)
    return Said(
        f"{holder} holds the offered rate at {joined(loads)}, {other} does not.",
        "arrivals served by every run of the one and by no run of the other at "
        f"{len(loads)} of {counted(compared, 'load')}",
    )


def _order(group: Group) -> str:
    text = f"{group.texts('system')[0]} first in {group.number('first')} of {group.count('pairs', 'pair')}"
    if not group.has("least_cost_percent"):
        return text
    least, most = (group.parts(f"{end}_cost_percent")[0].figure or 0.0 for end in ("least", "most"))
    return f"{text}, going first {_cost(least, most)}"


def _cost(least: float, most: float) -> str:
    if least < 0 < most:
        return f"gains up to {format_number(-least, 2)} % and costs up to {format_number(most, 2)} %"
    verb, ends = ("costs", (least, most)) if most > 0 else ("gains", (-most, -least))
    return f"{verb} {' to '.join(dict.fromkeys(format_number(end, 2) for end in ends))} %"


def _tested(group: Group) -> str:
    return f"{group.texts('test')[0]} at each load"


def _pair(group: Group) -> str:
    return " and ".join(_names(group))


def _equivalent_in(group: Group) -> str:
    return f"{group.texts('quantity')[0]} of {_pair(group)} is equivalent within {_margin(group)}"


def _apart(group: Group) -> str:
    """Return `p99 response time 2.20 × as long (97 % interval 1.90 to 2.50 ×)`."""
    ratio, quantity = figure_of(group.parts("ratio")[0]), group.texts("quantity")[0]
    words = words_of(quantity)
    doubt = change_with_interval(ratio, words) or "too few runs for an interval"
    if group.findings[0].rule == "apart-unknown":
        return f"{quantity} cannot be told apart ({doubt})"
    return f"{quantity} {change(ratio, words)} ({doubt})"


def _against(sentence: str) -> Callable[[Group], str]:
    def said(group: Group) -> str:
        return f"{' against '.join(_names(group))}: {sentence.format(group=group)}"

    return said


SENTENCES: dict[str, Callable[[Group], Said]] = {
    "faster": _answer(lambda group: " is faster than ".join(_names(group))),
    "slower": _answer(lambda group: " is slower than ".join(_names(group))),
    "equivalent": _answer(lambda group: f"{_pair(group)} are equivalent within {_margin(group)}"),
    "equivalent-in-part": _answer(lambda group: f"The {_equivalent_in(group)}"),
    "cannot-tell-apart": _answer(lambda group: f"{_pair(group)} cannot be told apart"),
    "times-shorter": _times("shorter"),
    "times-longer": _times("longer"),
    "faster-overall": _overall(lambda group: " is faster than ".join(_names(group))),
    "slower-overall": _overall(lambda group: " is slower than ".join(_names(group))),
    "equivalent-overall": _overall(lambda group: f"{_pair(group)} are equivalent within {_margin(group)}"),
    "equivalent-in-part-overall": _overall(lambda group: f"the {_equivalent_in(group)}"),
    "cannot-tell-overall": _overall(lambda group: f"{_pair(group)} cannot be told apart"),
    "holds-rate": _holds_rate,
}


def _other_workload(group: Group) -> str:
    system, base = group.texts("workload")
    return f"{' against '.join(_names(group))}: {system} and {base} are different workloads"


def _other_version(group: Group) -> str:
    versions = [part.text for part in group.parts("version")]
    return (
        f"{' against '.join(_names(group))}: versions {' and '.join(versions)} of "
        f"{group.texts('workload')[0]} are different workloads"
    )


def _carried(group: Group) -> str:
    return f"the intervals include {group.number('noise_percent', '.2g')} % of noise between sessions"


def _origin(group: Group) -> str:
    """Return who measured the noise of each machine."""
    return joined([phrase(each) for each in group.findings[0].because])


def _on(group: Group) -> str:
    return f" on {group.texts('machine')[0]}" if group.has("machine") else ""


def _would_show(group: Group) -> str:
    return f"{group.count('repeats', 'repeat')} would show {group.number('margin_percent', 'g')} %"


PHRASES: dict[str, Callable[[Group], str]] = {
    "nothing-in-common": _against("no load was run on both"),
    "other-workload": _other_workload,
    "other-version": _other_version,
    "loads-without-work": lambda group: (
        f"{' against '.join(_names(group))}: a run without a transaction has no ratio: left out is "
        f"{', '.join(group.texts('load'))}"
    ),
    "several-factors": lambda group: (
        f"{' against '.join(_names(group))}: {group.number('factors')} factors differ: no ratio can be put "
        "down to one of them"
    ),
    "measured-on-two-machines": lambda group: (
        f"the runs were measured on two machines: {_carried(group)} ({_origin(group)})"
    ),
    "measured-one-after-the-other": lambda group: (
        f"the runs were measured one after the other: {_carried(group)} ({_origin(group)}); `igen ab` "
        "measures both systems side by side"
    ),
    "noise-measured": lambda group: (
        f"measured by `igen noise` in {group.count('sessions', 'session')} of {group.texts('workload')[0]}"
        f"{_on(group)}"
    ),
    "noise-assumed": lambda group: f"assumed: `igen noise` was never run{_on(group)}",
    "noise-of-several-loads-assumed": lambda _: (
        "assumed: `igen noise` does not measure several loads at once"
    ),
    "tested": _tested,
    "order-of-pairs": _order,
    "corrected": lambda group: shared_error(round(group.parts("questions")[0].figure or 0)),
    **dict.fromkeys(APART, _apart),
    "session-noise-assumed": lambda group: (
        f"{group.number('noise_percent', '.2g')} % of noise between sessions assumed"
    ),
    "within-margin": lambda group: f"less than the {_margin(group)} that matter",
    "could-have-seen": lambda group: f"{_seen(group)}; {because(group)}",
    "disturbed-beyond-margin": lambda group: (
        f"the machine was disturbed by more than the {_margin(group)} that matter"
    ),
    "repeats-would-show": _would_show,
    "side-by-side-would-show": lambda group: (
        f"no number of repeats in one session shows {group.number('margin_percent', 'g')} %, `igen ab` would"
    ),
    "no-repeats-would-show": lambda group: (
        f"no number of repeats in one session shows {group.number('margin_percent', 'g')} %"
    ),
    "many-repeats-would-show": lambda group: (
        f"only more than {group.number('repeats')} repeats would show {group.number('margin_percent', 'g')} %"
    ),
}
