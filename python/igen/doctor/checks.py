"""THE list of the doctor's checks: a subject, and a function that yields findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from igen.doctor.machine import Machine
from igen.facts import (
    CPU_GOVERNOR,
    CPU_PROCESSORS,
    CPU_TURBO,
    ENVIRONMENT_ALLOWED_PROCESSORS,
    ENVIRONMENT_CPU_LIMIT_PROCESSORS,
    ENVIRONMENT_LOAD_AVERAGE_1_MINUTE,
    ENVIRONMENT_LOCKED_MEMORY_LIMIT_BYTES,
    ENVIRONMENT_MEMORY_LIMIT_BYTES,
    ENVIRONMENT_OPEN_FILES_LIMIT,
    ENVIRONMENT_ROOT,
    KERNEL_CLOCK_SOURCE,
    KERNEL_IO_URING_DISABLED,
    KERNEL_PERF_EVENT_PARANOID,
    MEMORY_HUGE_PAGES,
    MEMORY_SWAP_TOTAL_BYTES,
    MEMORY_TOTAL_BYTES,
    MEMORY_TRANSPARENT_HUGE_PAGES,
)
from igen.judge.trust.finding import Finding, Part, finding

Found = Iterator[Finding]
ENOUGH_FILES = 65_536
"""Open files for 10,000 connections and a server on the same machine."""
ENOUGH_LOCKED_BYTES = 64 << 20
"""Locked memory for some thousand I/Os in flight with registered buffers."""
MUCH_STOLEN = 0.01
HIGH_LOAD = 0.25
"""Load average per processor that shows other programs."""
PRECISE_CLOCKS = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page")
"""Clock sources that are read without a system call."""
FASTEST = "performance"


def _hardware_counters(machine: Machine) -> Found:
    paranoid = machine.number(KERNEL_PERF_EVENT_PARANOID)
    if paranoid is not None and paranoid >= (4 if machine.fact(ENVIRONMENT_ROOT) else 2):
        yield finding("counters-restricted", perf_event_paranoid=paranoid)


def _io_uring(machine: Machine) -> Found:
    disabled = machine.number(KERNEL_IO_URING_DISABLED)
    if disabled and not (disabled == 1 and machine.fact(ENVIRONMENT_ROOT)):
        yield finding("io-uring-disabled", io_uring_disabled=disabled)


def _open_files(machine: Machine) -> Found:
    limit = machine.number(ENVIRONMENT_OPEN_FILES_LIMIT)
    if limit is not None and limit < ENOUGH_FILES:
        yield finding("few-open-files", limit=ENOUGH_FILES, open_files=limit)


def _locked_memory(machine: Machine) -> Found:
    limit = machine.number(ENVIRONMENT_LOCKED_MEMORY_LIMIT_BYTES)
    if limit is not None and limit < ENOUGH_LOCKED_BYTES and not machine.fact(ENVIRONMENT_ROOT):
        yield finding("little-locked-memory", limit=ENOUGH_LOCKED_BYTES, unit="bytes", locked_bytes=limit)


def _governor(machine: Machine) -> Found:
    governor = machine.fact(CPU_GOVERNOR)
    if governor is not None and governor != FASTEST:
        names = governor if isinstance(governor, list) else [governor]
        yield finding("governor-changes-clock", *(Part(name="governor", text=str(each)) for each in names))


def _turbo(machine: Machine) -> Found:
    if machine.fact(CPU_TURBO) is True:
        yield finding("turbo-changes-clock")


def _clock(machine: Machine) -> Found:
    clock = machine.fact(KERNEL_CLOCK_SOURCE)
    if clock is not None and clock not in PRECISE_CLOCKS:
        yield finding("slow-clock", clock=str(clock))


def _stolen(machine: Machine) -> Found:
    stolen = machine.stolen_fraction
    if stolen is not None and stolen >= MUCH_STOLEN:
        yield finding("stolen-since-start", stolen_percent=100 * stolen)


def _others(machine: Machine) -> Found:
    load, processors = machine.number(ENVIRONMENT_LOAD_AVERAGE_1_MINUTE), machine.number(CPU_PROCESSORS)
    if load is not None and processors and load >= HIGH_LOAD * processors:
        yield finding("others-at-work", load_average=load, processors=processors)


def _limits(machine: Machine) -> Found:
    for rule, limit, whole in (
        ("processor-quota", ENVIRONMENT_CPU_LIMIT_PROCESSORS, CPU_PROCESSORS),
        ("processors-not-allowed", ENVIRONMENT_ALLOWED_PROCESSORS, CPU_PROCESSORS),
        ("memory-limited", ENVIRONMENT_MEMORY_LIMIT_BYTES, MEMORY_TOTAL_BYTES),
    ):
        allowed, all_there = machine.number(limit), machine.number(whole)
        if allowed is not None and all_there is not None and allowed < all_there:
            yield finding(rule, allowed=allowed, machine=all_there)


def _noise(machine: Machine) -> Found:
    if not machine.knows_noise:
        yield finding("noise-unknown")


def _swap(machine: Machine) -> Found:
    if swap := machine.number(MEMORY_SWAP_TOTAL_BYTES):
        yield finding("swap-on", swap_bytes=swap)


def _huge_pages(machine: Machine) -> Found:
    always = machine.fact(MEMORY_TRANSPARENT_HUGE_PAGES) == "always"
    if machine.fact(MEMORY_HUGE_PAGES) is not None and not (machine.number(MEMORY_HUGE_PAGES) or always):
        yield finding("no-huge-pages")


def _servers(machine: Machine) -> Found:
    if machine.missing_servers:
        yield finding(
            "servers-missing", *(Part(name="server", text=each) for each in machine.missing_servers)
        )


def _duckdb(machine: Machine) -> Found:
    if not machine.has_duckdb:
        yield finding("duckdb-missing")


CHECKS: dict[str, Callable[[Machine], Found]] = {
    "other load": _others,
    "steal": _stolen,
    "limits": _limits,
    "noise": _noise,
    "governor": _governor,
    "turbo": _turbo,
    "clock": _clock,
    "swap": _swap,
    "huge pages": _huge_pages,
    "open files": _open_files,
    "locked memory": _locked_memory,
    "io_uring": _io_uring,
    "hardware counters": _hardware_counters,
    "servers": _servers,
    "DuckDB": _duckdb,
}
"""Checks by subject, in the order of the output: disturbances first, then missing features."""


def findings(machine: Machine) -> Iterator[tuple[str, Finding]]:
    """Yield the findings with their subjects."""
    for subject, check in CHECKS.items():
        yield from ((subject, each) for each in check(machine))
