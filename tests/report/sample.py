"""Results as the analysis would make them: order entry on SQLite, plausible, the same each time."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import pairwise

from igen.aspects.slamd.rows import SlamdRow, SlamdTable
from igen.judge.result import (
    CounterResult,
    Difference,
    FailureCount,
    Figure,
    Finding,
    Interval,
    Level,
    OperationResult,
    Point,
    Repeat,
    Resources,
    ResourcesPerTransaction,
    Result,
    System,
    Times,
    Verdict,
)
from igen.judge.trust.finding import finding
from tests.report.sample_findings import DIED, FASTER, OBSERVED, hostile_findings
from tests.report.sample_findings import ERRORS as ERRORS
from tests.report.sample_findings import NOT_SENT as NOT_SENT
from tests.report.sample_findings import SLOWED as SLOWED
from tests.report.sample_findings import STOLEN as STOLEN
from tests.report.sample_ratios import ratios
from tests.report.trusted import trusted as trusted

HEAT_EDGES_MS = [
    float(f"{2 ** (step // 4) * (1 + step % 4 / 4) / 1e6:.4g}") for step in range(4 * 13, 4 * 30)
]
"""Upper edges of the heat map's buckets: four to a doubling, in nanoseconds at first."""
WARMUP_S = 2
MEASURE_S = 10
IN_MEMORY = "working set 113 MiB fits in memory: this is no statement about the disk"
TOO_SHORT = "each level was measured for 10 s: too short to hold three checkpoints"
SHARES = {
    "select_customer": 0.09,
    "select_orders": 0.16,
    "select_last_order": 0.12,
    "select_other": 0.09,
    "insert_order": 0.21,
    "delete_order": 0.19,
    "commit": 0.14,
}


def times(mean_ms: float, spread: float) -> Times:
    """A log-normal distribution with this mean."""
    median = mean_ms / math.exp(spread**2 / 2)

    def quantile(sigmas: float) -> float:
        return round(median * math.exp(spread * sigmas), 6)

    return Times(
        mean=mean_ms,
        p50=quantile(0),
        p90=quantile(1.282),
        p95=quantile(1.645),
        p99=quantile(2.326),
        p999=quantile(3.09),
        max=quantile(4.4),
        mean_interval=Figure(value=mean_ms, low=mean_ms * 0.975, high=mean_ms * 1.025, n=3),
    )


def heat(
    rng: random.Random, mean_ms: float, spread: float, count: float, stalled: bool
) -> list[tuple[float, float]]:
    """Counts of a log-normal distribution; a stall adds a few very long ones."""
    median = mean_ms / math.exp(spread**2 / 2)

    def below(edge_ms: float) -> float:
        return (1 + math.erf(math.log(edge_ms / median) / spread / math.sqrt(2))) / 2

    buckets = []
    for lower, upper in pairwise(HEAT_EDGES_MS):
        number = round(count * (below(upper) - below(lower)) * rng.uniform(0.9, 1.1))
        if stalled and 18 < upper < 130:
            number += rng.randint(1, 8)
        if number:
            buckets.append((upper, float(number)))
    return buckets


def timeline(
    rng: random.Random, rate: float, mean_ms: float, spread: float, *, stall: bool, cut_s: int
) -> list[Interval]:
    """Warm-up from two thirds of the rate up, then noise around it and one stall if asked for."""
    intervals = []
    for second in range(-WARMUP_S, MEASURE_S):
        cold = 0.68 + 0.16 * (second + WARMUP_S) if second < 0 else 1.0
        stalled = stall and second == 6
        now = rate * cold * (0.62 if stalled else 1) * rng.gauss(1, 0.012)
        p99 = mean_ms * math.exp(spread * 2.1) * (6 if stalled else 1) * rng.uniform(0.92, 1.1)
        intervals.append(
            Interval(
                start_s=float(second),
                throughput_per_s=round(now, 2),
                response_p50_ms=round(mean_ms / math.exp(spread**2 / 2) * rng.uniform(0.97, 1.03), 5),
                response_p99_ms=round(p99, 5),
                measured=second >= cut_s,
                heat=heat(rng, mean_ms, spread, now, stalled),
            )
        )
    return intervals


def level(
    number: int,
    users: int,
    rate: float,
    *,
    spread: float,
    verdict: Verdict = "VALID",
    findings: tuple[Finding, ...] = (),
    errors: dict[str, int] | None = None,
) -> Level:
    """A level of a closed load without think time: its mean response time follows from Little's law."""
    rng = random.Random(1000 * number + round(rate))
    mean_ms = round(users / rate * 1e3, 6)
    repeats = [
        Repeat(
            repeat=repeat,
            purpose="sweep",
            job_file=f"jobs/{number * 3 + repeat + 1:04}.jsonl",
            throughput_per_s=round(rate * (1 + 0.006 * (repeat - 1)), 2),
            response_time_ms=times(mean_ms, spread),
            trust=trusted(verdict if repeat == 1 else "VALID"),
            findings=list(findings) if repeat == 1 else [],
            measured_s=10.0,
            cut_s=1.0 if repeat == 2 else 0.0,
            timeline=timeline(
                rng,
                rate * (1 + 0.006 * (repeat - 1)),
                mean_ms,
                spread,
                stall=repeat == 1,
                cut_s=int(repeat == 2),
            ),
        )
        for repeat in range(3)
    ]
    transactions = round(rate * 30)
    operations = {
        name: OperationResult(
            count=transactions,
            failed=sum((errors or {}).values()) if name == "insert_order" else 0,
            per_s=rate,
            response_time_ms=times(round(mean_ms * share, 6), spread * 0.9),
            service_time_ms=times(round(mean_ms * share, 6), spread * 0.9),
        )
        for name, share in SHARES.items()
    }
    busy = min(96.0, 52.0 + 14 * math.log2(users))
    return Level(
        level=number,
        users=users,
        offered_per_s=None,
        load={"closed": {"users": users, "think_time_s": 0.0}},
        throughput_per_s=Figure(value=rate, low=round(rate * 0.985, 2), high=round(rate * 1.0152, 2), n=3),
        response_time_ms=times(mean_ms, spread),
        service_time_ms=times(mean_ms, spread),
        failed_time_ms=None,
        transactions=transactions,
        errors=sum((errors or {}).values()),
        failures=[
            FailureCount(kind="other", step="", text=text, count=count)
            for text, count in (errors or {}).items()
        ],
        unsent=0,
        backlog=0,
        operations=operations,
        rates={},
        counters={
            "rows_read": CounterResult(count=transactions * 13, per_s=rate * 13, per_transaction=13.0),
            "rows_written": CounterResult(count=transactions * 2, per_s=rate * 2, per_transaction=2.0),
        },
        resources=Resources(
            cpu_percent=busy,
            cpu_user_percent=busy * 0.71,
            cpu_system_percent=busy * 0.25,
            cpu_iowait_percent=busy * 0.04,
            cpu_steal_percent=0.1 if verdict == "VALID" else 1.7,
            driver_cpu_percent=busy * 0.96,
            foreign_cpu_percent=0.8,
            memory_used_bytes=1.9e9,
            disk_read_bytes_per_s=rate * 12,
            disk_written_bytes_per_s=rate * 4310,
            context_switches_per_s=rate * 0.4 * users,
        ),
        resources_per_transaction=ResourcesPerTransaction(
            cpu_us=busy / 100 * 2e6 / rate,
            driver_cpu_us=busy * 0.96 / 100 * 2e6 / rate,
            disk_read_bytes=12.0,
            disk_written_bytes=4310.0,
            network_bytes=0.0,
            context_switches=0.4 * users,
        ),
        trust=trusted(verdict),
        findings=list(findings),
        repeats=repeats,
    )


def point(at: Level, equal: tuple[int, ...] = ()) -> Point:
    """A confirmed point at a level, with the figure of the level."""
    assert at.response_time_ms is not None
    return Point(
        level=at.level,
        users=at.users,
        offered_per_s=None,
        throughput_per_s=at.throughput_per_s,
        response_time_ms=at.response_time_ms.mean,
        confirmed=True,
        alike_levels=list(equal),
        alike_percent=9.7 if equal else None,
    )


def slamd(levels: list[Level]) -> list[SlamdRow]:
    """Two statistics of each level."""
    rows = []
    for each in levels:
        rate = each.throughput_per_s.value
        shared = {"level": each.level, "users": each.users}
        rows.append(
            SlamdRow(
                **shared,
                statistic="transactions",
                unit="count",
                count=rate * 10,
                avg_per_second=rate,
                avg_per_interval=rate,
                std_dev=rate * 0.013,
                corr_coeff=0.122,
            )
        )
        assert each.response_time_ms is not None
        rows.append(
            SlamdRow(
                **shared,
                statistic="transaction time",
                unit="ms",
                count=rate * 10,
                avg_per_second=None,
                avg_per_interval=None,
                std_dev=each.response_time_ms.mean * 0.02,
                corr_coeff=-0.31,
                total_duration_ms=each.response_time_ms.mean * rate * 10,
                avg_duration_ms=each.response_time_ms.mean,
                avg_count_per_interval=rate,
                p50_ms=each.response_time_ms.p50,
                p90_ms=each.response_time_ms.p90,
                p99_ms=each.response_time_ms.p99,
                p999_ms=each.response_time_ms.p999,
            )
        )
    return rows


def system(name: str, rates: tuple[float, ...], *, valid: bool = False) -> System:
    """Order entry on SQLite at 1, 2, 4, 8 users; unless `valid`, one level SUSPECT and one INVALID."""
    levels = [
        level(0, 1, rates[0], spread=0.28),
        level(1, 2, rates[1], spread=0.42),
        level(
            2,
            4,
            rates[2],
            spread=0.75,
            verdict="VALID" if valid else "SUSPECT",
            findings=() if valid else (STOLEN,),
        ),
        level(
            3,
            8,
            rates[3],
            spread=1.1,
            verdict="VALID" if valid else "INVALID",
            findings=() if valid else (ERRORS, SLOWED),
            errors=None if valid else {"database is locked": 871, "disk I/O error": 3},
        ),
    ]
    return System(
        igen_version="0.1.0",
        name=name,
        run="20261121-014903-oltp-3fa9",
        workload="oltp",
        load_model="closed",
        transaction="transactions",
        started_unix_s=1795225743.0,
        targets=["sqlite:///shop.db"],
        params={"customers": 100000, "synchronous": "normal", "distribution": "uniform"},
        levels=levels,
        peak=point(levels[1], (2,)),
        sweet_spot=point(levels[1], (2,)),
        knee=point(levels[0]),
        unnamed={},
        floor_ns=33.8,
        aspects=[SlamdTable(rows=slamd(levels))],
        facts={
            "cpu.model": "AMD EPYC 9B45",
            "cpu.logical": 2,
            "cpu.governor": "performance",
            "cpu.mitigations": ["spectre_v1: usercopy barriers", "spectre_v2: automatic IBRS"],
            "memory.total_bytes": 25276502016,
            "kernel.release": "6.1.0-18-amd64",
            "engine.clock": "tsc",
            "engine.version": "0.1.0",
            "target.sqlite.version": "3.50.4",
            "target.sqlite.journal_mode": "wal",
            "target.sqlite.synchronous": "normal",
            "target.file_bytes": 118489088,
            "target.file_system": "ext4",
        },
        findings=[] if valid else [finding("agent-warning", scope="system", text=IN_MEMORY, jobs=1)],
        observations=[],
        job={
            "workload": "oltp",
            "phases": {"ramp_s": 0.0, "warmup_s": 2.0, "measure_s": 10.0, "drain_s": 10.0, "interval_s": 1.0},
            "placement": {"thread": {"pin": False}},
            "seed": 42,
            "canary_s": 0.2,
        },
    )


def one_system() -> Result:
    """One system, four levels, three repeats; one level SUSPECT and one INVALID."""
    shop = system("shop-sqlite", (7532.4, 9751.8, 8934.2, 7218.6))
    return Result(
        schema_version=2,
        igen_version="0.1.0",
        title="Order entry on SQLite",
        systems=[shop],
        ratios=[],
        differences=[],
        findings=[finding("agent-warning", scope="comparison", jobs=1, text=TOO_SHORT)],
        observations=[*OBSERVED],
    )


def one_level() -> Result:
    """One system under one load."""
    (shop,) = one_system().systems
    only = replace(shop, levels=shop.levels[:1], peak=None, sweet_spot=None, knee=None, aspects=[])
    return replace(one_system(), title="One load", systems=[only], observations=[], findings=[])


def comparison() -> Result:
    """Two systems at the same levels: faster, cannot tell, faster, slower."""
    base, other = (
        replace(system(name, rates, valid=True), aspects=[])
        for name, rates in {
            "ext4": (7532.4, 9751.8, 8934.2, 7218.6),
            "xfs": (8120.7, 9823.1, 9610.4, 6820.3),
        }.items()
    )
    other = replace(other, run="20261121-020114-oltp-91c2")
    other = replace(other, facts={**other.facts, "target.file_system": "xfs"})
    return Result(
        schema_version=2,
        igen_version="0.1.0",
        title="SQLite on ext4 and xfs",
        systems=[base, other],
        ratios=[each for number in range(4) for each in ratios(base, other, number, 0.021)],
        differences=[
            Difference(
                kind="fact",
                name="target.file_system",
                of_system="xfs",
                of_base="ext4",
                system="xfs",
                base="ext4",
            )
        ],
        findings=[
            finding(
                "measured-one-after-the-other",
                scope="comparison",
                because=[finding("noise-assumed")],
                noise_percent=4.0,
            )
        ],
        observations=[FASTER],
    )


def open_load() -> Result:
    """A bare result: open load, one run a level, nothing that needs repeats."""
    first = level(0, 1, 100.0, spread=0.9)
    levels = [
        replace(
            first,
            level=number,
            users=None,
            offered_per_s=float(rate),
            load={"open": {"rate_per_s": float(rate), "arrivals": "poisson"}},
            throughput_per_s=Figure(value=rate * 0.999, n=1),
            response_time_ms=replace(times(10.0, 0.9), mean_interval=None),
            unsent=unsent,
            operations={},
            rates={},
            counters={},
            resources=Resources(),
            resources_per_transaction=ResourcesPerTransaction(),
            repeats=first.repeats[:1],
            trust=trusted("INVALID" if unsent else "ONE RUN"),
            findings=[NOT_SENT] if unsent else [finding("one-run", scope="level")],
        )
        for number, (rate, unsent) in enumerate(((100, 0), (150, 0), (225, 3120)))
    ]
    model = replace(
        system("queue", (100.0, 150.0, 225.0, 300.0), valid=True),
        workload="model",
        load_model="open",
        targets=[],
        params={"service": "exponential", "service_time": 0.005},
        levels=levels,
        peak=None,
        sweet_spot=None,
        knee=None,
        aspects=[],
    )
    return replace(one_system(), title="A queue", systems=[model], observations=[], findings=[])


HOSTILE = '<script>alert("1")</script>'


def hostile() -> Result:
    """Markup in every text that comes from outside."""
    base = system(HOSTILE, (7532.4, 9751.8, 8934.2, 7218.6))
    bad = replace(
        base.levels[3],
        findings=hostile_findings(HOSTILE),
        failures=[FailureCount(kind="other", step="", text=HOSTILE, count=3)],
        operations={HOSTILE: base.levels[3].operations["commit"]},
        rates={},
        counters={HOSTILE: base.levels[3].counters["rows_read"]},
    )
    return replace(
        one_system(),
        title=HOSTILE,
        systems=[
            replace(
                base,
                levels=[*base.levels[:3], bad],
                facts={"cpu.model": HOSTILE, HOSTILE: HOSTILE, "kernel": {"release": HOSTILE}},
                params={HOSTILE: HOSTILE},
                targets=[HOSTILE],
                findings=[finding("agent-warning", jobs=1, text=HOSTILE)],
            )
        ],
        observations=[
            finding("holds-rate", scope="study", system=HOSTILE, base=HOSTILE, load=HOSTILE, loads_compared=1)
        ],
        findings=[finding("agent-warning", jobs=1, text=HOSTILE)],
        differences=[Difference(kind="fact", name=HOSTILE, of_system=HOSTILE, of_base=HOSTILE)],
    )


def broken() -> Result:
    """What is left of a run whose agent was killed at once: a level without times, and no level at all."""
    killed = replace(
        level(0, 1, 100.0, spread=0.9, verdict="INVALID", findings=(DIED,)),
        throughput_per_s=Figure(value=0.0),
        response_time_ms=None,
        service_time_ms=None,
        transactions=0,
        operations={},
        rates={},
        counters={},
        resources=Resources(),
        resources_per_transaction=ResourcesPerTransaction(),
        repeats=[],
    )
    bare = replace(
        system("killed", (100.0, 150.0, 225.0, 300.0)),
        levels=[killed],
        peak=None,
        sweet_spot=None,
        knee=None,
        floor_ns=None,
        aspects=[], facts={}, job={}, findings=[],
    )  # fmt: skip
    nothing = replace(bare, name="nothing", levels=[])
    return replace(one_system(), title="Killed", systems=[bare, nothing], observations=[], findings=[])
