"""Findings about one kind of target or workload, as the aspects make them."""

from __future__ import annotations

from dataclasses import replace

from igen.judge.trust.finding import Finding, Part, finding
from tests.say.examples.systems import load, observed, ratio, system, throughput


def share(percent: float, low: float, high: float, **names: str) -> tuple[Part, ...]:
    """Return a share of the time of a transaction, with its names."""
    texts = [Part(name=name, text=text) for name, text in names.items()]
    return (Part(name="share_percent", figure=percent, span=(low, high)), *texts)


def server_time(*parts: Part, because: tuple[Finding, ...] = ()) -> Finding:
    """Return the largest part of the time of a transaction in a server."""
    return observed(
        "server-time",
        load("16 users"),
        *parts,
        because=because,
        time="response time",
        session_samples=4800,
        moments=300,
    )


CLIENT = (
    *share(71, 66, 75, kind="client", included="processor"),
    Part(name="samples", figure=3408, text="client"),
)
SERVER = (
    server_time(
        *share(42, 38, 46, kind="lock", relation="table orders"),
        Part(name="samples", figure=2016, text="Lock/transactionid"),
        Part(name="samples", figure=480, text="IO/WALSync"),
        because=(
            finding("further-server-time", *share(23, 20, 27, kind="log flush")),
            finding("further-server-time", *share(12, 10, 15, kind="other", event="Timeout/VacuumDelay")),
            finding("table-from-statement"),
        ),
    ),
    server_time(*CLIENT, because=(finding("processors-busy", cpu_percent=99, pressure_cpu_percent=43),)),
    server_time(*CLIENT, because=(finding("processors-busy", cpu_percent=99),)),
    server_time(*CLIENT[:2], CLIENT[-1], because=(finding("waits-for-clients"),)),
    server_time(
        *share(80, 76, 84, kind="running"),
        Part(name="included", text="data read"),
        Part(name="included", text="processor"),
        Part(name="samples", figure=3840, text="statement"),
        because=(finding("server-processors-busy", cpu_percent=98, server_cpu_percent=64),),
    ),
)
STORED = observed("all-stored", durability="crash-safe", acknowledged=12_000, lost=0, stored=12_000)
DATABASE = (
    finding(
        "one-writer",
        Part(name="least_throughput_per_s", figure=2101.4, text="transactions"),
        Part(name="most_throughput_per_s", figure=2240, text="transactions"),
        ratio(1.066, 1.041, 1.092),
        scope="system",
        limit=1.5,
        least_users=1,
        most_users=64,
    ),
    observed("conflicts", system(), load(), conflicts=1200, per_transaction=0.024, transactions=50_000),
    STORED,
    replace(
        STORED,
        rule="transactions-lost",
        parts=(
            Part(name="acknowledged", figure=12_000),
            Part(name="lost", figure=1),
            Part(name="stored", figure=11_999),
        ),
    ),
)
HTTP = observed("http-connections", load(), protocol="HTTP/1.1", targets=1, requests=6000, connections=1200)
UNDER_TLS = Part(name="tls", text="TLSv1.3")
WEB = (
    observed("cache-hits", load(), ratio(97.3, 97.1, 97.4, "hit_percent"), lookups=120_000),
    HTTP,
    observed(
        "http-connections",
        load(),
        UNDER_TLS,
        Part(name="resumed_tls_handshakes", figure=1188),
        because=(finding("requests-at-once", streams="100"),),
        protocol="HTTP/2",
        targets=3,
        requests=6000,
        connections=1200,
    ),
    observed(
        "http-connections",
        load(),
        UNDER_TLS,
        Part(name="resumed_tls_handshakes", figure=0),
        because=(finding("one-request-at-once"),),
        protocol="HTTP/2",
        targets=1,
        requests=6000,
        connections=1,
    ),
    observed("http-connections", load(), protocol="HTTP/1.1", targets=1, requests=6000, connections=0),
    observed("users-dealt-to-targets", targets=3),
    observed("requests-dealt-to-nodes", nodes=2, targets=1),
    observed("requests-dealt-to-nodes", nodes=2, targets=3),
    observed(
        "requests-sent-twice",
        load(),
        Part(name="stale_connections", figure=90),
        Part(name="refused_requests", figure=30),
        Part(name="response_time_percent", figure=0.42),
        share_percent=1.2,
        repeated_requests=120,
        requests=10_000,
        lost_each_ms=2.34,
    ),
    observed(
        "requests-sent-twice",
        load("100/s"),
        Part(name="stale_connections", figure=1),
        share_percent=0.01,
        repeated_requests=1,
        requests=10_000,
        lost_each_ms=0.71,
    ),
)
DIRECTORY = (
    observed(
        "ldap-operations",
        load(),
        throughput(1200, 1180, 1220, "logins"),
        ratio(3600, 3540, 3660, "operations_per_s"),
        ratio(4800, 4720, 4880, "published_operations_per_s"),
        operations_each=3,
        published_operations_each=4,
        runs=3,
    ),
    observed(
        "directory-conditions",
        Part(name="waits_for_disk", figure=1),
        Part(name="access_log", text="off"),
        Part(name="vendor", text="OpenLDAP"),
        Part(name="version", text="2.6.10"),
        Part(name="transport", text="loopback"),
        Part(name="tls", text="TLSv1.3"),
        because=(finding("not-all-attributes"),),
        attributes="cn, mail",
    ),
    observed("directory-conditions"),
    observed(
        "directory-agrees",
        Part(name="operations", figure=1, text="bind"),
        Part(name="operations", figure=12_345, text="search"),
        Part(name="operations", figure=20, text="modify"),
    ),
    observed(
        "directory-not-compared",
        Part(name="target", text="ldap://a/dc=x"),
        Part(name="target", text="ldap://b/dc=x"),
        reason="several agents loaded it at once",
    ),
)


def tier(
    rule: str, name: str, busy: tuple[float, float, float], *parts: Part, processors: float = 8
) -> Finding:
    """Return a finding about the busiest tier."""
    return finding(
        rule,
        load("64 users"),
        Part(name="tier", text=name),
        ratio(*busy, name="cpu_percent"),
        *parts,
        scope="system",
        limit=50,
        unit="percent",
        processors=processors,
        runs=5,
    )


ON_DB1 = Part(name="host", text="db1")
BUSY = (76, 74, 78)
TIER = (
    tier("no-tier-half-full", "web", (12, 11, 13)),
    tier("tiers-share-processors", "web", BUSY, Part(name="host_cpu_percent", figure=98)),
    tier("tiers-share-processors", "database", BUSY, ON_DB1, Part(name="host_cpu_percent", figure=98)),
    tier("tiers-share-processors", "database", BUSY, ON_DB1),
    tier(
        "tier-fills-first",
        "database",
        BUSY,
        ON_DB1,
        Part(name="next_tier", text="web"),
        Part(name="next_cpu_percent", figure=31, span=(30, 32)),
    ),
    tier("tier-fills", "database", BUSY, processors=1),
    tier("tier-fills", "database", BUSY, processors=1.5),
    observed(
        "resource-fills-first",
        Part(name="resource", text="the web tier"),
        Part(name="level_users", figure=64),
        Part(name="level_users", figure=128),
        throughput(4120, of="orders"),
        users=1210,
    ),
    observed(
        "resource-fills-first",
        Part(name="resource", text="the web tier"),
        Part(name="resource", text="the whole of db1"),
        Part(name="level_users", figure=64),
        throughput(4120),
        users=1210,
    ),
)


def target(rule: str, others: int, **figures: float) -> Finding:
    """Return a target that is not like the others."""
    return finding(
        rule,
        load(),
        scope="system",
        limit=1.1,
        **figures,
        target="http://10.0.0.7",
        factor=1.31,
        others=others,
    )


TARGETS = (
    target("target-does-less", 0, throughput_per_s=812.3, usual_throughput_per_s=1064),
    target("target-does-more", 1, per_user_per_s=106.4, usual_per_user_per_s=81.2),
    target("target-answers-faster", 0, response_time_ms=4.1, usual_response_time_ms=5.37),
    target("target-answers-slower", 2, response_time_ms=5.37, usual_response_time_ms=4.1),
)


def curve(rule: str, **figures: float) -> Finding:
    """Return a finding about the bandwidth along the size of the arrays."""
    return finding(
        rule,
        system("thp"),
        scope="system",
        limit=10,
        unit="percent",
        kernel="read",
        **figures,
        users=1,
        sizes=12,
        smallest_bytes=1 << 14,
        largest_bytes=1 << 30,
    )


MEM = (system(), Part(name="workload", text="mem"))
MEMORY = (
    observed(
        "memory-bandwidth",
        system(),
        load("1 user"),
        ratio(14.21e9, 14.1e9, 14.3e9, "bytes_per_s", "read"),
        Part(name="width", text="avx2"),
        ratio(9.87e9, 9.8e9, 9.95e9, "bytes_per_s", "copy nt"),
        Part(name="width", text="avx2"),
    ),
    observed("memory-latency", system(), load("1 user"), ratio(92.4, 92.1, 92.8, "access_ns")),
    curve(
        "plateau",
        plateau_bytes=1 << 26,
        least_bytes_per_s=13.9e9,
        most_bytes_per_s=14.3e9,
        caches_bytes_per_s=112e9,
    ),
    curve("no-plateau"),
    curve("same-at-all-sizes", bytes_per_s=14.1e9),
    observed(
        "fastest-pass",
        *MEM,
        load("2 users"),
        ratio(21.34e9, 21.1e9, 21.6e9, "bytes_per_s", "copy nt"),
        runs_used=5,
    ),
    observed(
        "shortest-look-up",
        *MEM,
        load("1 user"),
        Part(name="access_ns", figure=92.4, text="chase"),
        runs_used=1,
    ),
    observed("no-pass-usable", *MEM),
)
DOES = (system(), load(), throughput(5120, 5080, 5160, "orders"))
METER = Part(name="meter", text="package-0")
DENSITY = finding(
    "density",
    system(),
    load("1,200 users"),
    *(
        Part(name=name, figure=value)
        for name, value in (
            ("rack_units", 2),
            ("users_per_rack_unit", 600),
            ("price", 12_500),
            ("users_per_1000_of_price", 96),
        )
    ),
    ratio(13.3, 13.1, 13.5, "users_per_watt"),
    Part(name="watts", figure=90.2),
    METER,
    scope="system",
    limit=500,
    unit="ms",
)
POWER = (
    observed(
        "energy-per-transaction",
        *DOES,
        ratio(0.0176, 0.0174, 0.0178, "joules_per_transaction"),
        METER,
        watts=90.2,
    ),
    observed(
        "energy-per-transaction", *DOES, ratio(0.0488, 0.0484, 0.0492, "joules_per_transaction"), watts=250
    ),
    observed("disks-replaced", *DOES, ratio(25.6, 25.4, 25.8, "disks", "disks"), disk_per_s=200),
    DENSITY,
    replace(DENSITY, parts=(*DENSITY.parts[:2], Part(name="rack_units", figure=1), DENSITY.parts[3])),
    observed("meter-not-read", meter="package-0"),
    observed(
        "meter-not-read",
        Part(name="meter_read", text="package-1"),
        Part(name="meter_read", text="psu"),
        meter="package-0",
    ),
)
OF_WORKLOADS = (*SERVER, *DATABASE, *WEB, *DIRECTORY, *TIER, *TARGETS, *MEMORY, *POWER)
