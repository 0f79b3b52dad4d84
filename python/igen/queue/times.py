"""What a user says of when: a time of today or tomorrow, or a date."""

from __future__ import annotations

import math
from datetime import datetime, time, timedelta

from igen.errors import InputError
from igen.units import parse_time_s

SHORTEST_EVERY_S = 1.0


def parse_at(text: str, now: datetime) -> float:
    """Unix seconds of `02:00` (its next occurrence) or of `2026-11-24 02:00`, in the zone of `now` unless it
    says its own: in that of this machine, with its summer time, where `now` has none. Raises `InputError` for
    anything else, and for a date that has passed.
    """
    hint = "a time (02:00), or a date with one (2026-11-24 02:00)"
    of_day = _time_of_day(text)
    if of_day is not None:
        here = now if of_day.tzinfo is None else now.astimezone(of_day.tzinfo)
        days = (here.date() + timedelta(days=number) for number in (0, 1))
        shown = (each for day in days for each in _unix_s(datetime.combine(day, of_day, tzinfo=here.tzinfo)))
        return next(each for each in shown if each > now.timestamp())
    try:
        found = datetime.fromisoformat(text)
        times = _unix_s(found if found.tzinfo else found.replace(tzinfo=now.tzinfo))
    except (ValueError, OverflowError):
        raise InputError(f"`{text}` is not a time", where="--at", hint=hint) from None
    at_unix_s = next((each for each in times if each >= now.timestamp()), None)
    if at_unix_s is None:
        raise InputError(f"`{text}` has passed", where="--at", hint=hint)
    return at_unix_s


def _unix_s(wall: datetime) -> list[float]:
    """When a clock on the wall shows this: twice in the hour that comes again when clocks are put back.

    An hour that is left out when they are put forward is taken as that much later.
    """
    first_s, second_s = (wall.replace(fold=fold).timestamp() for fold in (0, 1))
    return [first_s, second_s] if second_s > first_s else [first_s]


def _time_of_day(text: str) -> time | None:
    """None for anything else; `2026` is a year rather than 20:26."""
    try:
        return time.fromisoformat(text) if ":" in text else None
    except ValueError:
        return None


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
