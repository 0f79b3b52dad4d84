//! Checks of block devices and file systems.

use super::area::Area;
use super::check::Check;
use super::check::State::{Check as Look, Fail, Info};
use super::machine::Machine;

/// Devices that have no hardware of their own behind them.
const VIRTUAL: [&str; 5] = ["loop", "ram", "zram", "sr", "fd"];

/// The list.
pub(super) const CHECKS: &[Check] = &[
    Check {
        area: Area::Storage,
        name: "scheduler of I/Os",
        good: "none or mq-deadline",
        why: "bfq and kyber share a disk fairly between programs, which costs a server time",
        source: "Linux, block/switching-sched.rst",
        change: "echo none > /sys/block/DEVICE/queue/scheduler",
        judge: |machine| {
            let mut bad = false;
            let text = each(machine, |device| {
                let path = format!("sys/block/{device}/queue/scheduler");
                let name = machine.choice(&path).or_else(|| machine.text(&path))?;
                bad |= name != "none" && name != "mq-deadline";
                Some(name)
            })?;
            Some((Look.unless(!bad), text))
        },
    },
    Check {
        area: Area::Storage,
        name: "read-ahead",
        good: "at least 128 KiB; several MiB for large scans",
        why: "a scan waits for data that were not read ahead",
        source: "Linux, ABI/stable/sysfs-block; read-ahead of the array: Solaris tuning notes for Siebel",
        change: "blockdev --setra 8192 /dev/DEVICE",
        judge: |machine| {
            let mut bad = false;
            let text = each(machine, |device| {
                let kib = machine.number(&format!("sys/block/{device}/queue/read_ahead_kb"))?;
                bad |= kib < 128;
                Some(format!("{kib} KiB"))
            })?;
            Some((Look.unless(!bad), text))
        },
    },
    Check {
        area: Area::Storage,
        name: "write cache",
        good: "any; with a write cache, durability needs flushes, and these take time",
        why: "a commit waits for the flush of a volatile cache",
        source: "Linux, block/writeback_cache_control.rst",
        change: "nothing; report it with the result",
        judge: |machine| {
            each(machine, |device| {
                machine.text(&format!("sys/block/{device}/queue/write_cache"))
            })
            .map(|text| (Info, text))
        },
    },
    Check {
        area: Area::Storage,
        name: "requests in the queue of a device",
        good: "at least 64",
        why: "fewer requests do not keep a fast disk busy",
        source: "Linux, ABI/stable/sysfs-block",
        change: "echo 256 > /sys/block/DEVICE/queue/nr_requests",
        judge: |machine| {
            let mut bad = false;
            let text = each(machine, |device| {
                let count = machine.number(&format!("sys/block/{device}/queue/nr_requests"))?;
                bad |= count < 64;
                Some(count.to_string())
            })?;
            Some((Look.unless(!bad), text))
        },
    },
    Check {
        area: Area::Storage,
        name: "times of reading",
        good: "relatime or noatime",
        why: "with strictatime each read of a file causes a write",
        source: "mount(8)",
        change: "mount -o remount,noatime",
        judge: |machine| options(machine, "strictatime", false),
    },
    Check {
        area: Area::Storage,
        name: "write barriers",
        good: "on",
        why: "without barriers a power failure damages file systems and databases",
        source: "ext4(5), xfs(5)",
        change: "mount without nobarrier and barrier=0",
        judge: |machine| options(machine, "barrier", true),
    },
    Check {
        area: Area::Storage,
        name: "discards while files are deleted",
        good: "off; fstrim once a week",
        why: "some disks block all other I/O during a discard",
        source: "fstrim(8)",
        change: "mount without discard, and run `systemctl enable fstrim.timer`",
        judge: |machine| options(machine, "discard", false),
    },
];

/// Those that have hardware behind them.
pub(super) fn devices(machine: &Machine) -> Vec<String> {
    let mut names = machine.names("sys/block");
    names.retain(|name| !VIRTUAL.iter().any(|kind| name.starts_with(kind)));
    names
}

/// What each device says; none where no device says anything.
fn each(machine: &Machine, mut of: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let said: Vec<String> = devices(machine)
        .iter()
        .filter_map(|name| Some(format!("{name}: {}", of(name)?)))
        .collect();
    (!said.is_empty()).then(|| said.join(", "))
}

/// Mounted devices with an option; `off` where it is bad to have switched it off rather than on.
fn options(machine: &Machine, option: &str, off: bool) -> super::check::Found {
    let text = machine.text("proc/self/mounts")?;
    let bad = |word: &str| {
        if off {
            word == format!("no{option}") || word == format!("{option}=0")
        } else {
            word == option
        }
    };
    let mounts: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let has = words.first()?.starts_with("/dev/") && words.get(3)?.split(',').any(bad);
            has.then(|| words.get(1).copied())?
        })
        .collect();
    let state = if off { Fail } else { Look };
    let text = if mounts.is_empty() {
        "on no mount".to_owned()
    } else {
        mounts.join(", ")
    };
    Some((state.unless(mounts.is_empty()), text))
}
