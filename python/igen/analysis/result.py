"""The result document: what `--json` prints, the report draws and `schema/result.schema.json` fixes.

Every statistic carries value, unit (in its name), interval, n and warnings. Times are milliseconds,
rates are per second. `None` where something cannot be told, never a made-up number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from igen.analysis.device_result import DeviceIo
from igen.analysis.estimate import Estimate as Estimate
from igen.analysis.estimate import Times as Times
from igen.analysis.memory_kinds import MemoryKernel as MemoryKernel
from igen.analysis.reference import PublishedBandwidth, PublishedIo
from igen.analysis.slamd_row import Published, SlamdRow
from igen.analysis.torture_result import Torture

Verdict = Literal["VALID", "SUSPECT", "INVALID"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationResult:
    """One named step of the transaction."""

    count: int
    failed: int
    per_s: float
    response_time_ms: Times | None
    service_time_ms: Times | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterResult:
    """Something the workload counted; the unit is in its name."""

    count: int
    per_s: float
    per_transaction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What one table scan took, and all users' scans achieved together; without CPU time on other hosts."""

    time_s: Estimate
    records_per_s: Estimate
    bytes_per_s: Estimate
    """Nominal: bytes of a record as published."""
    cpu_s: Estimate | None
    cpu_percent: Estimate | None
    """Of one processor: 200 where two were busy all the time."""
    cpu_us_per_record: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What a database wrote to its log while this level was measured, mean over repeats."""

    writes_per_s: float | None = None
    """As the database counts: write calls of a server, pages of SQLite."""
    flushes_per_s: float | None = None
    transactions_per_flush: float | None = None
    bytes_per_transaction: float | None = None
    full_page_images_per_transaction: float | None = None
    """PostgreSQL: copies of whole pages after a checkpoint, which make the log longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Transactions of all repeats of a level, from the first of the ramp on, after the load had ended."""

    acknowledged: int
    """By the database, to the load process."""
    stored: int
    """Found in the database; more than acknowledged where the answer was lost."""
    lost: int
    """Acknowledged and not found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LdapOperations:
    """The LDAP operations that authentications are made of, all users together."""

    each: float
    """Of one authentication: ten, nine without its modify."""
    per_s: Estimate
    """Counted, not multiplied."""
    published_per_s: Estimate
    """With the authentication itself as one more, which is how published results count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossCheck:
    """LDAP operations of all repeats of a level, warm-up and all: as they were sent, and as the directories
    counted them."""

    sent: dict[str, int]
    """By kind: `search`, `bind`, `modify`; to directories that count."""
    counted: dict[str, int]
    uncounted: dict[str, str]
    """By target: why what it counted is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetResult:
    """What one of several targets did: a shard, or one of several servers that are alike."""

    target: str
    transactions: int
    errors: int
    share: float
    """Of the successful transactions of all targets, 0 to 1."""
    throughput_per_s: Estimate
    response_time_ms: Times | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What the host (and the load driver itself) used while this level was measured, mean over repeats."""

    cpu_percent: float | None = None
    """Of all processors, 0 to 100."""
    cpu_user_percent: float | None = None
    cpu_system_percent: float | None = None
    cpu_iowait_percent: float | None = None
    cpu_steal_percent: float | None = None
    driver_cpu_percent: float | None = None
    """Of the load process, of all processors, 0 to 100."""
    foreign_cpu_percent: float | None = None
    """Busy time that belongs to neither the driver nor a process of interest, of all processors."""
    memory_used_bytes: float | None = None
    disk_read_bytes_per_s: float | None = None
    disk_written_bytes_per_s: float | None = None
    disk_operations_per_s: float | None = None
    network_received_bytes_per_s: float | None = None
    network_sent_bytes_per_s: float | None = None
    context_switches_per_s: float | None = None
    pressure_cpu_percent: float | None = None
    """Share of time in which some task waited for a processor (PSI `some`)."""
    pressure_memory_percent: float | None = None
    pressure_io_percent: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourcesPerTransaction:
    """Host resources divided by transactions."""

    cpu_us: float | None = None
    driver_cpu_us: float | None = None
    disk_read_bytes: float | None = None
    disk_written_bytes: float | None = None
    network_bytes: float | None = None
    context_switches: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitShare:
    """What sessions of the server were seen to do or wait for, of all that were seen in a transaction.

    By Little's law this share of the sessions is the share of the transaction's time.
    """

    kind: str
    """`log flush`, `lock`, `hot page`, `data read`, `running`, `client` and others: what `event` means."""
    event: str
    """The server's own name: `IO.WALSync`, `state.Commit`; `running` for a session on a processor or ready
    for one, `client` for one whose transaction waits for the client's next statement."""
    relation: str
    """`table orders`, `index orders_by_customer of orders`; empty where the server does not tell."""
    told_by: str
    """How the relation is known: `lock`, `file`, `object` from the server's own note, or `statement` where
    the waiting statement names one table only; empty without a relation."""
    samples: int
    """Sessions seen, over all moments."""
    share: float
    """Of the samples of sessions in a transaction, 0 to 1."""
    low: float
    """Wilson's interval (95 %) with one observation for each moment, because sessions of one moment wait for
    the same thing."""
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The servers of the job's targets as they see themselves, over the measured time.

    Sums over servers, means over repeats unless said otherwise.
    """

    engine: str
    """`postgresql` or `mysql`."""
    servers: int
    commits_per_s: float | None
    """Transactions of the target's database; of the whole server with `mysql`."""
    rollbacks_per_s: float | None
    cache_hit_percent: float | None
    """Of the pages that statements asked for, those that were in the server's own cache."""
    checkpoints: int | None
    """Begun in all measured time; with `mysql` not counted by the server."""
    deadlocks: int | None
    """In all measured time."""
    lock_waits_per_s: float | None
    """Row locks that were waited for; with `postgresql` not counted by the server."""
    cpu_percent: float | None
    """Of the servers' processes, of all processors of the host; None for servers elsewhere."""
    cpu_us_per_transaction: float | None
    """Of the servers' processes for each transaction of the client."""
    read_bytes_per_s: float | None
    """By the servers' processes from storage, where this may be read."""
    active_sessions: float | None
    """Mean number of sessions that run a statement, waiting or not."""
    moments: int
    """At which the sessions were looked at, all repeats together."""
    session_samples: int
    """Sessions seen in a transaction, over all moments."""
    kinds: list[WaitShare]
    """By kind alone, the largest first; `event` and `relation` where four fifths of the kind have them."""
    waits: list[WaitShare]
    """By event and relation, the largest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One execution of a level: the unit of inference."""

    repeat: int
    purpose: str
    """`sweep`, `search`, `confirm` or `scale`."""
    job_file: str
    throughput_per_s: float
    response_time_ms: Times | None
    verdict: Verdict
    reasons: list[str]
    measured_s: float
    cut_s: float
    """Removed from the front of MEASURE by MSER-5."""
    timeline: list[Interval]
    used: bool = True
    """The level's figures rest on it: false for one that was disturbed beside others that were not, and for a
    search beside confirmation runs."""
    started_unix_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """One interval of the timeline, warm-up included (its `measured` is false)."""

    start_s: float
    """Since the begin of MEASURE; negative before it."""
    throughput_per_s: float
    response_p50_ms: float | None
    response_p99_ms: float | None
    measured: bool
    heat: list[list[float]] = field(default_factory=list)
    """Response times as [bucket's upper edge in ms, count] pairs over a coarse common grid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A point of the curve: one load, all its repeats."""

    level: int
    users: int | None
    """None for an open load that may use as many as it takes."""
    offered_per_s: float | None
    """For an open or paced load."""
    load: dict[str, Any]
    """The job's load model as it was."""
    throughput_per_s: Estimate
    response_time_ms: Times | None
    service_time_ms: Times | None
    failed_time_ms: Times | None
    transactions: int
    errors: int
    """Of all repeats, like `error_reasons` and `unsent`: also of those on which no other figure rests."""
    error_reasons: dict[str, int]
    unsent: int
    backlog: int
    operations: dict[str, OperationResult]
    counters: dict[str, CounterResult]
    rates: dict[str, Estimate]
    """By the workload's own definition, over the operations that do the counted work; units in the names."""
    resources: Resources
    resources_per_transaction: ResourcesPerTransaction
    verdict: Verdict
    reasons: list[str]
    repeats: list[Repeat]
    warnings: list[str] = field(default_factory=list)
    power_w: dict[str, float] = field(default_factory=dict)
    """Mean draw by meter of the host; a part lies within its whole, so they do not add up."""
    instances: int = 1
    """Number of targets."""
    targets: list[TargetResult] = field(default_factory=list)
    """In the order of the job's targets; empty where there is one."""
    scan: Scan | None = None
    """Of the workload `scan` alone."""
    memory: dict[str, MemoryKernel] = field(default_factory=dict)
    """Of the workload `mem` alone, by operation."""
    log: Log | None = None
    """Of a database whose log was counted."""
    device_io: DeviceIo | None = None
    """Of targets that are files or block devices."""
    stored: Stored | None = None
    """Of the workload `bank` alone."""
    server: Server | None = None
    """None where no monitor of a server ran."""
    ldap_operations: LdapOperations | None = None
    """Of the workload `ldap-siteminder` alone."""
    cross_check: CrossCheck | None = None
    """Of directories alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """What the instances of one level did together, against as many times one of them."""

    level: int
    instances: int
    efficiency: Estimate
    """X(n) / (n X(1)): 1 where n instances do n times what one does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A named point of the curve."""

    level: int
    users: int | None
    offered_per_s: float | None
    throughput_per_s: Estimate
    response_time_ms: float | None
    """Mean."""
    confirmed: bool
    """From fresh confirmation runs, not from the search that found it."""
    instances: int = 1
    """Number of targets."""
    equal_levels: list[int] = field(default_factory=list)
    """Other levels (by number) that are statistically the same in throughput."""
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merit:
    """What a system does for its watts and in the place of disks, where the study says of which."""

    level: int
    """The peak, or the level with the highest throughput."""
    meter: str
    """The host's own, from which `watts` were read; empty where the study says them."""
    watts: float | None
    """None also where the meter was not read."""
    milliwatts_per_transaction: Estimate | None
    """1,000 × watts / (transactions/s), as published; the same number is the energy of one in mJ."""
    disk: str
    """Its name in the plural; empty where the study names none."""
    disk_per_s: float | None
    disks: Estimate | None
    """So many of them do as many transactions a second."""

    def watts_at(self, level: Level) -> float | None:
        """What the system drew at a level: what its meter said then, or what the study says."""
        return level.power_w.get(self.meter) if self.meter else self.watts


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A sentence for the reader, with the evidence that carries it."""

    text: str
    evidence: str
    topic: Literal["", "bottleneck"] = ""
    """Where the report has a place of its own for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """The levels of a run that differ in load alone; another axis makes a system of each of its values."""

    name: str
    """Followed by what tells it from the others of the same run: `shop (synchronous=full)`."""
    run: str
    igen_version: str
    """Of the agent; empty where it said nothing."""
    workload: str
    load_model: str
    """`closed`, `paced` or `open`."""
    transaction: str
    """What the transactions are called in sentences: `transactions`, `fractals`."""
    started_unix_s: float
    targets: list[str]
    params: dict[str, Any]
    levels: list[Level]
    peak: Point | None
    sweet_spot: Point | None
    knee: Point | None
    floor_ns: float | None
    """The engine's own cost per transaction, measured with `noop` before the study."""
    slamd_table: list[SlamdRow]
    facts: dict[str, Any]
    warnings: list[str]
    observations: list[Observation]
    job: dict[str, Any] = field(default_factory=dict)
    """The job of the first level as the agent understood it: phases, placement, seed, steps."""
    against: str = ""
    """The system it is compared with, where the study names one."""
    response_time_limit_ms: float | None = None
    """Of the mean, where the study sets one."""
    within_limit: Point | None = None
    """The highest load whose mean response time, with its interval, is below that limit."""
    scaling: list[Scaling] = field(default_factory=list)
    """Of a curve along the number of targets; empty for one along the load."""
    reference: str = ""
    """Published figures to lay beside these, in words."""
    published: list[Published] = field(default_factory=list)
    """Published tables of the same workload, where the study names a set of them."""
    published_bandwidths: list[PublishedBandwidth] = field(default_factory=list)
    """Of memory, likewise."""
    published_io: list[PublishedIo] = field(default_factory=list)
    """Of storage under the same kind of load, likewise."""
    merit: Merit | None = None
    """Where the study says what the system draws, or which disk it takes the place of."""
    system: str = ""
    """What it is called in the study, without what tells it from the others."""
    test: str = ""
    """Of the study, where it names several."""
    test_title: str = ""
    value: str = ""
    """Which figure of a measurement its throughputs are: `mean of the steady state`."""
    published_ratios: dict[str, float] = field(default_factory=dict)
    """By product: what was published of this test, one system over the other."""
    torture: Torture | None = None
    """Of a run of many hours that was verified segment by segment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """System over base at one common level: log-Welch over repeats; `~` when it cannot be told from 1."""

    level: int
    """Number of the level in the base."""
    users: int | None
    offered_per_s: float | None
    system: str
    base: str
    throughput: Estimate
    response_time: Estimate | None
    """Ratio of mean response times."""
    verdict: Literal["faster", "slower", "~"]
    warnings: list[str] = field(default_factory=list)
    method: Literal["log-Welch", "paired log-t"] = "log-Welch"
    """Paired where the runs of both were interleaved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverallRatio:
    """System over base in one test: the geometric mean over the loads that are valid on both."""

    test: str
    title: str
    system: str
    """As it is called in the study."""
    base: str
    loads: int
    throughput: Estimate
    """Its interval is that of the repeats, each with all loads."""
    verdict: Literal["faster", "slower", "~"]
    published: dict[str, float]
    """By product."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result document."""

    schema_version: int
    igen_version: str
    title: str
    systems: list[System]
    ratios: list[Ratio]
    differences: list[str]
    """Facts and parameters in which the compared systems differ."""
    warnings: list[str]
    observations: list[Observation]
    overall: list[OverallRatio] = field(default_factory=list)
    """Of a study that names tests: one for each, in their order."""
