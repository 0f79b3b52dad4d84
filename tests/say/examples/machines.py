"""What `igen doctor` finds that a machine lacks."""

from __future__ import annotations

from igen.judge.trust.finding import Part, finding

OF_MACHINES = (
    finding("others-at-work", load_average=4, processors=8),
    finding("stolen-since-start", stolen_percent=3.4),
    finding("processor-quota", allowed=0.5, machine=8),
    finding("processors-not-allowed", allowed=2, machine=8),
    finding("memory-limited", allowed=400 << 20, machine=8 << 30),
    finding("noise-unknown"),
    finding(
        "governor-changes-clock",
        Part(name="governor", text="powersave"),
        Part(name="governor", text="performance"),
    ),
    finding("turbo-changes-clock"),
    finding("slow-clock", clock="hpet"),
    finding("swap-on", swap_bytes=2 << 30),
    finding("no-huge-pages"),
    finding("few-open-files", limit=65_536, open_files=1024),
    finding("little-locked-memory", limit=64 << 20, unit="bytes", locked_bytes=65_536),
    finding("io-uring-disabled", io_uring_disabled=1),
    finding("counters-restricted", perf_event_paranoid=2),
    finding("servers-missing", Part(name="server", text="mariadb"), Part(name="server", text="openldap")),
    finding("duckdb-missing"),
)
