"""The forms of the events that the judge reads: an event of another form is damage, whoever wrote it."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from igen.facts.declaration import declared
from igen.first_use import ready

Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Users = Annotated[int, msgspec.Meta(ge=1, le=2**32 - 1)]
Rate = Annotated[float, msgspec.Meta(gt=0)]
Seconds = float | str
UnixTime = Annotated[float, msgspec.Meta(ge=0, le=253_402_300_799)]
"""A time before the year 10000."""
Name = Annotated[str, msgspec.Meta(min_length=1)]
Form = TypeVar("Form")


class Closed(msgspec.Struct):
    """Users who start the next transaction when the last one has ended."""

    users: Users


class Paced(msgspec.Struct):
    """Users with a rate each."""

    users: Users
    rate_per_user_per_s: Rate


class Open(msgspec.Struct):
    """Arrivals at a rate."""

    rate_per_s: Rate
    users: Users | None = None


class Load(msgspec.Struct, forbid_unknown_fields=True):
    """One load, by the name of its model."""

    closed: Closed | None = None
    paced: Paced | None = None
    open: Open | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError` for a load without a model, or with several."""
        if sum(model is not None for model in (self.closed, self.paced, self.open)) != 1:
            raise ValueError("a load has one model")


class NamedLoad(msgspec.Struct):
    """One of several loads."""

    load: Load
    params: dict[str, Any] = {}


class Phases(msgspec.Struct):
    """Times of the phases that the judge reads."""

    interval_s: Seconds = 1.0
    measure_s: Seconds | None = None
    extendable: bool = False


class Share(msgspec.Struct):
    """The part of a job that one of several agents does."""

    index: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
    of: Users


class Tier(msgspec.Struct):
    """Processes that serve together."""

    name: str
    host: str | None = None


class Placement(msgspec.Struct):
    """The place of the users, as far as the judge reads it; `scheduling` and `precise` are other fields."""

    thread: dict[str, Any] | None = None
    task: dict[str, Any] | None = None


class Job(msgspec.Struct):
    """A job, as far as the judge reads it; `schema/job.schema.json` has all of it."""

    workload: Name
    load: Load | None = None
    personas: dict[str, NamedLoad] = {}
    params: dict[str, Any] = {}
    phases: Phases | None = None
    share: Share | None = None
    targets: list[str] | None = None
    tiers: list[Tier] | None = None
    steps: list[str] | None = None
    placement: Placement | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError` for a target that is not a URL, and for a load that is missing."""
        for target in self.targets or []:
            urlsplit(target)
        if (self.steps is None or "measure" in self.steps) and self.load is None and not self.personas:
            raise ValueError("a job that measures has a load")


class Times(msgspec.Struct, gc=False):
    """A histogram of times."""

    hdr: str
    sum_ns: int


class Statistics(msgspec.Struct, gc=False):
    """Transactions or operations of one interval."""

    count: Count
    failed: Count
    service_time: Times
    response_time: Times | None = None
    failed_time: Times | None = None


class Arrivals(msgspec.Struct, frozen=True, kw_only=True, gc=False, forbid_unknown_fields=True):
    """Arrivals of an open or paced load: in an interval, except the backlog, which is at its end."""

    due: Count
    started: Count
    unsent: Count
    backlog: Count


class Snapshot(msgspec.Struct, gc=False):
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


class Reading(msgspec.Struct, gc=False):
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
    started_unix_s: UnixTime = 0.0
    job: Job | None = None


class Hello(msgspec.Struct):
    """The first line of an agent."""

    job: Job
    host: str
    started_unix_s: UnixTime
    version: str = ""
    defaults: dict[str, Any] | None = None


class Fact(msgspec.Struct):
    """A fact, whose value has the type that its declaration gives; an undeclared fact has any value."""

    name: str
    value: Any

    def __post_init__(self) -> None:
        """Raise `ValueError` for a value of another type."""
        found = declared(self.name)
        if found is not None and not found.has(self.value):
            raise ValueError(f"the value of {self.name} has another type than its declaration")


class Canary(msgspec.Struct):
    """The speed of the processor before or after the measurement."""

    after: bool
    spins_per_s: float


class Message(msgspec.Struct):
    """A warning or an error."""

    text: str
    path: str | None = None
    """The field of the job that it is about: `targets[0]`."""

    @property
    def whole(self) -> str:
        """The text after its path."""
        return f"{self.path}: {self.text}" if self.path else self.text


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


def formed(form: type[Form], value: Any) -> Form:
    """Return an event in its form. Raises `ValueError` for an event of another form."""
    try:
        return msgspec.convert(value, ready(form))
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
