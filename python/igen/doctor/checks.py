"""THE list of what the doctor looks at: a subject, and a function that says what is lacking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from igen.doctor.finding import Finding, Machine
from igen.facts import (
    CPU_GOVERNOR,
    CPU_PROCESSORS,
    CPU_TURBO,
    ENVIRONMENT_LOAD_AVERAGE_1_MINUTE,
    ENVIRONMENT_LOCKED_MEMORY_LIMIT_BYTES,
    ENVIRONMENT_OPEN_FILES_LIMIT,
    ENVIRONMENT_ROOT,
    KERNEL_CLOCK_SOURCE,
    KERNEL_IO_URING_DISABLED,
    KERNEL_PERF_EVENT_PARANOID,
    MEMORY_HUGE_PAGES,
    MEMORY_SWAP_TOTAL_BYTES,
    MEMORY_TRANSPARENT_HUGE_PAGES,
)

ENOUGH_FILES = 65_536
"""Open files of 10,000 connections, with room for a server beside them."""
ENOUGH_LOCKED_BYTES = 64 << 20
"""Locked memory of some thousand I/Os in flight with registered buffers."""
MUCH_STOLEN = 0.01
HIGH_LOAD = 0.25
"""Load average for each processor from which on others are at work."""
PRECISE_CLOCKS = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page")
"""Clock sources that are read without a call of the kernel."""
FASTEST = "performance"


def _hardware_counters(machine: Machine) -> Finding | None:
    paranoid = machine.number(KERNEL_PERF_EVENT_PARANOID)
    if paranoid is None or paranoid < 2 or (machine.fact(ENVIRONMENT_ROOT) and paranoid < 4):
        return None
    return Finding(
        found=f"perf_event_paranoid is {paranoid:g}",
        costs="`perf` beside a run shows neither the kernel nor the processes of others: no reason for slow"
        " processors below the level of a process; no figure of iGen changes",
        remedy="sudo sysctl kernel.perf_event_paranoid=1",
    )


def _io_uring(machine: Machine) -> Finding | None:
    disabled = machine.number(KERNEL_IO_URING_DISABLED)
    if not disabled or (disabled == 1 and machine.fact(ENVIRONMENT_ROOT)):
        return None
    return Finding(
        found=f"io_uring_disabled is {disabled:g}",
        costs="`io` has one I/O in flight for each user and refuses a `depth` above 1, so that fast disks"
        " need many users; clients of servers take more processor time",
        remedy="sudo sysctl kernel.io_uring_disabled=0",
    )


def _open_files(machine: Machine) -> Finding | None:
    limit = machine.number(ENVIRONMENT_OPEN_FILES_LIMIT)
    if limit is None or limit >= ENOUGH_FILES:
        return None
    return Finding(
        found=f"{limit:,.0f} open files are allowed",
        costs=f"fewer than {limit:,.0f} users of servers; about {limit / 4:,.0f} users with a thread each",
        remedy=f"ulimit -n {ENOUGH_FILES}",
    )


def _locked_memory(machine: Machine) -> Finding | None:
    limit = machine.number(ENVIRONMENT_LOCKED_MEMORY_LIMIT_BYTES)
    if limit is None or limit >= ENOUGH_LOCKED_BYTES or machine.fact(ENVIRONMENT_ROOT):
        return None
    return Finding(
        found=f"{limit / 2**20:,.3g} MiB of memory may be locked",
        costs="`io` registers fewer buffers and takes more processor time for each I/O",
        remedy=f"ulimit -l {ENOUGH_LOCKED_BYTES >> 10}",
    )


def _governor(machine: Machine) -> Finding | None:
    governor = machine.fact(CPU_GOVERNOR)
    if governor is None or governor == FASTEST:
        return None
    found = " and ".join(governor) if isinstance(governor, list) else str(governor)
    return Finding(
        found=f"the frequency governor is {found}",
        costs="processors change their clock with the load: levels of few users look slower than they are,"
        " and runs differ",
        remedy="sudo cpupower frequency-set -g performance",
    )


def _turbo(machine: Machine) -> Finding | None:
    if machine.fact(CPU_TURBO) is not True:
        return None
    return Finding(
        found="turbo is on",
        costs="processors are faster while few of them work and while they are cool: scaling looks worse than"
        " it is, and the first minute better",
        remedy="echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
        " (others: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost)",
    )


def _clock(machine: Machine) -> Finding | None:
    clock = machine.fact(KERNEL_CLOCK_SOURCE)
    if clock is None or clock in PRECISE_CLOCKS:
        return None
    return Finding(
        found=f"the kernel's clock is {clock}",
        costs="each look at the clock is a call of the kernel of about 1 µs: short transactions look slower",
        remedy="start the kernel with clocksource=tsc where the processor has constant_tsc",
    )


def _stolen(machine: Machine) -> Finding | None:
    stolen = machine.stolen_fraction
    if stolen is None or stolen < MUCH_STOLEN:
        return None
    return Finding(
        found=f"the hypervisor gave {100 * stolen:.2g} % of the processors' time to others since the start",
        costs="runs that are disturbed are SUSPECT or INVALID, and repeated; differences must be larger to be"
        " seen",
        remedy="a machine with processors of its own; `igen ab` measures side by side",
    )


def _others(machine: Machine) -> Finding | None:
    load, processors = machine.number(ENVIRONMENT_LOAD_AVERAGE_1_MINUTE), machine.number(CPU_PROCESSORS)
    if load is None or not processors or load < HIGH_LOAD * processors:
        return None
    return Finding(
        found=f"the load average is {load:.2g} on {processors:g} processors",
        costs="others are at work: runs are disturbed, SUSPECT or INVALID, and repeated",
        remedy="`top` shows who; measure when it is quiet",
    )


def _noise(machine: Machine) -> Finding | None:
    if machine.knows_noise:
        return None
    return Finding(
        found="nobody has measured the noise of this machine",
        costs="`igen plan` cannot say how many repeats a difference needs, and comparisons of runs of"
        " different times know nothing of what differs between sessions",
        remedy="igen aa",
    )


def _swap(machine: Machine) -> Finding | None:
    swap = machine.number(MEMORY_SWAP_TOTAL_BYTES)
    if not swap:
        return None
    return Finding(
        found=f"there are {swap / 2**30:.3g} GiB of swap",
        costs="a database that is larger than memory is measured by the swap's disk, and not by its own",
        remedy="sudo swapoff -a",
    )


def _huge_pages(machine: Machine) -> Finding | None:
    if machine.number(MEMORY_HUGE_PAGES) or machine.fact(MEMORY_TRANSPARENT_HUGE_PAGES) == "always":
        return None
    if machine.fact(MEMORY_HUGE_PAGES) is None:
        return None
    return Finding(
        found="no huge pages are reserved",
        costs="`mem --set pages=hugetlb` does not run, and servers that ask for huge pages get small ones",
        remedy="sudo sysctl vm.nr_hugepages=1024 (2 GiB where pages have 2 MiB)",
    )


def _servers(machine: Machine) -> Finding | None:
    if not machine.missing_servers:
        return None
    return Finding(
        found=f"not installed: {', '.join(machine.missing_servers)}",
        costs="`igen instances up` cannot start them; servers that run elsewhere can be loaded all the same",
        remedy="sudo apt-get install postgresql mariadb-server slapd (those that you want to measure)",
    )


def _duckdb(machine: Machine) -> Finding | None:
    if machine.has_duckdb:
        return None
    return Finding(
        found="the library of DuckDB is not there",
        costs="`scan` cannot load its default target; the other engines can be scanned",
        remedy="igen fetch duckdb",
    )


CHECKS: dict[str, Callable[[Machine], Finding | None]] = {
    "other load": _others,
    "steal": _stolen,
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
"""By subject, in the order in which they are told: what disturbs figures before what is only not possible."""


def findings(machine: Machine) -> Iterator[Finding]:
    """What the machine lacks."""
    for subject, check in CHECKS.items():
        if (finding := check(machine)) is not None:
            yield replace(finding, subject=subject)
