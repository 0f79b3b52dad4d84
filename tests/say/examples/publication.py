"""What `igen publish lint` finds before a figure is published, and what it does not know."""

from __future__ import annotations

from igen.judge.trust.finding import Part, finding


def texts(name: str, *named: str) -> list[Part]:
    """Return a part of that name for each text."""
    return [Part(name=name, text=text) for text in named]


def sizes(data: str, cache: str) -> list[Part]:
    """Return the sizes of data and of what caches it."""
    return [
        Part(name="data_bytes", figure=float(1 << 20), text=data),
        Part(name="cache_bytes", figure=float(1 << 30), text=cache),
    ]


PAIR = {"of": "B", "base": "A"}
OF_PUBLICATIONS = (
    finding(
        "not-durable",
        Part(name="target.postgresql.fsync", text="off"),
        Part(name="target.postgresql.synchronous_commit", text="off"),
    ),
    finding("modifies-not-flushed"),
    finding("files-in-memory", path="shop.db", file_system="tmpfs"),
    finding("data-in-memory", *sizes("files", "page cache"), limit=2),
    finding("data-in-memory", *sizes("database", "memory"), limit=2),
    finding("data-in-memory", *sizes("database", "server"), limit=2),
    finding("high-hit-ratio", hit_percent=99.72),
    finding("few-entries-accessed", accessed=20, entries=10_000),
    finding("nothing-returned", counter="rows_read", transactions=135_000),
    finding("few-keys", Part(name="keys", figure=200, text="customers"), limit=1000),
    finding("few-attributes", attributes="cn"),
    finding("few-checkpoints", limit=3, window_s=90, checkpoint_s=300),
    finding("short-window", limit=60, window_s=30),
    finding("planned-once"),
    finding("levels-run-once", levels=3, all_levels=4),
    finding("peak-at-last-load"),
    finding("processors-shared", driver_cpu_percent=31),
    finding("processors-shared"),
    finding("governor-not-fastest", governor="powersave"),
    finding("turbo-on"),
    finding(
        "machines-differ",
        *texts("cpu.governor", "powersave", "performance"),
        *texts("cpu.turbo", "True", "False"),
        **PAIR,
    ),
    finding("factors-differ", *texts("factor", "cpu.governor", "target.sqlite.journal_mode"), **PAIR),
    finding("not-side-by-side", **PAIR),
    finding("closed-percentile", threshold="p99 of response > 20ms"),
    finding("closed-percentile", side="B (clerks)", answer="slower"),
    finding("figures-disagree", because=[finding("memory-of-tiers-disagrees", sum_gb=3, published_gb=4)]),
    finding(
        "think-times-differ",
        *(
            Part(name=name, figure=figure)
            for name, figure in (("users", 480), ("think_s", 47.8), ("users", 960), ("think_s", 23.6))
        ),
    ),
    finding("ratio-without-base", ratios=1, ratio=0.9, test="R1", product="P"),
    finding("page-cache-unknown"),
    finding("file-size-unknown"),
    finding("database-size-unknown"),
    finding("hit-ratio-unknown"),
    finding("settings-unknown", *texts("setting", "target.mysql.innodb_doublewrite")),
    finding("flush-unknown"),
    finding("file-system-unknown"),
    finding("governor-unknown"),
    finding("turbo-unknown"),
    finding("checkpoints-unknown"),
)
