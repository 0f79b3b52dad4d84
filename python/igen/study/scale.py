"""A smaller study: sizes and times multiplied by a factor."""

from __future__ import annotations

import copy
import math
from typing import Any

import msgspec

from igen.errors import InputError
from igen.study.study import Study
from igen.units import parse_bytes, parse_time_s

MIB = 1 << 20


def scaled(study: Study, factor: float) -> Study:
    """The study with `factor` of each value that it says can be scaled, in the job, its systems and tests.

    No value becomes less than the least that the study names, and none that is less already is changed.
    Sizes are whole MiB. Raises `InputError` for a factor that is no positive number, or where nothing can be
    scaled.
    """
    if not (math.isfinite(factor) and factor > 0):
        raise InputError(
            f"`{factor:g}` is not a factor above 0", where="--scale", hint="such as --scale 0.02"
        )
    if not study.scale:
        raise InputError(
            "the study has no [scale] table",
            where="--scale",
            hint='add it: [scale] with "phases.measure_s" = "5s", the least value',
        )
    job, *others = (copy.deepcopy(part) for part in (study.job, *_jobs(study)))
    axes = dict(study.axes)
    for path, least in study.scale.items():
        places = [place for part in (job, *others) if (place := _place(part, path)) is not None]
        for table, name in places:
            table[name] = _scaled(path, table[name], least, factor)
        if path in axes:
            axes[path] = [_scaled(path, value, least, factor) for value in axes[path]]
        elif not places:
            raise InputError(f"the study has no value `{path}`", where=f"scale.{path}")
    systems = [
        msgspec.structs.replace(each, job=part) for each, part in zip(study.systems, others, strict=False)
    ]
    tests = [
        msgspec.structs.replace(each, job=part)
        for each, part in zip(study.tests, others[len(systems) :], strict=True)
    ]
    title = f"{study.title or study.name} (at {factor:g} of its size)" if factor != 1 else study.title
    return msgspec.structs.replace(study, job=job, systems=systems, tests=tests, axes=axes, title=title)


def _jobs(study: Study) -> list[dict[str, Any]]:
    return [*(system.job for system in study.systems), *(test.job for test in study.tests)]


def _place(job: dict[str, Any], path: str) -> tuple[dict[str, Any], str] | None:
    """Return the table that holds the last name of a dotted path, and this name; None if it is absent."""
    *parents, last = path.split(".")
    table: Any = job
    for name in parents:
        table = table.get(name) if isinstance(table, dict) else None
    return (table, last) if isinstance(table, dict) and last in table else None


def _scaled(path: str, value: Any, least: Any, factor: float) -> int | float:
    """Return a size in seconds for a name that ends in `_s`, else in bytes."""
    if path.endswith("_s"):
        whole_s, least_s = parse_time_s(str(value)), parse_time_s(str(least))
        return round(max(whole_s * factor, min(least_s, whole_s)), 6)
    whole, least_bytes = parse_bytes(str(value)), parse_bytes(str(least))
    return max(round(whole * factor / MIB) * MIB, min(least_bytes, whole))
