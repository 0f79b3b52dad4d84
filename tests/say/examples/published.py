"""Published figures that disagree with each other, and what follows from them."""

from __future__ import annotations

from igen.judge.trust.finding import Part, finding


def likewise(*statistics: str) -> list[Part]:
    """Return the other lines that break the same rule."""
    return [Part(name="likewise", text=each) for each in statistics]


def mean(statistic: str, computed_ms: float, published_ms: float) -> list[Part]:
    """Return a mean that was computed, and the published one."""
    return [
        Part(name="computed_ms", figure=computed_ms, text=statistic),
        Part(name="published_ms", figure=published_ms),
    ]


RATE = {
    "statistic": "Searches",
    "count": 49_647_440,
    "duration_s": 1800,
    "computed_per_s": 27_581.9,
    "published_per_s": 34_239.614,
    "needed_s": 1450,
}
PARTS = finding(
    "parts-disagree",
    Part(name="part", text="A"),
    Part(name="part", text="B"),
    statistic="Whole",
    published_ms=10,
    sum_ms=4,
)
OF_PUBLISHED = (
    finding("rate-disagrees", **RATE),
    finding("rate-disagrees", *likewise("Entries"), **RATE, intervals=29, interval_s=50),
    finding(
        "means-disagree", *mean("Bind", 476.5, 47.652), *mean("Search", 1.04, 10.403), total_ms=4765, count=10
    ),
    finding(
        "count-disagrees",
        *likewise("Bind Time", "Modify Time"),
        statistic="Search Time",
        values=4_964_747,
        counted_by="Searches",
        counted=49_647_440,
        ratio=10,
    ),
    PARTS,
    finding(
        "operations-disagree",
        sum_per_s=41_796,
        sum_per_transaction=10,
        published_per_s=45_980,
        published_per_transaction=11,
    ),
    finding("table-disagrees", table="iGenLDAPs", because=[PARTS]),
    finding("users-per-watt-disagree", users=28_000, watts=2107, computed=13.289, published="13.2"),
    finding("memory-of-tiers-disagrees", sum_gb=3, published_gb=4),
    finding(
        "cpu-of-tiers-disagrees",
        Part(name="tier_percent", figure=78, text="web"),
        Part(name="tier_percent", figure=72, text="database"),
        whole_percent=82,
    ),
    finding(
        "advantage-disagrees",
        claim="S against H",
        users=14_000,
        other_users=5200,
        computed=2.69,
        published="2.5",
    ),
    finding(
        "advantage-disagrees",
        claim="S against I",
        users=14_000,
        other_users=7000,
        computed=2,
        published="1.9",
        metric="throughput",
    ),
    finding("watts-cut", chip="SPARC64 VII+", watts=140, threads=8, computed=17.5, published="17"),
    finding(
        "disks-generous", product="F5100", ios_per_s=100_110, disks=200, each_per_s=500.55, disk_per_s=250
    ),
    finding("published-think-time", users=7500, transactions_per_s=155, response_s=0.22, think_s=48.167),
    finding("published-scaling", nodes=4, ratio=3.742, efficiency_percent=93.55),
)
