"""What a user says of when: a time of today or tomorrow, or a date."""

from __future__ import annotations

import math
from datetime import datetime, time, timedelta

from igen.errors import InputError
from igen.units import parse_time_s

SHORTEST_EVERY_S = 1.0


def parse_at(text: str, now: datetime) -> float:
    """Unix seconds of `02:00` (its next occurrence) or of `2026-11-24 02:00`, in the zone of `now` unless it
    says its own. Raises `InputError` for anything else, and for a date that has passed.
    """
    hint = "a time (02:00), or a date with one (2026-11-24 02:00)"
    try:
        found = datetime.combine(now.date(), time.fromisoformat(text), tzinfo=now.tzinfo)
        if found <= now:
            found = datetime.combine(now.date() + timedelta(days=1), found.time(), tzinfo=now.tzinfo)
        return found.timestamp()
    except ValueError:
        pass
    try:
        found = datetime.fromisoformat(text)
        found = found if found.tzinfo else found.replace(tzinfo=now.tzinfo)
        at_unix_s = found.timestamp()
    except (ValueError, OverflowError):
        raise InputError(f"`{text}` is not a time", where="--at", hint=hint) from None
    if at_unix_s < now.timestamp():
        raise InputError(f"`{text}` has passed", where="--at", hint=hint)
    return at_unix_s


def parse_every_s(text: str) -> float:
    """Seconds of `1d` or `12h`. Raises `InputError` for anything else, and below a second."""
    try:
        every_s = parse_time_s(text)
    except InputError as error:
        error.where = "--every"
        raise
    if every_s < SHORTEST_EVERY_S:
        raise InputError(f"`{text}` is below a second", where="--every", hint="such as 1d or 12h")
    if text.strip()[-1] in "0123456789.":
        raise InputError(f"`{text}` has no unit", where="--every", hint="such as 1d or 12h")
    return every_s


def next_time(base_unix_s: float, every_s: float, now_unix_s: float) -> float:
    """The first multiple of `every_s` from the base on that is later than now."""
    passed = max(0, math.floor((now_unix_s - base_unix_s) / every_s))
    return base_unix_s + (passed + 1) * every_s
