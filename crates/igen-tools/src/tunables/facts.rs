//! The kernel's settings that checks have a command for, as they are: two systems are compared by them.
//!
//! OVERHEAD: 25 small files are read, and 3 of each block device: 0.4 ms.

use igen_job::{Fact, facts};
use serde_json::Value;

use super::LISTS;
use super::machine::Machine;
use super::storage::devices;

/// Where the setting is that a command changes which does not name its file.
const FILES: &[(&str, &str)] = &[
    (
        "cpupower frequency-set ",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    ),
    (
        "start the kernel with clocksource=",
        "sys/devices/system/clocksource/clocksource0/current_clocksource",
    ),
    ("blockdev --setra ", "sys/block/DEVICE/queue/read_ahead_kb"),
];

/// `tunables.vm.swappiness` and its like, in the order of the checks, and `tunables.hash` over them and over the kernel's
/// other settings with a command, which facts of memory, processors and disks tell: equal where all are.
#[must_use]
pub fn facts() -> Vec<Fact> {
    of(&Machine::new("/"))
}

fn of(machine: &Machine) -> Vec<Fact> {
    let changes = || LISTS.into_iter().flatten().map(|check| check.change);
    let mut found: Vec<Fact> = changes()
        .filter_map(|change| {
            let name = setting(change)?;
            let path = format!("proc/sys/{}", name.replace('.', "/"));
            let words: Vec<String> = machine
                .text(&path)?
                .split_ascii_whitespace()
                .map(str::to_owned)
                .collect();
            Some(facts::TUNABLES_SETTING.of(name, value(words.join(" "))))
        })
        .collect();
    let settings = found
        .iter()
        .map(|fact| format!("{}={}\n", fact.name, fact.value));
    let others = changes()
        .filter_map(file)
        .flat_map(|path| of_devices(path, machine))
        .filter_map(|path| {
            let value = machine.choice(&path).or_else(|| machine.text(&path))?;
            Some(format!("{path}={value}\n"))
        });
    let hash = settings
        .chain(others)
        .fold(FNV_BASIS, |hash, line| fnv(hash, &line));
    // It sums up settings that are facts themselves.
    found.push(facts::TUNABLES_HASH.is(format!("{hash:016x}")));
    found
}

/// `vm.swappiness` of `sysctl vm.swappiness=10`.
fn setting(change: &str) -> Option<&str> {
    let command = change.strip_prefix("sysctl ")?;
    command.split(['=', ' ', ',']).next()
}

/// The file of any other command, such as `echo none > /sys/block/DEVICE/queue/scheduler`, below the root.
fn file(change: &str) -> Option<&str> {
    let written = change.strip_prefix("echo ");
    let written = written.and_then(|command| Some(command.split_once(" > /")?.1));
    let known = || {
        FILES
            .iter()
            .find(|(command, _)| change.starts_with(command))
    };
    written.or_else(|| known().map(|(_, file)| *file))
}

/// A file, or that of each device.
fn of_devices(path: &str, machine: &Machine) -> Vec<String> {
    if !path.contains("DEVICE") {
        return vec![path.to_owned()];
    }
    let of = |device: &String| path.replace("DEVICE", device);
    devices(machine).iter().map(of).collect()
}

fn value(text: String) -> Value {
    match text.parse::<i64>() {
        Ok(number) => number.into(),
        Err(_) => text.into(),
    }
}

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of 64 bits (Fowler, Noll, Vo): the same on all machines and in all versions.
fn fnv(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    #[test]
    fn settings_are_told_as_they_are_and_the_hash_changes_with_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let read = || of(&Machine::new(folder.path()));
        write("proc/sys/vm/swappiness", "60\n");
        write("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
        let before = read();
        let told: Vec<(&str, &Value)> = before
            .iter()
            .map(|one| (one.name.as_str(), &one.value))
            .collect();
        assert_eq!(told[0], ("tunables.vm.swappiness", &60.into()));
        let buffers = "4096 131072 6291456".into();
        assert_eq!(told[1], ("tunables.net.ipv4.tcp_rmem", &buffers));
        assert_eq!(told[2].0, "tunables.hash");
        assert_eq!(read(), before);
        write("proc/sys/vm/swappiness", "10\n");
        assert_ne!(read()[2], before[2]);
        // Not told a second time, but in the hash.
        for (path, one, other) in [
            (
                "sys/kernel/mm/transparent_hugepage/enabled",
                "always [madvise] never",
                "[always] madvise never",
            ),
            (
                "sys/kernel/mm/transparent_hugepage/defrag",
                "always [madvise] never",
                "[always] madvise never",
            ),
            (
                "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
                "powersave",
                "performance",
            ),
            (
                "sys/devices/system/clocksource/clocksource0/current_clocksource",
                "tsc",
                "hpet",
            ),
            ("sys/block/vda/queue/scheduler", "[none] bfq", "none [bfq]"),
            ("sys/block/vda/queue/read_ahead_kb", "128", "256"),
            ("sys/block/vda/queue/nr_requests", "64", "256"),
        ] {
            write(path, one);
            let before = read();
            assert_eq!(before.len(), 3);
            write(path, other);
            assert_ne!(read()[2], before[2], "{path}");
        }
    }

    #[test]
    fn each_command_that_changes_the_kernel_has_its_file() {
        let commands = ["sysctl ", "echo ", "cpupower frequency-set ", "blockdev "];
        for check in LISTS.into_iter().flatten() {
            let change = check.change;
            if commands.iter().any(|command| change.starts_with(command)) {
                let known = setting(change).or_else(|| file(change));
                assert!(known.is_some_and(|name| !name.is_empty()), "{change}");
            }
        }
        let changes = || LISTS.into_iter().flatten().map(|check| check.change);
        for (command, _) in FILES {
            assert!(
                changes().any(|change| change.starts_with(command)),
                "{command}"
            );
        }
    }

    #[test]
    fn the_hash_is_the_one_that_others_compute() {
        assert_eq!(fnv(FNV_BASIS, "a"), 0xaf63_dc4c_8601_ec8c);
    }
}
