"""Sentences about targets that should be alike and are not."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.group import Group
from igen.say.said import Said
from igen.units import format_number, format_rate, format_time_ms

MORE = {
    "target-does-less": "less",
    "target-does-more": "more",
    "target-answers-faster": "faster",
    "target-answers-slower": "slower",
}


def _rate(group: Group) -> Said:
    name, per_user = "throughput_per_s", ""
    if group.has("per_user_per_s"):
        name, per_user = "per_user_per_s", " for each user"
    rate, usual = (group.number(each, format_rate) for each in (name, f"usual_{name}"))
    return _uneven(group, "does", f"{rate}/s{per_user} against {usual}/s")


def _times(group: Group) -> Said:
    time, usual = (
        group.number(name, format_time_ms) for name in ("response_time_ms", "usual_response_time_ms")
    )
    return _uneven(group, "answers", f"{time} against {usual}")


def _uneven(group: Group, verb: str, figures: str) -> Said:
    found = group.findings[0]
    text = (
        f"{group.listed('target')} {verb} {MORE[found.rule]} than the other targets at "
        f"{group.listed('load')}: {figures}"
    )
    if others := found.figure("others"):
        targets = group.count("others", "other target")
        text += f"; {targets} {'differ' if others > 1 else 'differs'} as much"
    factor = f"{format_number(found.figure('factor'), 3)} × the median of the others"
    return Said(f"{text}.", f"{factor} {group.limit()}, 95 % intervals apart")


SENTENCES: dict[str, Callable[[Group], Said]] = {
    "target-does-less": _rate,
    "target-does-more": _rate,
    "target-answers-faster": _times,
    "target-answers-slower": _times,
}
