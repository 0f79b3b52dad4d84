"""The few figures that progress shows."""

from __future__ import annotations

from igen.judge.compare.decided import Look
from igen.judge.result import Finding, Level, Verdict
from igen.judge.trust.rules import GRAVITY
from igen.monitors.watch import READY_S
from igen.printed import printed
from igen.say import say
from igen.say.words import ratio_with_interval
from igen.study.order import Execution
from igen.units import format_count, format_rate, format_time_ms

MOST_NAMED = 3
"""Machines of a line."""


def worst_run(level: Level) -> Verdict:
    """Return the verdict of its worst run: a single run does not show how much runs differ."""
    verdicts = [run.trust.verdict for run in level.repeats if run.used]
    return max(verdicts, key=GRAVITY.index, default=level.trust.verdict)


def level_cells(level: Level) -> list[tuple[str, str]]:
    """Name and text of each figure."""
    rate = level.throughput_per_s
    interval = f" ({format_rate(rate.low)} to {format_rate(rate.high)})" if rate.low and rate.high else ""
    times = level.response_time_ms
    return [
        ("throughput", f"{format_rate(rate.value)}/s{interval}"),
        ("mean", format_time_ms(times.mean) if times else "-"),
        ("p99", format_time_ms(times.p99) if times else "-"),
        ("errors", format_count(level.errors)),
        ("verdict", worst_run(level)),
    ]


def execution_text(execution: Execution, result: Level | None) -> str:
    """Return the result of an execution: `users 4, repeat 2: 1,460/s, p99 6.6 ms, SUSPECT`."""
    purpose = "" if execution.purpose == "sweep" else f"{execution.purpose} "
    where = f"{purpose}{execution.level.label}, repeat {execution.repeat + 1}"
    if result is None:
        return f"{where}: nothing measured"
    times = result.response_time_ms
    verdict = worst_run(result)
    told = [
        f"{format_rate(result.throughput_per_s.value)}/s",
        *([f"p99 {format_time_ms(times.p99)}"] if times else []),
        *([f"{format_count(result.errors)} errors"] if result.errors else []),
        *([verdict] if verdict != "VALID" else []),
    ]
    return f"{where}: {', '.join(told)}"


def replaced_text(execution: Execution, why: Finding) -> str:
    """Return why another repeat may replace this execution."""
    where = f"{execution.level.label}, repeat {execution.repeat + 1}"
    what = "was not measured" if why.row.run == "not measured" else "was disturbed"
    return f"{where} {what}; it is repeated: {printed(say(why))}"


def look_text(execution: Execution, look: Look) -> str:
    """Return the ratio so far: `users 4: 1.021 × (0.990 to 1.053) after 6 pairs, undecided`."""
    load = ", ".join(f"{path.rpartition('.')[2]} {value}" for path, value in execution.level.values.items())
    pairs = f"after {look.ratio.n} pair{'' if look.ratio.n == 1 else 's'}"
    word = "decided" if look.decided else "undecided"
    return f"{load or 'ratio'}: {ratio_with_interval(look.ratio)} {pairs}, {word}"


def waiting_text(machines: list[str]) -> str:
    """Return the awaited machines: `waiting for readings from db1 and web1, up to 150 s`."""
    *others, last = machines if len(machines) <= MOST_NAMED else [
        *machines[:MOST_NAMED], f"{len(machines) - MOST_NAMED} more"
    ]  # fmt: skip
    names = f"{', '.join(others)} and {last}" if others else last
    return f"waiting for readings from {names}, up to {READY_S:g} s"
