"""What is heard of another machine, and from whom."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from igen.errors import IgenError

MOST = 1e18
"""No machine counts further than this, in bytes neither: sums of so much stay finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A machine on which tiers run, and how it is read."""

    host: str
    """As the job names it: `ssh://db1`, `http://db1:9100/metrics`."""
    name: str
    """What reports call it: `db1`, `db1:9100`."""
    tiers: tuple[str, ...] = ()
    """Those whose processes are told apart there, each as JSON."""
    tier_names: tuple[str, ...] = ()
    """The names of those."""
    interval_s: float = 1.0

    @property
    def is_scraped(self) -> bool:
        """Whether it is an exporter's address."""
        return not self.host.startswith("ssh://")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A reading of a monitor there."""

    monitor: str
    subject: str
    at_s: float
    """On the monotonic clock of this process."""
    counters: dict[str, float] = field(default_factory=dict)
    gauges: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Datum:
    """A fact."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that a reader of the report must know."""

    text: str
    lasts: bool = False
    """Until the machine is reached anew; else until it is read again."""
    at_unix_s: float = field(default_factory=time.time)


@dataclass(frozen=True, slots=True)
class Ready:
    """Readings come from now on."""

    clock_error_s: float
    """By how much their times may be wrong, in either direction."""
    clock_ahead_s: float | None = None
    """How far the calendar there is ahead of this one's; None where nobody tells."""


Said = Sample | Datum | Trouble | Ready
Say = Callable[[Said], None]


class NotRead(IgenError):
    """A machine cannot be read, or cannot be read any more."""
