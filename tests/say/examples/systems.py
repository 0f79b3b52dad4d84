"""Findings about one system: its notes, the points of its curve, and observations."""

from __future__ import annotations

from dataclasses import replace

from igen.judge.trust.finding import Finding, Part, finding

TEST = Part(name="test", text="paired log-t")
SEQUENCE = Part(name="test", text="paired confidence sequence")


def system(name: str = "A") -> Part:
    """Return the name of a system."""
    return Part(name="system", text=name)


def load(name: str = "8 users", of: str = "load") -> Part:
    """Return the name of a load."""
    return Part(name=of, text=name)


def throughput(value: float, low: float | None = None, high: float | None = None, of: str = "") -> Part:
    """Return a throughput with its interval."""
    span = None if low is None else (low, high)
    return Part(name="throughput_per_s", figure=value, span=span, text=of or "transactions")


def ratio(value: float, low: float, high: float, name: str = "ratio", text: str = "") -> Part:
    """Return a ratio with its interval."""
    return Part(name=name, figure=value, span=(low, high), text=text)


def sample(runs: int, transactions: int) -> tuple[Part, Part]:
    """Return how many runs and transactions stand behind a figure."""
    return Part(name="runs", figure=runs), Part(name="transactions", figure=transactions)


def observed(rule: str, *parts: Part, because: tuple[Finding, ...] = (), **named: float | str) -> Finding:
    """Return an observation of a system."""
    return finding(rule, *parts, scope="system", because=because, **named)


def in_ms(found: Finding, limit_ms: float) -> Finding:
    """Return a finding with a limit of the response time."""
    return replace(found, limit=limit_ms, unit="ms")


NOTES = (
    observed("agent-warning", text="turbo is on", jobs=1),
    observed("agent-warning", text="turbo is on", jobs=12),
    observed("file-missing", file="0003.jsonl"),
    observed("file-added", file="0003.jsonl"),
    observed("file-changed", file="0003.jsonl"),
    observed("file-cut-off", file="0003.jsonl", count=12),
    observed("run-foreign", file="0003.jsonl", of="20261122-120000-model-0000"),
    observed("study-foreign", file="0003.jsonl"),
    observed("execution-twice", file="0003.jsonl"),
    observed("lines-unreadable", file="0003.jsonl", line=4, count=1),
    observed(
        "lines-lost", *(Part(name="line", figure=line) for line in range(2, 7)), file="0003.jsonl", count=9
    ),
    observed("lines-twice", file="0003.jsonl", line=4, count=1),
    observed("lines-disordered", file="0003.jsonl"),
    observed("lines-never-came", file="0003.jsonl", count=2),
    observed("record-rebuilt", file="run.json"),
    observed("study-damaged"),
    observed("run-resumed", resumed_unix_s=1_795_000_000),
    observed("run-resumed", *(Part(name="resumed_unix_s", figure=1.795e9 + at) for at in (0, 3600))),
    observed("recording-empty", file="jobs/0001.jsonl"),
    observed("nothing-recorded"),
    observed("levels-left-out", load("64 users"), load("128 users")),
)
UNDECIDED = finding(
    "lower-load-undecided",
    ratio(0.975, 0.962, 0.988),
    load("8 users"),
    limit=0.97,
    because=[finding("repeats-needed", repeats=14)],
)
POINTS = (
    finding("offered-throughput", load_model="open"),
    finding("offered-throughput", Part(name="response_time_limit_ms", figure=20), load_model="paced"),
    finding("several-loads"),
    finding("several-response-times"),
    finding("no-confirmed-load"),
    finding("few-valid-loads"),
    finding("no-load-surely-below", limit=20, unit="ms"),
    finding("search-out-of-time"),
    finding("few-common-repeats", limit=3),
    UNDECIDED,
    replace(UNDECIDED, because=(finding("quiet-machine-needed"),)),
    replace(UNDECIDED, because=(finding("loads-too-alike"),)),
    finding("sweet-spot-not-confirmed"),
    finding("power-highest-at-lowest-load"),
    finding("knee-at-highest-load", scope="level"),
    finding("limit-may-lie-beyond", scope="level"),
    finding("next-load-invalid", scope="level"),
    finding("lower-load-above-limit", scope="level"),
    finding("few-runs-of-point", scope="level", runs=1),
    finding("few-runs-of-point", scope="level", runs=2),
    finding("throughput-invalid", scope="level"),
    finding("higher-loads-invalid", scope="level"),
    finding("peak-may-lie-beyond", scope="level"),
    finding("one-run-flatters", scope="level"),
    finding("peak-between", scope="level", low_users=16, high_users=64),
    finding("peak-between", scope="level", low_users=1024),
)
ALIKE = finding("alike-loads", Part(name="loads", text="8 to 32 users"), SEQUENCE, within_percent=4.0)
PEAK = observed(
    "peak",
    system(),
    load("16 users"),
    throughput(20666, 20104, 21243),
    *sample(5, 1_033_300),
    because=(
        finding("best-of-loads", loads=3),
        finding("higher-loads-invalid"),
        finding("no-lower-load-does-as-much"),
    ),
)
PLATEAU = replace(
    PEAK, rule="reaches-plateau", because=(finding("best-of-loads", loads=3), ALIKE, finding("confirmed"))
)
MOST = replace(PEAK, rule="most-of-loads-tried", because=(finding("no-sweet-spot", because=[UNDECIDED]),))
BEYOND = finding(
    "falls-beyond-peak",
    load("16 users"),
    load("64 users", "higher_load"),
    ratio(0.83, 0.81, 0.85),
    ratio(4.82, 4.71, 4.93, "times_ratio"),
    TEST,
    Part(name="runs", figure=5),
    scope="system",
    limit=0.97,
)
CPU = (("cpu_percent", 97), ("cpu_user_percent", 71), ("cpu_system_percent", 26), ("pressure_io_percent", 3))
HIDDEN = observed(
    "hidden-stall",
    load("100/s"),
    response_p99_ms=1240,
    service_p99_ms=3.2,
    longest_service_ms=2000,
    transactions=6000,
)
WITHIN = in_ms(
    observed(
        "within-limit",
        system(),
        load("32 users"),
        because=(finding("first-load-beyond", load("64 users"), response_time_ms=23.4),),
        response_time_ms=12.3,
    ),
    20,
)
OBSERVED = (
    observed("single-load", system(), load("1 user"), throughput(812.3), *sample(1, 8123)),
    observed(
        "single-load",
        system(),
        load(),
        throughput(5120, 5080, 5160, "orders"),
        Part(name="response_time_ms", figure=1.562),
        *sample(3, 153_600),
    ),
    PEAK,
    replace(PEAK, because=(finding("confirmed"), finding("no-lower-load-does-as-much"))),
    PLATEAU,
    MOST,
    replace(MOST, because=(finding("lowest-load-tried"),)),
    observed("no-peak", system(), because=(finding("few-valid-loads"),)),
    observed("no-load-within-limit", system(), because=(finding("no-load-surely-below"),)),
    observed(
        "growth",
        ratio(7.204, 7.101, 7.309),
        load("16 users"),
        SEQUENCE,
        Part(name="runs", figure=5),
        lowest_users=2,
        ideal=8,
    ),
    BEYOND,
    replace(
        BEYOND,
        rule="waits-beyond-peak",
        parts=tuple(part for part in BEYOND.parts if part.name != "times_ratio"),
    ),
    finding(
        "cpu-bound", *(Part(name=name, figure=value) for name, value in CPU), load(), limit=90, unit="percent"
    ),
    finding("cpu-bound", load(), limit=90, unit="percent", scope="system", cpu_percent=97),
    finding(
        "io-bound",
        load(),
        limit=20,
        unit="percent",
        scope="system",
        cpu_percent=31,
        pressure_io_percent=64,
    ),
    HIDDEN,
    replace(HIDDEN, rule="hidden-wait", parts=(Part(name="of_load", text="clerks"), *HIDDEN.parts)),
    WITHIN,
    replace(
        WITHIN,
        parts=(*WITHIN.parts, Part(name="runs", figure=1)),
        because=(finding("highest-load-tried"),),
    ),
    replace(WITHIN, because=(finding("load-invalid", load("64 users")),)),
    observed("scaling", system(), throughput(812.3), instances=1, runs=1, transactions=8123),
    observed(
        "scaling",
        system(),
        throughput(3120, 3090, 3150),
        Part(name="statements_per_s", figure=62_400),
        ratio(0.93, 0.91, 0.95, "efficiency"),
        instances=4,
        runs=3,
        transactions=93_600,
    ),
    in_ms(
        observed(
            "instances-within-limit",
            throughput(1600, 1580, 1620),
            because=(finding("more-instances-beyond", instances=4, response_time_ms=23.4),),
            instances=1,
            response_time_ms=12.3,
        ),
        20,
    ),
    in_ms(
        observed(
            "instances-within-limit",
            throughput(3120),
            Part(name="runs", figure=2),
            because=(finding("interval-crosses-limit", instances=8, response_time_ms=19.8),),
            instances=4,
            response_time_ms=15,
        ),
        20,
    ),
    observed("load-processes", Part(name="machine", text="load1"), fewest=1, most=1),
    *(
        observed(
            "load-processes",
            *(Part(name="machine", text=name) for name in machines),
            because=(finding(rule, **figures),),
            fewest=fewest,
            most=4,
        )
        for rule, figures, machines, fewest in (
            ("started-when-ready", {}, ("load1", "load2"), 2),
            ("started-at-same-time", {}, ("load1", "load2"), 4),
            ("started-by-same-clock", {}, ("load1",), 4),
            ("started-by-known-clocks", {"clock_error_ms": 0.84}, ("load1", "load2"), 4),
        )
    ),
)
OF_SYSTEMS = (*NOTES, *POINTS, *OBSERVED)
