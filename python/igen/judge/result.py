"""The result document: what `--json` prints, the report draws and `schema/result.schema.json` fixes.

Every statistic carries value, unit (in its name), interval, n and warnings. Times are milliseconds,
rates are per second. `None` where something cannot be told, never a made-up number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from igen.failure import FailureKind
from igen.judge.compare.attributed import Attribution as Attribution
from igen.judge.compare.ratio import Answer as Answer
from igen.judge.compare.ratio import Apart as Apart
from igen.judge.compare.ratio import Method as Method
from igen.judge.compare.ratio import NotSlower as NotSlower
from igen.judge.compare.ratio import OverallRatio as OverallRatio
from igen.judge.compare.ratio import PairOrder as PairOrder
from igen.judge.compare.ratio import Quantity as Quantity
from igen.judge.compare.ratio import Ratio as Ratio
from igen.judge.compare.ratio import Served as Served
from igen.judge.compare.threshold import ThresholdAnswer as ThresholdAnswer
from igen.judge.figure.figure import Figure as Figure
from igen.judge.figure.figure import Times as Times
from igen.judge.trust.disturbance import Periods, WarmUp
from igen.judge.trust.finding import Finding as Finding
from igen.judge.trust.finding import Part as Part
from igen.judge.trust.rules import Verdict as Verdict
from igen.judge.trust.trust import Trust as Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelPart:
    """What one aspect adds to a level."""

    kind: str
    """Name of the aspect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPart:
    """What one aspect adds to a system."""

    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationResult:
    """One named step of the transaction."""

    count: int
    failed: int
    per_s: float
    response_time_ms: Times | None
    service_time_ms: Times | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCount:
    """Transactions that failed for one reason."""

    kind: FailureKind
    """What the verdict goes by."""
    step: str
    """The step of the transaction that failed; empty if it has none."""
    text: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterResult:
    """Something the workload counted; the unit is in its name."""

    count: int
    per_s: float
    per_transaction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What the host (and the load driver itself) used while this level was measured, mean over repeats."""

    cpu_percent: float | None = None
    """Busy time of all processors, 0 to 100, without time that the load process spun."""
    cpu_user_percent: float | None = None
    cpu_system_percent: float | None = None
    cpu_iowait_percent: float | None = None
    cpu_steal_percent: float | None = None
    driver_cpu_percent: float | None = None
    """Processor time of the load process, 0 to 100 (all processors), without time that it spun."""
    spun_cpu_percent: float | None = None
    """Processor time that the load process spent waiting awake, to start transactions on time."""
    foreign_cpu_percent: float | None = None
    """Processor time of programs that are neither the driver nor of interest, without interrupts."""
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
class Series:
    """What a monitor read about one subject while a level was measured."""

    source: str
    """The monitor."""
    host: str
    subject: str
    """Empty where the monitor has one."""
    metric: str
    """Without its unit."""
    unit: str
    """Unit of the metric, from the end of its name; empty for a number."""
    kind: Literal["counter", "gauge"]
    mean: Figure
    """Mean over the runs on which the level's figures rest; of a counter that of its growth a second."""
    timeline: list[tuple[float, float]]
    """Seconds since the begin of MEASURE and the value, of a counter its growth a second since the reading
    before; of the first run."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Factors that bring the figures of a run to the usual speed of its machine, as the canary tells it."""

    throughput: float = 1.0
    times: float = 1.0
    unexplained: float = 0.0
    """Logarithm of the machine's speed over its usual speed in all runs that are laid side by side, if too
    few runs tell how the figures follow it. 0 within one study, whose systems share each moment."""


AS_MEASURED = Correction()


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """One execution of a level: the unit of inference."""

    repeat: int
    purpose: str
    """`sweep`, `search`, `confirm` or `scale`."""
    job_file: str
    throughput_per_s: float
    response_time_ms: Times | None
    trust: Trust
    findings: list[Finding]
    """The gravest first."""
    measured_s: float
    cut_s: float
    """Removed from the front of MEASURE: what was left of the warm-up, the same in all runs of a level."""
    timeline: list[Interval]
    used: bool = True
    """The level's figures rest on it: false for one that a fresh run has replaced, also on another side of
    its block, and for a search beside confirmation runs."""
    started_unix_s: float = 0.0
    order: int | None = None
    """Place in the order of all executions of the study, from 0; None if unknown."""
    measured: bool = True
    """False if it ended before all of its load was measured: then it is not an observation of the system."""
    replaced: bool = False
    """True if a fresh run took its place."""
    correction: Correction = AS_MEASURED
    """Its figures divided by these are those that were measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """One interval of the timeline, warm-up included (its `measured` is false)."""

    start_s: float
    """Since the begin of MEASURE; negative before it."""
    throughput_per_s: float
    response_p50_ms: float | None
    response_p99_ms: float | None
    measured: bool
    heat: list[tuple[float, float]] = field(default_factory=list)
    """Response times as pairs over a coarse common grid: upper edge of the bucket in ms, count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A point of the curve: one load, all its repeats."""

    level: int
    users: int | None
    """None for an open load that may use as many as it takes; of several loads those of closed and paced."""
    offered_per_s: float | None
    """For an open or paced load; of several loads if all are open."""
    load: dict[str, Any]
    """The job's load model as it was; empty if it has several loads."""
    throughput_per_s: Figure
    response_time_ms: Times | None
    service_time_ms: Times | None
    failed_time_ms: Times | None
    transactions: int
    errors: int
    """Failures in all repeats, as `failures` and `unsent`: also in those on which nothing else rests."""
    failures: list[FailureCount]
    unsent: int
    backlog: int
    operations: dict[str, OperationResult]
    counters: dict[str, CounterResult]
    rates: dict[str, Figure]
    """By the workload's own definition, over the operations that do the counted work; units in the names."""
    resources: Resources
    resources_per_transaction: ResourcesPerTransaction
    trust: Trust
    findings: list[Finding]
    """The gravest first; those of the grade VALID are notes for the reader."""
    repeats: list[Repeat]
    least_response_time_ms: Times | None = None
    """Response times if no transaction had started late although a user was free: the true ones lie between
    these and `response_time_ms`. None if all started on time."""
    warm_up: WarmUp | None = None
    """None where nothing was measured."""
    periods: Periods | None = None
    """None where the throughput has no period."""
    instances: int = 1
    """Number of targets."""
    readings: list[Series] = field(default_factory=list)
    """Readings of monitors that neither `resources` nor an aspect tells."""
    aspects: list[LevelPart] = field(default_factory=list)
    """What is known of this kind of target or workload alone; `kind` tells them apart."""
    loads: dict[str, Level] = field(default_factory=dict)
    """Each of several loads at once, by name, whose sum this level is: figures of its own, with the verdict
    of the whole; no resources, timelines or readings, which belong to the whole."""

    @property
    def each(self) -> dict[str, Level]:
        """Each load as a level, by its name: this level, without a name, if it has one load."""
        return self.loads or {"": self}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaling:
    """What the instances of one level did together, against as many times one of them."""

    level: int
    instances: int
    efficiency: Figure
    """X(n) / (n X(1)): 1 where n instances do n times what one does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A named point of the curve."""

    level: int
    users: int | None
    offered_per_s: float | None
    throughput_per_s: Figure
    response_time_ms: float | None
    """Mean."""
    confirmed: bool
    """From fresh confirmation runs, not from the search that found it."""
    instances: int = 1
    """Number of targets."""
    chosen_among: int = 1
    """Levels, itself included, among which the runs of a peak's figure chose it and noise may have decided:
    the lower end of its interval is lower for that. 1 if other runs chose it."""
    alike_levels: list[int] = field(default_factory=list)
    """Higher loads (levels by number) that do as much as a peak, which is the start of a plateau then: by the
    95 % interval of the ratio to the highest of them, none is shown to do less than 97 % of it."""
    alike_percent: float | None = None
    """The largest distance from 1 of the intervals of these ratios."""
    between_levels: list[int | None] = field(default_factory=list)
    """The next lower and the next higher load (by number) of all that do as much as the peak of a search that
    had no time to choose among them, by one run of each; None if no such load was tried."""
    ratio_to_peak: Figure | None = None
    """Throughput of a sweet spot over the highest one; the lower end is 0.97 at least."""
    first_fail_level: int | None = None
    """The lowest level (by number) above the highest load within a limit; it breaks the limit."""
    findings: list[Finding] = field(default_factory=list)
    """Notes."""

    @property
    def levels_off(self) -> bool:
        """True if throughput levels off from this load on: higher loads do as much."""
        return bool(self.alike_levels)


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """The levels of a run that differ in load alone; another axis makes a system of each of its values."""

    name: str
    """Followed by what tells it from the others of the same run: `shop (synchronous=full)`."""
    run: str
    igen_version: str
    """Version of the agent; empty where it said nothing."""
    workload: str
    load_model: str
    """`closed`, `paced` or `open`; `several` for several loads at once."""
    transaction: str
    """What the transactions are called in sentences: `transactions`, `fractals`."""
    started_unix_s: float
    targets: list[str]
    params: dict[str, Any]
    levels: list[Level]
    peak: Point | None
    sweet_spot: Point | None
    knee: Point | None
    unnamed: dict[Literal["peak", "sweet spot", "knee", "within limit"], Finding]
    """Why a point is not named, where a reader would look for it."""
    floor_ns: float | None
    """The engine's own cost per transaction, measured with `noop` before the study."""
    facts: dict[str, Any]
    findings: list[Finding]
    """Notes on the whole system."""
    observations: list[Finding]
    """What the figures show, the most important first."""
    defaults: dict[str, Any] = field(default_factory=dict)
    """Values of the parameters that `params` does not set; without those that depend on target or machine."""
    job: dict[str, Any] = field(default_factory=dict)
    """The job of the first level as the agent understood it: phases, placement, seed, steps."""
    against: str = ""
    """The system it is compared with, where the study names one."""
    looked: bool = False
    """How often its levels were executed was decided by looking at them, so that its intervals are confidence
    sequences, which hold at every look."""
    response_time_limit_ms: float | None = None
    """Limit of the mean, where the study sets one."""
    within_limit: Point | None = None
    """The highest load whose mean response time, with its interval, is below that limit."""
    scaling: list[Scaling] = field(default_factory=list)
    """Efficiencies of a curve along the number of targets; empty for one along the load."""
    reference: str = ""
    """Published figures to lay beside these, in words."""
    system: str = ""
    """What it is called in the study, without what tells it from the others."""
    test: str = ""
    """Test of the study, where it names several."""
    test_title: str = ""
    value: str = ""
    """Which figure of a measurement its throughputs are: `mean of the steady state`."""
    published_ratios: dict[str, float] = field(default_factory=dict)
    """By product: what was published of this test, one system over the other."""
    amounts: dict[str, float] = field(default_factory=dict)
    """What its throughput may be divided by, as far as known: `threads` and `ghz` of the processors that it
    runs on, `watts`, `rack_units` and `price` as the study says them."""
    aspects: list[SystemPart] = field(default_factory=list)
    """What is known of this kind of target or workload alone; `kind` tells them apart."""


DifferenceKind = Literal["fact", "parameter", "setting", "work"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A fact or a setting in which two systems differ."""

    kind: DifferenceKind
    """`work`: the systems did other work, so there is no ratio of them."""
    name: str
    of_system: str
    """The value as text."""
    of_base: str
    system: str = ""
    """As the study calls it."""
    base: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result document."""

    schema_version: int
    igen_version: str
    title: str
    systems: list[System]
    ratios: list[Ratio]
    differences: list[Difference]
    """Facts and parameters in which the compared systems differ."""
    findings: list[Finding]
    """Notes on the comparison."""
    observations: list[Finding]
    """Observations of several systems together."""
    attributions: list[Attribution] = field(default_factory=list)
    """The part of each factor in the ratio of systems that form a 2 x 2 or a chain, by test and load."""
    overall: list[OverallRatio] = field(default_factory=list)
    """One ratio for each test of a study that names tests, and of each pair of systems with several loads."""
    thresholds: list[ThresholdAnswer] = field(default_factory=list)
    """What the study's thresholds (`fail_if`) say of each level, of a result of one run."""


AspectPart = TypeVar("AspectPart", bound=LevelPart | SystemPart)


def aspect(of: Level | System, kind: type[AspectPart]) -> AspectPart | None:
    """The part of that type; None where the aspect had nothing to add."""
    return next((part for part in of.aspects if isinstance(part, kind)), None)
