//! How much memory may be taken: what the kernel calls available, or what the control group allows;
//! a job that asks for more is refused.

use std::fs;
use std::path::Path;

use igen_engine::Setup;
use igen_job::JobError;

const MIB: u64 = 1 << 20;

/// Bytes that a new allocation may use, the least of two: `MemAvailable`, and what is left under the
/// limits of this process's control group (version 2) and those above it. `None` where the system
/// does not tell.
pub(crate) fn available_bytes() -> Option<u64> {
    let machine = mem_available_bytes(&read("/proc/meminfo".as_ref())?)?;
    let group = read("/proc/self/cgroup".as_ref())
        .and_then(|text| unified_group(&text).map(str::to_owned))
        .and_then(|group| left_in_groups_bytes("/sys/fs/cgroup".as_ref(), &group));
    Some(group.map_or(machine, |group| group.min(machine)))
}

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// `MemAvailable` of `/proc/meminfo`.
fn mem_available_bytes(meminfo: &str) -> Option<u64> {
    let kib: u64 = field(meminfo, "MemAvailable:")?;
    Some(kib * 1024)
}

/// The number after `name` in a file of lines `name number …`.
fn field(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut words| (words.next()? == name).then(|| words.next()?.parse().ok())?)
}

/// The path of the control group in the unified hierarchy, from `/proc/self/cgroup`.
fn unified_group(cgroup: &str) -> Option<&str> {
    cgroup.lines().find_map(|line| line.strip_prefix("0::"))
}

/// The least that is left in `group` and the groups above it, below the mount point `root`.
fn left_in_groups_bytes(root: &Path, group: &str) -> Option<u64> {
    let folder = root.join(group.trim_start_matches('/'));
    folder
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
        .filter_map(left_in_group_bytes)
        .min()
}

/// Limit less use of one group; `None` without a limit. Page cache that can be dropped at once is
/// not counted as use, just as in `MemAvailable`.
fn left_in_group_bytes(folder: &Path) -> Option<u64> {
    // A group without limit says `max`.
    let limit: u64 = read(&folder.join("memory.max"))?.trim().parse().ok()?;
    let current: u64 = read(&folder.join("memory.current"))?.trim().parse().ok()?;
    let droppable = read(&folder.join("memory.stat"))
        .and_then(|text| field(&text, "inactive_file"))
        .unwrap_or(0);
    Some(limit.saturating_sub(current.saturating_sub(droppable)))
}

/// Refuses, unless forced, what is more than the `available_bytes` of memory; `field` says how much
/// each user takes.
pub(crate) fn check(
    bytes_per_user: u64,
    setup: &Setup,
    available_bytes: Option<u64>,
    field: &'static str,
) -> Result<(), JobError> {
    let at = |text| JobError::at(field, text);
    let needed_bytes = bytes_per_user.saturating_mul(setup.own_users.into());
    match available_bytes {
        Some(available_bytes) if needed_bytes > available_bytes && !setup.force => {
            let mib = |bytes: u64| bytes as f64 / MIB as f64;
            Err(at(format!(
                "{:.0} MiB ({} × {:.0} MiB) are more than the {:.0} MiB of memory available",
                mib(needed_bytes),
                setup.own_users,
                mib(bytes_per_user),
                mib(available_bytes),
            ))
            .hint(
                "use fewer bytes or users (say how many with an open load), or insist with --force",
            ))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn setup(users: u32) -> Setup {
        Setup {
            targets: Vec::new(),
            users,
            own_users: users,
            agent_users: users,
            seed: 42,
            force: false,
            i_own_this_data: false,
            credentials: igen_job::Credentials::Own,
            stream: true,
            rest_s: 0.0,
        }
    }

    #[test]
    fn meminfo_is_in_kib() {
        let text = "MemTotal:       24639752 kB\nMemFree:  1 kB\nMemAvailable:   24000000 kB\n";
        assert_eq!(mem_available_bytes(text), Some(24_576_000_000));
        assert_eq!(mem_available_bytes("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn the_unified_group_is_the_one_without_controllers() {
        assert_eq!(
            unified_group("4:memory:/old\n0::/user.slice/a\n"),
            Some("/user.slice/a")
        );
        assert_eq!(unified_group("4:memory:/old\n"), None);
    }

    #[test]
    fn the_tightest_group_decides() {
        let root = tempfile::tempdir().unwrap();
        let group = |name: &str, max: &str, current: &str, stat: &str| {
            let folder = root.path().join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("memory.max"), max).unwrap();
            fs::write(folder.join("memory.current"), current).unwrap();
            fs::write(folder.join("memory.stat"), stat).unwrap();
        };
        group("slice", "1000\n", "700\n", "anon 600\ninactive_file 50\n");
        group("slice/free", "max\n", "10\n", "");
        group("slice/tight", "500\n", "400\n", "");
        group("slice/over", "500\n", "600\n", "");
        let left = |group| left_in_groups_bytes(root.path(), group);
        assert_eq!(left("/slice/free"), Some(350));
        assert_eq!(left("/slice/tight"), Some(100));
        assert_eq!(left("/slice/over"), Some(0));
        assert_eq!(left("/elsewhere"), None);
        assert_eq!(left("/"), None);
    }

    #[test]
    fn this_machine_tells() {
        assert!(available_bytes().is_none_or(|bytes| bytes > 0));
    }

    #[test]
    fn more_memory_than_available_is_refused_with_the_figures() {
        let gib = 1024 * MIB;
        let error = check(gib, &setup(3), Some(2 * gib), "params.field").unwrap_err();
        assert_eq!(error.path, "params.field");
        for figure in ["3072 MiB (3 × 1024 MiB)", "2048 MiB"] {
            assert!(error.text.contains(figure), "{error}");
        }
        assert!(error.hint.contains("--force"), "{error}");

        let forced = Setup {
            force: true,
            ..setup(3)
        };
        for (setup, available_bytes) in [
            (forced, Some(2 * gib)),
            (setup(3), Some(3 * gib)),
            (setup(3), None),
        ] {
            check(gib, &setup, available_bytes, "").unwrap();
        }
        check(u64::MAX / 2, &setup(9), Some(u64::MAX - 1), "").unwrap_err();
    }
}
