//! Checks of the machine itself: memory, processors, limits.

use igen_kernel::control_groups::ControlGroups;

use super::area::Area;
use super::check::State::{Check as Look, Fail, Info, Pass};
use super::check::{Check, Found};
use super::machine::Machine;
use crate::show::short;

const VM: &str = "Linux, admin-guide/sysctl/vm.rst";
const KERNEL: &str = "Linux, admin-guide/sysctl/kernel.rst";
const FS: &str = "Linux, admin-guide/sysctl/fs.rst";
const THP: &str = "sys/kernel/mm/transparent_hugepage";
const GIB: u64 = 1 << 30;

/// The list.
pub(super) const CHECKS: &[Check] = &[
    Check {
        area: Area::Host,
        name: "transparent huge pages",
        good: "madvise",
        why: "programs that request huge pages get them; others, such as databases, do not grow by whole huge \
              pages and do not wait for them",
        source: "Linux, admin-guide/mm/transhuge.rst; large pages: 256 MB pages of the Solaris tuning notes for Siebel",
        change: "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled",
        judge: |machine| {
            let mode = machine.choice(&format!("{THP}/enabled"))?;
            Some((
                if mode == "never" {
                    Info
                } else {
                    Look.unless(mode == "madvise")
                },
                mode,
            ))
        },
    },
    Check {
        area: Area::Host,
        name: "making of huge pages",
        good: "not always",
        why: "otherwise a page fault waits while the kernel moves memory",
        source: "Linux, admin-guide/mm/transhuge.rst",
        change: "echo madvise > /sys/kernel/mm/transparent_hugepage/defrag",
        judge: |machine| {
            let mode = machine.choice(&format!("{THP}/defrag"))?;
            Some((Look.unless(mode != "always"), mode))
        },
    },
    Check {
        area: Area::Host,
        name: "swappiness",
        good: "at most 10, or no swap",
        why: "otherwise the kernel swaps out memory of servers to cache files that are read only once",
        source: VM,
        change: "sysctl vm.swappiness=10",
        judge: |machine| {
            let value = machine.number("proc/sys/vm/swappiness")?;
            let swap = machine.memory_bytes("SwapTotal")?;
            let text = if swap == 0 {
                format!("{value}, no swap")
            } else {
                value.to_string()
            };
            Some((Look.unless(swap == 0 || value <= 10), text))
        },
    },
    Check {
        area: Area::Host,
        name: "dirty pages before writing in the background",
        good: "at most 1 GiB",
        why: "writing much data at once blocks other users of the same disk",
        source: VM,
        change: "sysctl vm.dirty_background_bytes=268435456",
        judge: |machine| dirty(machine, "dirty_background", GIB),
    },
    Check {
        area: Area::Host,
        name: "dirty pages before writers wait",
        good: "at most 4 GiB",
        why: "at this limit a writing program waits until the data are on the disk",
        source: VM,
        change: "sysctl vm.dirty_bytes=1073741824",
        judge: |machine| dirty(machine, "dirty", 4 * GIB),
    },
    Check {
        area: Area::Host,
        name: "overcommit of memory",
        good: "any; with 2, large servers may fail to start",
        why: "only with 2 does memory count that a server reserves but does not use",
        source: "Linux, mm/overcommit-accounting.rst",
        change: "sysctl vm.overcommit_memory",
        judge: |machine| {
            machine
                .number("proc/sys/vm/overcommit_memory")
                .map(|mode| (Info, mode.to_string()))
        },
    },
    Check {
        area: Area::Host,
        name: "reclaim of the own node first",
        good: "0",
        why: "otherwise a node drops its page cache although other nodes have free memory",
        source: VM,
        change: "sysctl vm.zone_reclaim_mode=0",
        judge: |machine| {
            let mode = machine.number("proc/sys/vm/zone_reclaim_mode")?;
            Some((Fail.unless(mode == 0), mode.to_string()))
        },
    },
    Check {
        area: Area::Host,
        name: "balancing between nodes of memory",
        good: "off if servers place their memory themselves",
        why: "the kernel unmaps pages to find their users, but databases spread their memory on purpose",
        source: "Linux, admin-guide/sysctl/kernel.rst; NUMA optimisation off: Solaris tuning notes for Oracle",
        change: "sysctl kernel.numa_balancing=0",
        judge: |machine| {
            let on = machine.number("proc/sys/kernel/numa_balancing")? != 0;
            let nodes = machine.names("sys/devices/system/node");
            let nodes = nodes.iter().filter(|name| name.starts_with("node")).count();
            let text = format!("{}, nodes: {nodes}", if on { "on" } else { "off" });
            Some((Look.unless(!on || nodes < 2), text))
        },
    },
    Check {
        area: Area::Host,
        name: "mappings of one process",
        good: "at least 65,530",
        why: "a server that maps many files fails at this limit",
        source: VM,
        change: "sysctl vm.max_map_count=262144",
        judge: |machine| {
            let most = machine.number("proc/sys/vm/max_map_count")?;
            Some((Fail.unless(most >= 65_530), most.to_string()))
        },
    },
    Check {
        area: Area::Host,
        name: "frequency governor",
        good: "performance",
        why: "otherwise processors change their clock with the load, and are slow after a pause",
        source: "Linux, admin-guide/pm/cpufreq.rst",
        change: "cpupower frequency-set -g performance",
        judge: |machine| {
            let governor = machine.text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")?;
            Some((Look.unless(governor == "performance"), governor))
        },
    },
    Check {
        area: Area::Host,
        name: "idle states",
        good: "any; leaving deep states takes 100 µs and more",
        why: "the first request after a pause waits until its processor is awake",
        source: "Linux, admin-guide/pm/cpuidle.rst",
        change: "cpupower idle-set -D 10",
        judge: |machine| {
            let folder = "sys/devices/system/cpu/cpu0/cpuidle";
            let states = machine.names(folder);
            let latencies = states
                .iter()
                .filter_map(|state| machine.number(&format!("{folder}/{state}/latency")));
            latencies
                .max()
                .map(|latency_us| (Info, format!("deepest: {latency_us} µs")))
        },
    },
    Check {
        area: Area::Host,
        name: "mitigations",
        good: "the same on all compared machines",
        why: "system calls and page faults cost more with them",
        source: "Linux, admin-guide/hw-vuln",
        change: "nothing; compare only machines with the same setting",
        judge: |machine| {
            let folder = "sys/devices/system/cpu/vulnerabilities";
            let names = machine.names(folder);
            let of = |name: &String| machine.text(&format!("{folder}/{name}"));
            let on = names
                .iter()
                .filter_map(of)
                .filter(|text| text.starts_with("Mitigation"))
                .count();
            (!names.is_empty()).then(|| (Info, format!("{on} of {} in effect", names.len())))
        },
    },
    Check {
        area: Area::Host,
        name: "two threads on each core",
        good: "known",
        why: "two threads share the units of a core, so processor time above 50 % does not grow linearly with the load",
        source: "Linux, admin-guide/hw-vuln/l1tf.rst",
        change: "nothing; report it with the result",
        judge: |machine| {
            let on = machine.number("sys/devices/system/cpu/smt/active")? != 0;
            Some((Info, if on { "on" } else { "off" }.to_owned()))
        },
    },
    Check {
        area: Area::Host,
        name: "time stolen by the hypervisor",
        good: "below 1 %",
        why: "other guests use the same processors and influence the results",
        source: "proc_stat(5)",
        change: "use a machine with dedicated processors",
        judge: |machine| {
            let text = machine.text("proc/stat")?;
            let ticks = text.lines().next()?.split_ascii_whitespace().skip(1);
            let ticks: Vec<f64> = ticks.filter_map(|word| word.parse().ok()).take(8).collect();
            let percent = 100.0 * ticks.get(7)? / ticks.iter().sum::<f64>().max(1.0);
            Some((
                Fail.unless(percent < 1.0),
                format!("{percent:.2} % since the start"),
            ))
        },
    },
    Check {
        area: Area::Host,
        name: "clock source",
        good: "a source without system calls: tsc, kvm-clock, arch_sys_counter",
        why: "servers read the time often; with a system call it takes 1 µs instead of 30 ns",
        source: "Linux, timers/timekeeping.rst",
        change: "start the kernel with clocksource=tsc",
        judge: |machine| {
            let now =
                machine.text("sys/devices/system/clocksource/clocksource0/current_clocksource")?;
            let fast = [
                "tsc",
                "kvm-clock",
                "arch_sys_counter",
                "hyperv_clocksource_tsc_page",
            ];
            Some((Fail.unless(fast.contains(&now.as_str())), now))
        },
    },
    Check {
        area: Area::Host,
        name: "microcode",
        good: "the newest version of the maker",
        why: "fixes in microcode change the speed of a processor",
        source: "firmware up to date: Solaris tuning notes for Siebel",
        change: "the package of the distribution: intel-microcode, amd64-microcode",
        judge: |machine| {
            let text = machine.text("proc/cpuinfo")?;
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("microcode"))?;
            Some((Info, line.trim_start_matches([' ', '\t', ':']).to_owned()))
        },
    },
    Check {
        area: Area::Host,
        name: "firmware",
        good: "the newest version of the maker",
        why: "it sets memory timings, power limits and idle states",
        source: "firmware up to date: Solaris tuning notes for Siebel",
        change: "fwupdmgr update, or the maker's own program",
        judge: |machine| {
            machine
                .text("sys/class/dmi/id/bios_date")
                .map(|date| (Info, format!("of {date}")))
        },
    },
    Check {
        area: Area::Host,
        name: "kernel",
        good: "a kernel that its distribution still maintains",
        why: "updating the system is the first step of tuning (Solaris tuning notes for Siebel)",
        source: "kernel.org, releases",
        change: "the newest update of the distribution",
        judge: |machine| {
            machine
                .text("proc/sys/kernel/osrelease")
                .map(|release| (Info, release))
        },
    },
    Check {
        area: Area::Host,
        name: "autogroups of the scheduler",
        good: "0 on a server",
        why: "each session gets the same share, even with many threads: a benchmark in one terminal gets no more \
              than an idle shell in another",
        source: "sched(7), the autogroup feature",
        change: "sysctl kernel.sched_autogroup_enabled=0",
        judge: |machine| {
            let on = machine.number("proc/sys/kernel/sched_autogroup_enabled")?;
            Some((Look.unless(on == 0), on.to_string()))
        },
    },
    Check {
        area: Area::Host,
        name: "open files of all processes",
        good: "below 80 % of fs.file-max",
        why: "at this limit no process can open another file or connection",
        source: FS,
        change: "sysctl fs.file-max",
        judge: |machine| share_of(machine, "proc/sys/fs/file-nr", 0, 2),
    },
    Check {
        area: Area::Host,
        name: "asynchronous I/Os of all processes",
        good: "below 80 % of fs.aio-max-nr",
        why: "at this limit databases fall back to one I/O at a time",
        source: FS,
        change: "sysctl fs.aio-max-nr=1048576",
        judge: |machine| {
            let used = machine.number("proc/sys/fs/aio-nr")?;
            let most = machine.number("proc/sys/fs/aio-max-nr")?;
            Some((
                Fail.unless(used * 5 < most * 4),
                format!("{used} of {most}"),
            ))
        },
    },
    Check {
        area: Area::Host,
        name: "open files of a process",
        good: "at least 65,536; never less than 2,048",
        why: "each connection and each table needs a file",
        source: "getrlimit(2); 2,048 files: Solaris tuning notes for Siebel",
        change: "LimitNOFILE=65536 in the unit of the service, or ulimit -n 65536",
        judge: |machine| limit(machine, "Max open files", 2_048, 65_536),
    },
    Check {
        area: Area::Host,
        name: "memory that a process may lock",
        good: "unlimited for databases that lock memory",
        why: "locked memory is never swapped out; io_uring registers its buffers with it",
        source: "getrlimit(2)",
        change: "LimitMEMLOCK=infinity in the unit of the service",
        judge: |machine| {
            limit(machine, "Max locked memory", 0, 64 << 20)
                .map(|(state, text)| (if state == Pass { Pass } else { Info }, text))
        },
    },
    Check {
        area: Area::Host,
        name: "quota of processors",
        good: "no quota, or one that the server takes into account",
        why: "a server starts a thread for each visible processor, and then waits when its quota is used up",
        source: "Linux, admin-guide/cgroup-v2.rst; CPU_COUNT: Solaris tuning notes for Oracle",
        change: "cpu.max of the control group, or the number of threads in the server",
        judge: quota,
    },
    Check {
        area: Area::Host,
        name: "time of real-time threads",
        good: "950,000 of 1,000,000 µs",
        why: "with -1, a spinning thread of fixed priority can block the whole machine",
        source: KERNEL,
        change: "sysctl kernel.sched_rt_runtime_us=950000",
        judge: |machine| {
            let text = machine.text("proc/sys/kernel/sched_rt_runtime_us")?;
            Some((Look.unless(text != "-1"), text))
        },
    },
];

/// Bytes, or a share of memory: of each pair one is set, and the other says 0.
fn dirty(machine: &Machine, name: &str, most: u64) -> Found {
    let set = machine.number(&format!("proc/sys/vm/{name}_bytes"))?;
    let percent = machine.number(&format!("proc/sys/vm/{name}_ratio"))?;
    let bytes = if set > 0 {
        set
    } else {
        machine.memory_bytes("MemAvailable")? / 100 * percent
    };
    Some((Look.unless(bytes <= most), crate::show::bytes_text(bytes)))
}

/// The least quota of its control group and of the groups above it.
fn quota(machine: &Machine) -> Found {
    let groups = ControlGroups::of(machine.root(), &machine.process());
    let least = groups.processors();
    let text = least.map_or_else(
        || "none".to_owned(),
        |least| format!("{} of {} processors", short(least), machine.processors()),
    );
    (!groups.is_unknown("cpu")).then(|| (Look.unless(least.is_none()), text))
}

fn share_of(machine: &Machine, path: &str, used: usize, most: usize) -> Found {
    let numbers = machine.numbers(path)?;
    let (used, most) = (*numbers.get(used)?, *numbers.get(most)?);
    Some((
        Fail.unless(used < most / 5 * 4),
        format!("{used} of {most}"),
    ))
}

/// The soft limit of the server, or of this process.
pub(super) fn limit(machine: &Machine, name: &str, least: u64, enough: u64) -> Found {
    let text = machine.text(&format!("proc/{}/limits", machine.process()))?;
    let soft = text
        .lines()
        .find_map(|line| line.strip_prefix(name))?
        .split_ascii_whitespace()
        .next()?
        .to_owned();
    let number = soft.parse().unwrap_or(u64::MAX);
    let state = if number < least {
        Fail
    } else {
        Look.unless(number >= enough)
    };
    Some((state, soft))
}
