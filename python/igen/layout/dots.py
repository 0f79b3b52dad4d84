"""How levels are drawn as dots: marks, what is shown where one points, when an axis is logarithmic."""

from __future__ import annotations

from igen.document import Mark
from igen.judge.curve.load import side_name
from igen.judge.result import Level, System, Verdict
from igen.judge.trust.finding import reasons
from igen.layout.level import LoadAxis, verdict_text
from igen.layout.number import interval, significant, time_ms
from igen.say import say
from igen.text import Text

MARKS: dict[Verdict, Mark] = {
    "VALID": "filled",
    "SUSPECT": "diamond",
    "ONE RUN": "diamond",
    "INVALID": "hollow",
}
"""How a point with this verdict is drawn."""
LOG_X_FROM = 16.0
"""Loads that span more than this are drawn on a logarithmic axis."""


def tip(axis: LoadAxis, system: System, level: Level, load: str = "") -> Text:
    """What is shown where one points at a level: load, throughput, times, verdict with reasons."""
    part = level.each.get(load, level)
    rate = part.throughput_per_s
    spread = f" ({interval(rate)})" if rate.low is not None else ""
    lines = [
        f"{side_name(system.name, load)}, {axis.name(level)}",
        f"{significant(rate.value, 4)} {system.transaction}/s{spread}",
    ]
    times = part.response_time_ms
    if times is not None:
        lines.append(
            f"response mean {time_ms(times.mean)}, p50 {time_ms(times.p50)}, "
            f"p95 {time_ms(times.p95)}, p99 {time_ms(times.p99)}"
        )
    verdict = Text.of(verdict_text(level), *map(say, reasons(level.findings)), between="; ")
    return Text.of(*lines, verdict, between="\n")
