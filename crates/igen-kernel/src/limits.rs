//! How much memory this process may take: within its control groups, its own limits (getrlimit(2)), and the machine.

use std::fs;
use std::path::Path;

use crate::control_groups::ControlGroups;

/// Returns how many bytes a new allocation may use: what the kernel calls available, or less if a limit is near. `None`
/// if the kernel does not report it. `root` is `/` except in tests.
#[must_use]
pub fn available_bytes(root: &Path) -> Option<u64> {
    let machine = kibibytes(&text(root, "proc/meminfo")?, "MemAvailable:")?;
    Some(left_bytes(root).map_or(machine, |left| left.min(machine)))
}

/// Returns how many bytes this process may take before it reaches a limit; `None` without a limit.
#[must_use]
pub fn left_bytes(root: &Path) -> Option<u64> {
    let groups = ControlGroups::of(root, "self").memory_left_bytes();
    let own = address_space_bytes(root).map(|limit| {
        let status = text(root, "proc/self/status").unwrap_or_default();
        limit.saturating_sub(kibibytes(&status, "VmSize:").unwrap_or(0))
    });
    groups.into_iter().chain(own).min()
}

/// Returns the least limit of the memory of this process; `None` without a limit.
#[must_use]
pub fn limit_bytes(root: &Path) -> Option<u64> {
    let groups = ControlGroups::of(root, "self").memory_limit_bytes();
    groups.into_iter().chain(address_space_bytes(root)).min()
}

/// The soft limit of `ulimit -v`.
fn address_space_bytes(root: &Path) -> Option<u64> {
    let limits = text(root, "proc/self/limits")?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    // `unlimited` is not a number.
    line.split_whitespace().next()?.parse().ok()
}

/// The amount in a line such as `MemAvailable:  5 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let amount = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = amount.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}

fn text(root: &Path, path: &str) -> Option<String> {
    fs::read_to_string(root.join(path)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_groups::tests::{UNIFIED, tree};

    const MEMINFO: (&str, &str) = (
        "proc/meminfo",
        "MemTotal:  8388608 kB\nMemFree:  1 kB\nMemAvailable:  4194304 kB\n",
    );

    #[test]
    fn the_least_of_machine_groups_and_own_limits_is_available() {
        let limits = "Limit  Soft Limit  Hard Limit  Units\nMax address space  3221225472  unlimited  bytes\n";
        let own = [
            ("proc/self/limits", limits),
            ("proc/self/status", "VmPeak: 9 kB\nVmSize:\t 1048576 kB\n"),
        ];
        let group = [
            ("proc/self/mountinfo", UNIFIED),
            ("proc/self/cgroup", "0::/a\n"),
            ("sys/fs/cgroup/a/memory.max", "419430400\n"),
            ("sys/fs/cgroup/a/memory.current", "104857600\n"),
        ];
        let of = |parts: &[&[(&str, &str)]]| {
            let root = tree(&parts.concat());
            (available_bytes(root.path()), limit_bytes(root.path()))
        };
        assert_eq!(of(&[]), (None, None));
        assert_eq!(of(&[&[MEMINFO]]), (Some(4 << 30), None));
        assert_eq!(of(&[&[MEMINFO], &own]), (Some(2 << 30), Some(3 << 30)));
        let both = (Some(300 << 20), Some(400 << 20));
        assert_eq!(of(&[&[MEMINFO], &own, &group]), both);
    }

    #[test]
    fn an_unlimited_address_space_and_cut_texts_are_none() {
        let limits = "Max address space  unlimited  unlimited  bytes\n";
        let root = tree(&[
            ("proc/self/limits", limits),
            ("proc/meminfo", "MemAvailable:\n"),
        ]);
        assert_eq!(limit_bytes(root.path()), None);
        assert_eq!(available_bytes(root.path()), None);
    }
}
