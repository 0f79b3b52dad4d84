"""The curve of a system: of a recorded run, or level by level in the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from igen.datacenter.number import CONFIDENCE
from igen.datacenter.reader import MOST, Reader
from igen.datacenter.source import Source
from igen.errors import InputError
from igen.judge.curve.laws.curve import CurveLevel, ScalingCurve, curve_through
from igen.judge.figure.student import normal_quantile

OF_CURVE = ("source", "transaction", "levels")
OF_LEVEL = ("users", "throughput_per_s", "throughput_low", "throughput_high", "response_time")
LEAST_LEVELS = 2
EXAMPLE = '{ users = 8, throughput_per_s = 410, response_time = "19ms" }'


def read_curve(
    reader: Reader, name: str, curve_of_run: Callable[[str], ScalingCurve]
) -> tuple[ScalingCurve, Source]:
    """The curve and its source. Raises `InputError` for a curve of one point."""
    path = ["system", name, "curve"]
    table = reader.section(path, OF_CURVE)
    if not table:
        hint = f'[system.{name}.curve] with source = "run:ID", or levels = [{EXAMPLE}, …]'
        raise reader.error(["system", name], f"`{name}` has no curve", hint)
    source = reader.source([*path, "levels"], {})
    if source is None:
        raise reader.error(path, f"the curve of `{name}` is unknown", "measure it: `igen run`")
    if "levels" not in table:
        curve = _recorded(reader, path, source, curve_of_run)
    else:
        levels = [_level(reader, [*path, "levels"], each) for each in reader.listed([*path, "levels"])]
        levels.sort(key=lambda level: level.users)
        for one, other in pairwise(levels):
            if one.users == other.users:
                raise reader.error(
                    [*path, "levels"], f"two levels have {one.users:g} users", "keep one of them"
                )
        curve = curve_through(name, str(table.get("transaction", "transactions")), levels)
    if len(curve.levels) < LEAST_LEVELS:
        text = f"the curve of `{name}` has {len(curve.levels)} point: what lies beside it nobody knows"
        raise reader.error(path, text, "measure several loads: igen run WORKLOAD --users 1,2,4,8")
    return curve, source


def _recorded(
    reader: Reader, path: list[str], source: Source, curve_of_run: Callable[[str], ScalingCurve]
) -> ScalingCurve:
    if source.kind != "run":
        raise reader.error(path, "a curve has levels, or is that of a run", f"levels = [{EXAMPLE}, …]")
    try:
        return curve_of_run(source.text.partition(":")[2].strip())
    except InputError as error:
        error.where = reader.place([*path, "source"])
        raise


def _level(reader: Reader, path: list[str], level: Any) -> CurveLevel:
    if not isinstance(level, Mapping) or any(key not in OF_LEVEL for key in level):
        raise reader.error(path, "a level says users, throughput_per_s and response_time", EXAMPLE)
    missing = [key for key in ("users", "throughput_per_s", "response_time") if key not in level]
    if missing:
        raise reader.error(path, f"a level lacks `{missing[0]}`", EXAMPLE)
    users, x = (reader.value([*path, key], level[key], "number") for key in ("users", "throughput_per_s"))
    response_s = reader.value([*path, "response_time"], level["response_time"], "time")
    if not all(0 < each < MOST for each in (users, x, response_s)):
        raise reader.error(path, "users, throughput and response time are above 0", EXAMPLE)
    low, high = level.get("throughput_low"), level.get("throughput_high")
    error = None
    if isinstance(low, int | float) and isinstance(high, int | float) and 0 < low <= high:
        error = float(np.log(high / low) / (2 * normal_quantile((1 + CONFIDENCE) / 2))) or None
    return CurveLevel(users, x, response_s, error, error)
