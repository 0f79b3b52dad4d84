"""CSV for spreadsheets and scripts: unrounded numbers, units in the names, one header line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from igen.judge.result import (
    Figure,
    Finding,
    Level,
    Ratio,
    Resources,
    ResourcesPerTransaction,
    Result,
    System,
    Times,
)
from igen.judge.trust.disturbance import Bound
from igen.judge.trust.finding import notes, reasons
from igen.judge.trust.validity import is_overloaded, load_failures
from igen.layout.level import level_rows
from igen.printed import printed
from igen.say import say
from igen.text import Text

TIMES = ("mean", "p50", "p90", "p95", "p99", "p999", "max")
Record = dict[str, Any]
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""The last four are the wide forms, which spreadsheets of East Asian languages take for the narrow ones."""


def _said(found: Iterable[Finding]) -> str:
    return printed(Text.of(*map(say, found), between="; "))


def _identity(system: System, level: Level) -> Record:
    return {
        "system": system.name,
        "level": level.level,
        "users": level.users,
        "instances": level.instances,
        "offered_per_s": level.offered_per_s,
    }


def _times(kind: str, times: Times | None) -> Record:
    return {f"{kind}_{name}_ms": getattr(times, name) if times else None for name in TIMES}


def _ends(name: str, estimate: Figure | None, unit: str) -> Record:
    return {
        f"{name}_low{unit}": estimate.low if estimate else None,
        f"{name}_high{unit}": estimate.high if estimate else None,
    }


def _machine(name: str, bound: Bound) -> Record:
    """The systematic error."""
    return {
        f"{name}_machine_low_percent": bound.low_percent,
        f"{name}_machine_high_percent": bound.high_percent,
    }


def _ratio(ratio: Ratio | None) -> Record:
    """To the base, in what the load decides by, with the figures that it divides (per second, or ms).

    Empty for the base itself.
    """
    shown = ratio.shown if ratio else None
    return {
        "base": ratio.base if ratio else None,
        "ratio_of": ratio.quantity if ratio else None,
        "ratio": shown.value if shown else None,
        "ratio_figure": ratio.figure if ratio and shown else None,
        "ratio_base_figure": ratio.base_figure if ratio and shown else None,
        **_ends("ratio", shown, ""),
        "answer": ratio.answer if ratio else None,
    }


def _level(system: System, level: Level, ratio: Ratio | None, rates: Iterable[str], compared: bool) -> Record:
    rate, times = level.throughput_per_s, level.response_time_ms
    per = level.resources_per_transaction
    return {
        **_identity(system, level),
        "throughput_per_s": rate.value,
        **_ends("throughput", rate, "_per_s"),
        **_machine("throughput", level.trust.disturbance.throughput),
        "repeats": rate.n,
        **(_ratio(ratio) if compared else {}),
        **_times("response", times),
        **_ends("response_mean", times.mean_interval if times else None, "_ms"),
        **_ends("response_p99", times.p99_interval if times else None, "_ms"),
        **_machine("times", level.trust.disturbance.times),
        **_times("service", level.service_time_ms),
        "transactions": level.transactions,
        "errors": level.errors,
        "unsent": level.unsent,
        "backlog": level.backlog,
        "verdict": level.trust.verdict,
        "throughput_verdict": level.trust.throughput,
        "times_verdict": level.trust.times,
        "rules": " ".join(each.rule for each in level.findings),
        "reasons": _said(reasons(level.findings)),
        "load_failures": _said(load_failures(level)),
        "overloaded": is_overloaded(level),
        "notes": _said(notes(level.findings)),
        **{name: level.rates[name].value if name in level.rates else None for name in rates},
        **{each.name: getattr(level.resources, each.name) for each in fields(Resources)},
        **{
            f"{each.name}_per_transaction": getattr(per, each.name)
            for each in fields(ResourcesPerTransaction)
        },
    }


def _timeline(system: System, level: Level) -> Iterable[Record]:
    for repeat in level.repeats:
        for interval in repeat.timeline:
            yield {
                **_identity(system, level),
                "repeat": repeat.repeat,
                "start_s": interval.start_s,
                "measured": int(interval.measured),
                "throughput_per_s": interval.throughput_per_s,
                "response_p50_ms": interval.response_p50_ms,
                "response_p99_ms": interval.response_p99_ms,
            }


def _guarded(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula: words that begin like one follow an apostrophe."""
    if not isinstance(value, str):
        return value
    # The writer leaves a carriage return bare, and a spreadsheet begins a new line behind it.
    text = value.replace("\r", " ")
    return f"'{text}" if value.startswith(_FORMULA) else text


def _csv(records: Iterable[Record]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, record in enumerate(records):
        if number == 0:
            writer.writerow(map(_guarded, record))
        writer.writerow(map(_guarded, record.values()))
    return text.getvalue()


def level_records(result: Result) -> list[Record]:
    """A record for each level of each system and for each of several loads, all with the same names."""
    levels = [(system, level) for system in result.systems for level in system.levels]
    rates = dict.fromkeys(name for _, level in levels for name in level.rates)
    ratios = {(row.system.name, row.level.level): row.ratio for row in level_rows(result)}
    compared, several = bool(result.ratios), any(level.loads for _, level in levels)
    records = []
    for system, level in levels:
        ratio = ratios.get((system.name, level.level))
        of_level = [("", level, ratio), *((name, part, None) for name, part in level.loads.items())]
        for name, part, of in of_level:
            of_load = {"persona": name} if several else {}
            records.append(of_load | _level(system, part, of, rates, compared))
    return records


def timeline_records(result: Result) -> list[Record]:
    """A record for each interval, warm-up included."""
    return [
        record for system in result.systems for level in system.levels for record in _timeline(system, level)
    ]


def levels_csv(result: Result) -> str:
    """A line for each level of each system."""
    return _csv(level_records(result))


def timeline_csv(result: Result) -> str:
    """A line for each interval, warm-up included."""
    return _csv(timeline_records(result))
