"""Kinds of answers: how each is read from text, and written as text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from igen.ask.tables import set_path
from igen.errors import InputError
from igen.units import parse_rate_per_s, parse_share, parse_time_s, plain_decimal

Number = TypeVar("Number", int, float)
Value = TypeVar("Value")
MOST_REPEATS = 1000
MOST_AGENTS = 1000
MOST_THREADS = 65_535
"""Largest number of threads that a job may have."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of answers."""

    read: Callable[[Any, str], Any]
    """Return the answer in a text, or in several if `many`. Raises `InputError` about the given place."""
    write: Callable[[Any], list[str]]
    """Return the texts that `read` reads as this answer."""
    many: bool = False
    """True if the question may be asked several times."""
    choices: tuple[str, ...] = ()


def users(text: str, where: str) -> list[int]:
    """Read numbers of users: `1,2,4`."""
    return _list(text, where, int, "a number of users", f"use whole numbers from 1 on: {where} 1,2,4")


def rates(text: str, where: str) -> list[float]:
    """Read arrivals per second: `100,200` or `6000/min`."""
    return _list(text, where, parse_rate_per_s, "a rate", f"use numbers above 0: {where} 100,200")


def rate(text: str, where: str) -> float:
    """Read a rate: `10/s`."""
    return _placed(parse_rate_per_s, text, where)


def share(text: str, where: str) -> float:
    """Read a share: `2%`."""
    return _placed(parse_share, text, where)


def time_s(text: str, where: str) -> float:
    """Read a time with its unit, `5ms`, or 0."""
    return _placed(_time_s, text, where)


def duration(text: str, where: str) -> str:
    """Check a time, `10s`, or `auto`, and return its text."""
    if text != "auto":
        time_s(text, where)
    return text


def think_time(text: str, where: str) -> float | dict[str, Any]:
    """Read a time, or the distribution of random times: `1s`, `uniform:5s,15s`, `exponential:8s`."""
    kind, is_drawn, times = text.partition(":")
    if not is_drawn:
        return time_s(text, where)
    parsed = [time_s(each, where) for each in times.split(",")]
    match kind, parsed:
        case "uniform", [_, _]:
            return {kind: parsed}
        case "exponential", [mean_s]:
            return {kind: mean_s}
    hint = "use a time (1s), uniform:5s,15s or exponential:8s"
    raise InputError(f"`{text}` is not a think time", where=where, hint=hint)


def limit_s(text: str, where: str) -> float:
    """Read a time above 0: `30ms`."""
    value = time_s(text, where)
    if value == 0:
        raise InputError("no response time is below 0", where=where, hint="such as 30ms")
    return value


def repeats(text: str, where: str) -> int | str:
    """Read a number of runs of each level, or `auto`."""
    hint = f"use 1 to {MOST_REPEATS} or auto; 3 for a ratio"
    return text if text == "auto" else _count(text, where, MOST_REPEATS, "a number of repeats", hint)


def threads(text: str, where: str) -> int | str:
    """Read a number of threads, or `auto`."""
    hint = f"use 1 to {MOST_THREADS:,} or auto"
    return text if text == "auto" else _count(text, where, MOST_THREADS, "a number of threads", hint)


def agents(text: str, where: str) -> int:
    """Read a number of load processes."""
    return _count(text, where, MOST_AGENTS, "a number of load processes", f"use 1 to {MOST_AGENTS}")


def seed(text: str, where: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise InputError(f"`{text[:20]}` is not a whole number", where=where, hint="such as 42") from None


def thresholds(texts: Sequence[str], where: str) -> list[str]:
    """Check thresholds, `p99 of response > 20ms`, and return their texts."""
    if texts:
        from igen.judge.compare.threshold import parse_threshold

        for text in texts:
            _placed(parse_threshold, text, where)
    return list(texts)


def settings(texts: Sequence[str], where: str) -> dict[str, Any]:
    """Read parameters of a workload, `key=value`; a value that is not a number, true, false or null is text.

    A key with dots, such as `session_variables.commit_delay`, goes into a table.
    """
    if not texts:
        return {}
    values: dict[str, Any] = {}
    seen: set[str] = set()
    for text in texts:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise InputError(
                f"`{text}` is not key=value", where=where, hint=f"such as {where} service_time=5ms"
            )
        if key in seen:
            raise InputError(f"`{key}` is there twice", where=f"{where} {key}", hint="leave one of them out")
        seen.add(key)
        set_path(values, key, scalar(value))
    return values


def scalar(text: str) -> Any:
    """Return a number, true, false or null, and any other text as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, list | dict) else value


def setting(value: Any) -> str:
    """Return the text that `scalar` reads as this value."""
    return value if isinstance(value, str) and scalar(value) == value else json.dumps(value)


def _settings_text(params: Mapping[str, Any]) -> list[str]:
    from igen.judge.record.settings import flat

    return [f"{name}={setting(value)}" for name, value in flat(params)]


def think_text(think: Any) -> str:
    """Return the text of a think time."""
    if not isinstance(think, Mapping):
        return _seconds(think)
    ((kind, times),) = think.items()
    return f"{kind}:{','.join(map(_seconds, times if isinstance(times, list) else [times]))}"


def _seconds(value: Any) -> str:
    return value if isinstance(value, str) else f"{plain_decimal(value)}s"


def _listed(values: Sequence[Any]) -> str:
    return ",".join(dict.fromkeys(map(plain_decimal, values)))


def _same(text: str, _where: str) -> str:
    return text


def _is(value: Any, _where: str) -> bool:
    return bool(value)


def _time_s(text: str) -> float:
    """Return seconds. A number without a unit is refused: it might mean milliseconds."""
    value = parse_time_s(text)
    if value and text.strip()[-1] in "0123456789.":
        raise InputError(f"`{text}` has no unit", hint=f"such as {text.strip()}s or {text.strip()}ms")
    return value


def _count(text: str, where: str, most: int, what: str, hint: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= len(str(most)) and 1 <= int(text) <= most:
        return int(text)
    raise InputError(f"`{text}` is not {what}", where=where, hint=hint)


def _list(text: str, where: str, read: Callable[[str], Number], what: str, hint: str) -> list[Number]:
    values: list[Number] = []
    for part in text.split(","):
        try:
            value = read(part)
        except (ValueError, InputError):
            value = None
        if value is None or value <= 0:
            raise InputError(f"`{part}` is not {what}", where=where, hint=hint)
        if value in values:
            raise InputError(f"`{part}` is there twice", where=where)
        values.append(value)
    return values


def _placed(read: Callable[[str], Value], text: str, where: str) -> Value:
    try:
        return read(text)
    except InputError as error:
        error.where = where
        raise


def _one(write: Callable[[Any], str]) -> Callable[[Any], list[str]]:
    return lambda value: [write(value)]


def _each(values: Sequence[Any]) -> list[str]:
    return list(map(str, values))


def one_of(*choices: str) -> Kind:
    """Return the kind of one of some words."""
    return Kind(_same, _one(str), choices=choices)


USERS = Kind(users, _one(_listed))
RATES = Kind(rates, _one(_listed))
RATE = Kind(rate, _one(lambda value: f"{plain_decimal(value)}/s"))
THINK_TIME = Kind(think_time, _one(think_text))
DURATION = Kind(duration, _one(_seconds))
LIMIT = Kind(limit_s, _one(_seconds))
REPEATS = Kind(repeats, _one(str))
THREADS = Kind(threads, _one(str))
AGENTS = Kind(agents, _one(str))
SEED = Kind(seed, _one(str))
TEXT = Kind(_same, _one(str))
TEXTS = Kind(lambda texts, _where: list(texts), _each, many=True)
THRESHOLDS = Kind(thresholds, _each, many=True)
SETTINGS = Kind(settings, _settings_text, many=True)
YES = Kind(_is, lambda _value: [])
"""A flag."""
YES_OR_NO = Kind(_is, lambda _value: [])
"""A flag that can also be negated: `--no-…`."""
