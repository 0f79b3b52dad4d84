"""The forms of the events that the judge reads: an event of another form is damage, whoever wrote it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from igen.first_use import ready

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]


class Times(msgspec.Struct):
    """A histogram of times."""

    hdr: str
    sum_ns: int


class Statistics(msgspec.Struct):
    """Transactions or operations of one interval."""

    count: Count
    failed: Count
    service_time: Times
    response_time: Times | None = None
    failed_time: Times | None = None


class Arrivals(msgspec.Struct, forbid_unknown_fields=True):
    """Arrivals of an open or paced load."""

    due: Count
    started: Count
    unsent: Count
    backlog: Count


class Snapshot(msgspec.Struct):
    """One interval, of all loads or of one of several."""

    phase: str
    start_s: float
    end_s: float
    users: Count
    transactions: Statistics
    operations: dict[str, Statistics] = {}
    counters: dict[str, Count] = {}
    arrivals: Arrivals | None = None
    operations_since_s: float | None = None
    think_time_ns: Count = 0
    targets: list[Statistics] = []


class Reading(msgspec.Struct):
    """One reading of one monitor about one subject."""

    monitor: str
    at_s: float
    subject: str = ""
    host: str = ""
    counters: dict[str, float] = {}
    gauges: dict[str, float] = {}


class JobStart(msgspec.Struct):
    """The first line of the store."""

    run: str = ""
    system: str = ""
    title: str = ""
    level: Count = 0
    repeat: Count = 0
    order: Count | None = None
    purpose: str = ""
    test: str = ""
    started_unix_s: float = 0.0
    job: dict[str, Any] = {}


class Hello(msgspec.Struct):
    """The first line of an agent."""

    job: dict[str, Any]
    host: str
    started_unix_s: float
    version: str = ""
    defaults: dict[str, Any] | None = None


class Fact(msgspec.Struct):
    """A fact, whose value has the type that its declaration gives."""

    name: str
    value: Any


class Canary(msgspec.Struct):
    """The speed of the processor before or after the measurement."""

    after: bool
    spins_per_s: float


class Message(msgspec.Struct):
    """A warning or an error."""

    text: str
    path: str | None = None


class End(msgspec.Struct):
    """The last line of an agent."""

    outcome: str
    unfinished_users: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)] = 0


class JobEnd(msgspec.Struct):
    """The last line of the store."""

    exit_code: int | None
    signal: int | None = None
    stderr: str = ""
    interrupted: bool = False


FORMS: dict[str, type[msgspec.Struct]] = {
    "job_start": JobStart,
    "hello": Hello,
    "fact": Fact,
    "snapshot": Snapshot,
    "reading": Reading,
    "canary": Canary,
    "warning": Message,
    "error": Message,
    "end": End,
    "job_end": JobEnd,
}


def check_form(kind: str, value: Any) -> None:
    """Raise `ValueError` if an event does not have the form of its kind; an unknown kind has any form."""
    form = FORMS.get(kind)
    if form is None:
        return
    try:
        msgspec.convert(value, ready(form))
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
