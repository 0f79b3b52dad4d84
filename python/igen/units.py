"""Times and rates: read with their units; with sizes and numbers, written for a reader.

The accepted units are those of the agent's job (`crates/igen-job/src/quantity.rs`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal

from igen.errors import InputError

NS_PER_S, NS_PER_MS = 1e9, 1e6
US_PER_S, MS_PER_S = 1e6, 1e3
MHZ_PER_GHZ = 1e3
PPM_PER_PERCENT = 1e4

TIME_UNITS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
}
SIZE_UNITS = {
    "B": 1.0,
    "kB": 1e3,
    "KB": 1e3,
    "KiB": 1024.0,
    "MB": 1e6,
    "MiB": 1024.0**2,
    "GB": 1e9,
    "GiB": 1024.0**3,
    "TB": 1e12,
    "TiB": 1024.0**4,
}
SHARE_UNITS = {"%": 0.01}
RATE_UNITS = {"/s": 1.0, "/min": 1 / 60, "/h": 1 / 3600}

_QUANTITY = re.compile(r"\s*([0-9.+_-]*)\s*(.*?)\s*", re.DOTALL)


def parse_time_s(text: str) -> float:
    """Seconds in `5ms`, `2min` or a plain number of seconds; an `InputError` for anything else."""
    return _parse(text, TIME_UNITS, "a time such as 5ms")


def parse_rate_per_s(text: str) -> float:
    """Events a second in `10/s`, `600/min` or a plain number; an `InputError` for anything else or for 0."""
    value = _parse(text, RATE_UNITS, "a rate such as 10/s")
    if value == 0:
        raise InputError(f"`{text}` is not a rate: it must be above 0")
    return value


def parse_share(text: str) -> float:
    """A share in `2%` or a plain number such as 0.02; an `InputError` for anything else, and from 1 on."""
    value = _parse(text, SHARE_UNITS, "a share such as 2%")
    if not 0 < value < 1:
        raise InputError(f"`{text}` is not a share: it must lie between 0 and 100 %")
    return value


def parse_bytes(text: str) -> int:
    """Bytes in `512MiB`, `1GB` or a plain number; an `InputError` for anything else."""
    return round(_parse(text, SIZE_UNITS, "a size such as 512MiB"))


def _parse(text: str, units: dict[str, float], expected: str) -> float:
    match = _QUANTITY.fullmatch(text)
    number, unit = match.groups() if match else ("", "")
    accepted = f"use one of the units {', '.join(units)}"
    try:
        value = float(number.replace("_", ""))
    except ValueError:
        raise InputError(f"`{text}` is not {expected}", hint=accepted) from None
    if unit and unit not in units:
        raise InputError(f"`{unit}` is not a unit here", hint=accepted)
    value *= units.get(unit, 1.0)
    if value < 0 or not math.isfinite(value):
        raise InputError(f"`{text}` is not {expected}: it is negative or endless")
    return value


def quantity_text(value: float, units: Mapping[str, float]) -> str:
    """Return the number with the largest unit that makes it whole: `512MiB`, `1ms`, and 0 without a unit."""
    for unit, factor in sorted(units.items(), key=lambda each: -each[1]):
        count = value / factor
        if count >= 1 and math.isclose(count, round(count), rel_tol=1e-9):
            return f"{round(count)}{unit}"
    return f"{value:g}"


def decimals_for(value: float, digits: int) -> int:
    """Decimal places that show `value` with `digits` significant digits; never negative."""
    if value == 0 or not math.isfinite(value):
        return 0
    rounded = float(f"{value:.{digits - 1}e}")
    return max(0, digits - 1 - math.floor(math.log10(abs(rounded))))


def format_number(value: float, digits: int = 4) -> str:
    """To significant digits, thousands separated, no powers of ten: `0.004123`, `20,666`.

    Digits before the decimal point are never dropped.
    """
    return f"{value:,.{decimals_for(value, digits)}f}"


def plain_decimal(value: float) -> str:
    """Return all digits of a number and no power of ten, which options do not take."""
    return f"{Decimal(str(value)).normalize():f}"


def ratio_decimals(value: float) -> int:
    """Three decimals for ratios near 1, so that a value and its interval read alike."""
    return max(3, decimals_for(value, 3)) if abs(value) < 10 else decimals_for(value, 4)


def format_half_width(value: float, low: float, high: float) -> str:
    """Return how far an interval reaches from its value, at its farther end: `±1.1 %`; from 100 % on both
    ends, because nothing is 900 % less than a value: `-90 to +940 %`."""
    low_percent, high_percent = (100 * (end - value) / abs(value) for end in (low, high))
    if (farther := max(-low_percent, high_percent)) < 100:
        return f"±{format_number(farther, 2)} %"
    return f"{format_number(low_percent, 2)} to +{format_number(high_percent, 2)} %"


def format_count(value: float) -> str:
    """A whole number with thousands separated: `20,666`."""
    return f"{value:,.0f}"


def counted(number: int, noun: str) -> str:
    """A number of things: `1 user`, `20,666 users`."""
    return f"{format_count(number)} {noun}{'' if number == 1 else 's'}"


def format_rate(value_per_s: float) -> str:
    """A rate without its unit: whole from 1,000 on, four digits below: `20,666`, `4.125`."""
    return format_count(value_per_s) if abs(value_per_s) >= 1000 else format_number(value_per_s)


def format_time_ms(value_ms: float) -> str:
    """A time in milliseconds, in the unit that reads best: `4.12 µs`, `7.5 ms`, `1.25 s`, `12.5 min`."""
    for limit_ms, factor, unit in ((1e-3, 1e6, "ns"), (1.0, 1e3, "µs"), (1e3, 1.0, "ms"), (60e3, 1e-3, "s")):
        if abs(value_ms) < limit_ms:
            return f"{format_short(value_ms * factor)} {unit}"
    return f"{format_short(value_ms / 60e3)} min"


def format_energy_j(value_j: float) -> str:
    """Return an energy in the unit that reads best: `165 µJ`, `41.2 mJ`, `1.5 J`, `3.2 kJ`."""
    for limit_j, factor, unit in ((1e-3, 1e6, "µJ"), (1.0, 1e3, "mJ"), (1e3, 1.0, "J")):
        if abs(value_j) < limit_j:
            return f"{format_short(value_j * factor)} {unit}"
    return f"{format_short(value_j / 1e3)} kJ"


def format_duration(time_s: float) -> str:
    """How long something lasts, which may be days: `1.5 s`, `12.5 min`, `73.3 h`."""
    return f"{time_s / 3600:,.1f} h" if time_s >= 2 * 3600 else format_time_ms(1e3 * time_s)


def format_bytes(value: float) -> str:
    """A size in the binary unit that reads best: `512 MiB`, `1.25 GiB`."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024:
            return f"{format_short(value)} {unit}"
        value /= 1024
    return f"{format_short(value)} TiB"


def format_short(value: float) -> str:
    """Return three significant digits without zeros at the end: `2.4`, `17`, `1,234`."""
    text = format_number(value, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration_text(time_s: float) -> str:
    """A time to wait, to the second: `8 s`, `4 min 8 s`, `2 h 4 min`."""
    seconds = max(round(time_s), 0)
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    return f"{minutes} min {seconds} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def date_text(unix_s: float) -> str:
    """`2026-11-21 01:49 UTC`."""
    return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
