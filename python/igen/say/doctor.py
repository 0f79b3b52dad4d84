"""Advice about the setup of a machine: what a shortcoming costs, and how to remove it."""

from __future__ import annotations

from collections.abc import Callable

from igen.say.advice import Advice
from igen.say.group import Group


def _open_files(group: Group) -> Advice:
    files = group.findings[0].figure("open_files")
    return Advice(
        f"{files:,.0f} open files are allowed",
        f"limits a load to {files:,.0f} users of a server, or about {files / 4:,.0f} with a thread each",
        f"ulimit -n {group.findings[0].limit:.0f}",
    )


def _locked_memory(group: Group) -> Advice:
    found = group.findings[0]
    return Advice(
        f"{found.figure('locked_bytes') / 2**20:,.3g} MiB of memory may be locked",
        "`io` registers fewer buffers and takes more processor time for each I/O",
        f"ulimit -l {(found.limit or 0) / 2**10:.0f}",
    )


def _memory(group: Group) -> Advice:
    allowed, machine = (group.findings[0].figure(name) / 2**30 for name in ("allowed", "machine"))
    return Advice(
        f"iGen may use {allowed:.3g} GiB of the {machine:.3g} GiB of memory",
        "the kernel kills a load or a server that takes more, and page cache counts as well",
        "raise the limit of the control group or container (memory.max, docker run --memory) or of ulimit -v",
    )


ADVICE: dict[str, Callable[[Group], Advice]] = {
    "others-at-work": lambda group: Advice(
        f"the load average is {group.number('load_average', '.2g')} on {group.number('processors', 'g')} "
        "processors",
        "other programs are running: runs will be disturbed (SUSPECT or INVALID) and repeated",
        "`top` shows the programs; measure when the machine is idle",
    ),
    "stolen-since-start": lambda group: Advice(
        f"the hypervisor gave {group.percent('stolen_percent')} of the processors' time to others since the "
        "start",
        "disturbed runs are SUSPECT or INVALID and repeated; only larger differences can be shown",
        "use a machine with dedicated processors; `igen ab` measures two systems side by side",
    ),
    "processor-quota": lambda group: Advice(
        f"a quota allows {group.number('allowed', '.3g')} of {group.number('machine', 'g')} processors",
        "when the quota is used up, the load stands still until the next period: such runs are SUSPECT",
        "raise the quota of the control group or container (cpu.max, docker run --cpus)",
    ),
    "processors-not-allowed": lambda group: Advice(
        f"iGen may use {group.number('allowed', 'g')} of {group.number('machine', 'g')} processors",
        "the load has fewer processors than the facts of the machine say",
        "start without taskset, or with more processors in the cpuset of the control group or container",
    ),
    "memory-limited": _memory,
    "noise-unknown": lambda _: Advice(
        "the noise of this machine is unknown",
        "`igen noise plan` cannot compute how many repeats a difference needs, and a comparison of runs from"
        " different times cannot account for the noise between sessions",
        "igen noise measure",
    ),
    "governor-changes-clock": lambda group: Advice(
        f"the frequency governor is {' and '.join(group.texts('governor'))}",
        "processors change their clock with the load: levels with few users look slower than they are,"
        " and runs differ more",
        "sudo cpupower frequency-set -g performance",
    ),
    "turbo-changes-clock": lambda _: Advice(
        "turbo is on",
        "processors are faster while few of them work and while they are cool: scaling looks worse than"
        " it is, and the first minute better",
        "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
        " (without intel_pstate: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost)",
    ),
    "slow-clock": lambda group: Advice(
        f"the kernel's clock is {group.listed('clock')}",
        "each reading of the clock is a system call of about 1 µs: short transactions look slower",
        "start the kernel with clocksource=tsc if the processor has constant_tsc",
    ),
    "swap-on": lambda group: Advice(
        f"there are {group.findings[0].figure('swap_bytes') / 2**30:.3g} GiB of swap",
        "a database that is larger than memory may run at the speed of the swap disk, not of its own disk",
        "sudo swapoff -a",
    ),
    "no-huge-pages": lambda _: Advice(
        "no huge pages are reserved",
        "`mem --set pages=hugetlb` does not run, and servers that ask for huge pages get small ones",
        "sudo sysctl vm.nr_hugepages=1024 (2 GiB if pages have 2 MiB)",
    ),
    "few-open-files": _open_files,
    "little-locked-memory": _locked_memory,
    "io-uring-disabled": lambda group: Advice(
        f"io_uring_disabled is {group.number('io_uring_disabled', 'g')}",
        "`io` has one I/O in flight for each user and refuses a `depth` above 1, so that fast disks"
        " need many users; clients of servers take more processor time",
        "sudo sysctl kernel.io_uring_disabled=0",
    ),
    "counters-restricted": lambda group: Advice(
        f"perf_event_paranoid is {group.number('perf_event_paranoid', 'g')}",
        "`perf` shows neither the kernel nor processes of other users, so it cannot explain all processor"
        " time; iGen's own figures are not affected",
        "sudo sysctl kernel.perf_event_paranoid=1",
    ),
    "servers-missing": lambda group: Advice(
        f"not installed: {', '.join(group.texts('server'))}",
        "`igen instances up` cannot start them; servers elsewhere can still be loaded",
        "sudo apt-get install postgresql mariadb-server slapd (only the servers that you want to measure)",
    ),
    "duckdb-missing": lambda _: Advice(
        "the DuckDB library is not installed",
        "`scan` cannot load its default target; the other engines can be scanned",
        "igen install duckdb",
    ),
}
