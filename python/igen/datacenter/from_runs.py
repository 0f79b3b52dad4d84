"""A plan from recorded runs: their curves as measured, and what nobody has told marked as unknown."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from igen.datacenter.source import UNKNOWN
from igen.facts import CPU_CORES, CPU_SOCKETS
from igen.judge.curve.laws.curve import CurveLevel, ScalingCurve
from igen.judge.figure.figure import Figure

ASKED = ("rack_units", "watts_max", "watts_idle", "price", "embodied_kg")
KNOWN = {"cores": CPU_CORES, "sockets": CPU_SOCKETS}
"""What facts of a run tell."""
HEAD = """\
# Numbers whose source is "unknown" are to be told: a value, or low, likely and high, with
# source = "vendor: …" or "guess". What needs one that stays unknown is left out of the answer;
# rack_units and the demand it cannot do without.
currency = "EUR"
"""
TAIL = """
[demand.peak_hour]
source = "guess"
{load}
response_time_limit = "{limit}"
growth_per_year = {{ low = "0%", likely = "10%", high = "30%" }}

[room]
source = "unknown"
racks = 0
kw_per_rack = 0
kw = 0
pue = 0
tariff_per_kwh = 0
co2_g_per_kwh = 0
"""


@dataclass(frozen=True, slots=True)
class RecordedCurve:
    """One system of a recorded run."""

    run: str
    curve: ScalingCurve
    facts: Mapping[str, object] = field(default_factory=dict)
    described: Mapping[str, object] = field(default_factory=dict)
    """What its study says of it, such as its watts and rack units."""


def plan_text(recorded: Sequence[RecordedCurve]) -> str:
    """The TOML file, an option for each system."""
    names = _names(recorded)
    parts = [f"title = {_text('What if these machines stood there?')}\n{HEAD}"]
    parts += [_system(name, each) for name, each in zip(names, recorded, strict=True)]
    first = recorded[0].curve
    thinking = f'users = {{ source = "{UNKNOWN}" }}\nthink_time = "{first.think_s:.6g}s"'
    asked = f'transactions_per_s = {{ source = "{UNKNOWN}" }}'
    limit_ms = 1e3 * max(level.response_s for level in first.levels)
    parts.append(TAIL.format(load=thinking if first.think_s else asked, limit=f"{limit_ms:.6g}ms"))
    parts += [f"\n[option.{name}]\nsystem = {_text(name)}\n" for name in names]
    return "".join(parts)


def _names(recorded: Sequence[RecordedCurve]) -> list[str]:
    found: list[str] = []
    for each in recorded:
        name = base = re.sub(r"[^A-Za-z0-9]+", "-", each.curve.name).strip("-").lower() or "system"
        number = 2
        while name in found:
            name, number = f"{base}-{number}", number + 1
        found.append(name)
    return found


def _system(name: str, each: RecordedCurve) -> str:
    run = f'source = "run:{each.run}"'
    lines = [f"\n[system.{name}]"]
    for key in ASKED:
        told = each.described.get("watts" if key == "watts_max" else key)
        if isinstance(told, int | float):
            lines.append(f"{key} = {{ value = {told:.10g}, {run} }}")
        else:
            lines.append(f'{key} = {{ source = "{UNKNOWN}" }}')
    for key, fact in KNOWN.items():
        if isinstance(told := each.facts.get(fact), int | float):
            lines.append(f"{key} = {{ value = {told:.10g}, {run} }}")
    lines += [f"\n[system.{name}.curve]", run, f"transaction = {_text(each.curve.transaction)}", "levels = ["]
    lines += [f"  {{ {_level(level)} }}," for level in each.curve.levels]
    return "\n".join([*lines, "]"]) + "\n"


def _level(level: CurveLevel) -> str:
    parts = [f"users = {level.users:.10g}", f"throughput_per_s = {level.throughput_per_s:.6g}"]
    if level.error:
        known = Figure.estimated(level.throughput_per_s, level.error, inf)
        parts += [f"throughput_low = {known.low:.6g}", f"throughput_high = {known.high:.6g}"]
    return ", ".join([*parts, f'response_time = "{1e3 * level.response_s:.6g}ms"'])


def _text(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)
