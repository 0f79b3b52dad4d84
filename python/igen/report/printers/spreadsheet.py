"""CSV for spreadsheets and scripts: unrounded numbers, units in the names, one header line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from igen.judge.result import Level, Resources, ResourcesPerTransaction, Result, System, Times

TIMES = ("mean", "p50", "p90", "p95", "p99", "p999", "max")
Record = dict[str, Any]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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


def _level(system: System, level: Level, rates: Iterable[str]) -> Record:
    rate = level.throughput_per_s
    per = level.resources_per_transaction
    return {
        **_identity(system, level),
        "throughput_per_s": rate.value,
        "throughput_low_per_s": rate.low,
        "throughput_high_per_s": rate.high,
        "repeats": rate.n,
        **_times("response", level.response_time_ms),
        **_times("service", level.service_time_ms),
        "transactions": level.transactions,
        "errors": level.errors,
        "unsent": level.unsent,
        "backlog": level.backlog,
        "verdict": level.verdict,
        "reasons": "; ".join(level.reasons),
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
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _csv(records: Iterable[Record]) -> str:
    text = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for record in records:
        if writer is None:
            writer = csv.DictWriter(text, list(record), lineterminator="\n")
            writer.writeheader()
        writer.writerow({name: _guarded(value) for name, value in record.items()})
    return text.getvalue()


def level_records(result: Result) -> list[Record]:
    """A record for each level of each system, all with the same names."""
    levels = [(system, level) for system in result.systems for level in system.levels]
    rates = dict.fromkeys(name for _, level in levels for name in level.rates)
    return [_level(system, level, rates) for system, level in levels]


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
