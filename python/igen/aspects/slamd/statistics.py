"""Which statistics a table in SLAMD's columns has: of some workloads the published ones, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from igen.judge.record.histogram import Histogram
from igen.judge.record.snapshot import Snapshot, Statistics

_NOTHING = Statistics()


@dataclass(frozen=True, slots=True)
class Counted:
    """Something counted in each interval."""

    name: str
    unit: str
    of: Callable[[Snapshot], int]
    per: Callable[[Snapshot], int] | None = None
    """The operations that counted it, where their mean value is published."""


@dataclass(frozen=True, slots=True)
class Timed:
    """Something timed in each interval."""

    name: str
    of: Callable[[Snapshot], Histogram]


def _transactions(interval: Snapshot) -> Statistics:
    return interval.transactions


def _operation(name: str) -> Callable[[Snapshot], Statistics]:
    return lambda interval: interval.operations.get(name, _NOTHING)


def _counter(name: str) -> Callable[[Snapshot], int]:
    return lambda interval: interval.counters.get(name, 0)


def _succeeded(of: Callable[[Snapshot], Statistics]) -> Callable[[Snapshot], int]:
    return lambda interval: of(interval).count


def _failed(of: Callable[[Snapshot], Statistics]) -> Callable[[Snapshot], int]:
    return lambda interval: of(interval).failed


def _ended(*parts: Callable[[Snapshot], Statistics]) -> Callable[[Snapshot], int]:
    """However they did."""
    return lambda interval: sum(of(interval).count + of(interval).failed for of in parts)


def _service_time(of: Callable[[Snapshot], Statistics]) -> Callable[[Snapshot], Histogram]:
    """From the actual start, as SLAMD times; of those that succeeded."""
    return lambda interval: of(interval).service_time


_SEARCH, _BIND, _MODIFY = _operation("search"), _operation("bind"), _operation("modify")
_INITIAL, _SUBSEQUENT = _operation("search.initial"), _operation("search.subsequent")

PUBLISHED: Mapping[str, Sequence[Counted | Timed]] = {
    "ldap-search": (
        Counted("Searches Completed", "searches", _succeeded(_SEARCH)),
        Counted("Exceptions Caught", "exceptions", _failed(_transactions)),
        Counted("Entries Returned", "entries", _counter("entries"), per=_succeeded(_SEARCH)),
        Timed("Search Time", _service_time(_SEARCH)),
    ),
    "ldap-siteminder": (
        Counted("Authentication Attempts", "authentications", _ended(_transactions)),
        Counted("Successful Authentications", "authentications", _succeeded(_transactions)),
        Counted("Failed Authentications", "authentications", _failed(_transactions)),
        Timed("Authentication Time", _service_time(_transactions)),
        Counted("Bind Operations Performed", "binds", _ended(_BIND)),
        Timed("Bind Time", _service_time(_BIND)),
        Counted("Modify Operations Performed", "modifies", _ended(_MODIFY)),
        Timed("Modify Time", _service_time(_MODIFY)),
        Counted("Search Operations Performed", "searches", _ended(_INITIAL, _SUBSEQUENT)),
        Timed("Initial Search Time", _service_time(_INITIAL)),
        Timed("Subsequent Search Time", _service_time(_SUBSEQUENT)),
    ),
}
"""By workload, named as published."""


def statistics_of(workload: str, unit: str, intervals: Sequence[Snapshot]) -> Sequence[Counted | Timed]:
    """The published statistics of the workload; else everything that was counted and timed.

    `unit` is what its transactions are called.
    """
    return PUBLISHED.get(workload) or list(_everything(unit, intervals))


def _everything(unit: str, intervals: Sequence[Snapshot]) -> Iterator[Counted | Timed]:
    yield Counted("Transactions", unit, _succeeded(_transactions))
    yield Counted("Failed Transactions", unit, _failed(_transactions))
    yield Timed("Response Time", lambda interval: interval.transactions.response_time)
    yield Timed("Service Time", _service_time(_transactions))
    for name in dict.fromkeys(name for interval in intervals for name in interval.operations):
        yield Counted(name, "operations", _succeeded(_operation(name)))
        yield Timed(f"{name} time", _service_time(_operation(name)))
    for name in dict.fromkeys(name for interval in intervals for name in interval.counters):
        yield Counted(name, name, _counter(name))
