//! The control groups of a process, of version 1, of version 2 or of both, and the limits that they set.
//!
//! `/proc/<pid>/cgroup` has the paths of the groups, and `/proc/self/mountinfo` the mount of each hierarchy
//! (Documentation/admin-guide/cgroup-v1 and cgroup-v2.rst). A limit of a group holds for all groups below it.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Version 1 has a number for no limit: the largest number of whole pages.
const NO_LIMIT: u64 = 1 << 62;

/// The groups that one process is in.
#[derive(Debug, Default)]
pub struct ControlGroups {
    root: PathBuf,
    hierarchies: Vec<Hierarchy>,
}

/// The group of the process in one hierarchy.
#[derive(Debug)]
struct Hierarchy {
    /// Controllers of version 1; none for version 2, in which any may be.
    controllers: Vec<String>,
    /// The folder of the group, and the folders above it up to the mount point.
    folders: Vec<PathBuf>,
}

/// A hierarchy as `/proc/self/mountinfo` describes it.
struct Mount<'a> {
    /// The group that is at the mount point: in a container that may be the group of the container.
    group: &'a Path,
    point: &'a str,
    version_2: bool,
    options: &'a str,
}

/// How often quotas stopped the processes of a group.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Throttled {
    /// Periods in which a process of the group ran.
    pub periods: f64,
    /// Periods in which the quota was used up.
    pub throttled_periods: f64,
    /// Time without a processor, as a sum over processors.
    pub throttled_s: f64,
}

impl ControlGroups {
    /// Reads the groups of a process, an id or `self`, below `root`, which is `/` except in tests.
    #[must_use]
    pub fn of(root: &Path, process: &str) -> Self {
        let text = |path: &Path| fs::read_to_string(root.join(path)).unwrap_or_default();
        let groups = text(&Path::new("proc").join(process).join("cgroup"));
        let mounts = text(Path::new("proc/self/mountinfo"));
        let mounts: Vec<Mount> = mounts.lines().filter_map(Mount::parse).collect();
        let hierarchies = groups.lines().filter_map(|line| {
            let mut fields = line.splitn(3, ':');
            let (_, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
            let controllers: Vec<String> = controllers
                .split(',')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect();
            let of_this = |mount: &&Mount| mount.has(&controllers);
            let mounts: Vec<&Mount> = mounts.iter().filter(of_this).collect();
            let group = Path::new(group);
            let mount = mounts
                .iter()
                .find(|mount| group.starts_with(mount.group))
                .or(mounts.first())?;
            let folders = mount.folders(root, group);
            Some(Hierarchy {
                controllers,
                folders,
            })
        });
        Self {
            root: root.to_owned(),
            hierarchies: hierarchies.collect(),
        }
    }

    /// The groups of this process.
    #[must_use]
    pub fn own() -> Self {
        Self::of(Path::new("/"), "self")
    }

    /// Returns true if no hierarchy is mounted in which a group could have a limit of this controller.
    #[must_use]
    pub fn is_unknown(&self, controller: &str) -> bool {
        self.around(controller).next().is_none()
    }

    /// The folders of the groups whose limits of a controller, such as `memory`, hold for the process: its own group
    /// first, then the groups above it.
    fn around<'a>(&'a self, controller: &'a str) -> impl Iterator<Item = &'a Path> {
        let counts = move |hierarchy: &&Hierarchy| {
            let controllers = &hierarchy.controllers;
            controllers.is_empty() || controllers.iter().any(|name| name == controller)
        };
        let hierarchies = self.hierarchies.iter().filter(counts);
        hierarchies
            .flat_map(|hierarchy| &hierarchy.folders)
            .map(PathBuf::as_path)
    }

    /// Returns how many processors the quotas let the process keep busy; `None` without a quota.
    #[must_use]
    pub fn processors(&self) -> Option<f64> {
        let quotas = self.around("cpu").filter_map(quota_of);
        quotas.min_by(f64::total_cmp)
    }

    /// Returns the least limit of memory; `None` without a limit.
    #[must_use]
    pub fn memory_limit_bytes(&self) -> Option<u64> {
        self.around("memory").filter_map(memory_limit_of).min()
    }

    /// Returns how many bytes the process may take before one of its groups is full; `None` without a limit.
    #[must_use]
    pub fn memory_left_bytes(&self) -> Option<u64> {
        self.around("memory").filter_map(memory_left_of).min()
    }

    /// Returns what the quotas took from the process and its neighbours so far; `None` without a quota.
    #[must_use]
    pub fn throttled(&self) -> Option<Throttled> {
        let with_quota = self
            .around("cpu")
            .filter(|folder| quota_of(folder).is_some());
        with_quota
            .filter_map(throttled_of)
            .reduce(|one, other| Throttled {
                periods: one.periods + other.periods,
                throttled_periods: one.throttled_periods + other.throttled_periods,
                throttled_s: one.throttled_s + other.throttled_s,
            })
    }

    /// Returns how many processes of its group, or without a group of the machine, the kernel killed so far because
    /// memory ran out.
    #[must_use]
    pub fn out_of_memory_kills(&self) -> Option<u64> {
        let of_group = self.around("memory").find_map(|folder| {
            let files = ["memory.events", "memory.oom_control"];
            files
                .iter()
                .find_map(|file| count(&text(folder, file)?, "oom_kill"))
        });
        of_group.or_else(|| count(&text(&self.root, "proc/vmstat")?, "oom_kill"))
    }
}

impl<'a> Mount<'a> {
    /// `id parent major:minor group point options… - kind source options`.
    fn parse(line: &'a str) -> Option<Self> {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(3);
        let mut file_system = file_system.split(' ');
        let version_2 = match file_system.next()? {
            "cgroup" => false,
            "cgroup2" => true,
            _ => return None,
        };
        Some(Self {
            group: Path::new(mount.next()?),
            point: mount.next()?,
            version_2,
            options: file_system.nth(1)?,
        })
    }

    /// Returns true for the hierarchy with all these controllers of version 1, or without any for version 2.
    fn has(&self, controllers: &[String]) -> bool {
        let has = |wanted: &String| self.options.split(',').any(|option| option == wanted);
        self.version_2 == controllers.is_empty() && controllers.iter().all(has)
    }

    /// The folder of a group, and the folders above it up to the mount point.
    ///
    /// A group that the mount does not show, as in a container without a namespace of groups, is taken to be the
    /// group at the mount point.
    fn folders(&self, root: &Path, group: &Path) -> Vec<PathBuf> {
        let point = root.join(self.point.trim_start_matches('/'));
        let is_below = |below: &&Path| {
            let mut components = below.components();
            components.all(|one| matches!(one, Component::Normal(_)))
        };
        let below = group.strip_prefix(self.group).ok().filter(is_below);
        let own = below.map(|below| point.join(below));
        let own = own
            .filter(|folder| folder.is_dir())
            .unwrap_or_else(|| point.clone());
        let within = own.ancestors().take_while(|one| one.starts_with(&point));
        within.map(Path::to_owned).collect()
    }
}

/// Returns how many processors the quota of one group allows; `None` without a quota.
#[must_use]
pub fn quota_of(folder: &Path) -> Option<f64> {
    let limit = text(folder, "cpu.max").or_else(|| {
        let quota = text(folder, "cpu.cfs_quota_us")?;
        Some(format!(
            "{} {}",
            quota.trim(),
            text(folder, "cpu.cfs_period_us")?
        ))
    })?;
    // `max` is not a number, and version 1 has -1.
    let (quota, period) = limit.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

/// The limit of one group, and in version 1 of the groups above it, which a container may not show.
fn memory_limit_of(folder: &Path) -> Option<u64> {
    let number = |name: &str| text(folder, name)?.trim().parse::<u64>().ok();
    let above = || count(&text(folder, "memory.stat")?, "hierarchical_memory_limit");
    let limits = [
        number("memory.max"),
        number("memory.limit_in_bytes"),
        above(),
    ];
    let limits = limits.into_iter().flatten();
    limits.filter(|limit| *limit < NO_LIMIT).min()
}

/// What one group may still take. Page cache that can be dropped at once is not counted as use, just as in
/// `MemAvailable`.
fn memory_left_of(folder: &Path) -> Option<u64> {
    let limit = memory_limit_of(folder)?;
    let number = |name: &str| text(folder, name)?.trim().parse::<u64>().ok();
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    let counts = text(folder, "memory.stat").unwrap_or_default();
    // Version 1 counts the groups below in the total only.
    let droppable = count(&counts, "total_inactive_file").or(count(&counts, "inactive_file"));
    Some(limit.saturating_sub(used.saturating_sub(droppable.unwrap_or(0))))
}

fn throttled_of(folder: &Path) -> Option<Throttled> {
    let counts = text(folder, "cpu.stat")?;
    let number = |name: &str| count(&counts, name).map(|number| number as f64);
    let microseconds = number("throttled_usec").map(|us| us / 1e6);
    let throttled_s = microseconds.or(number("throttled_time").map(|ns| ns / 1e9));
    Some(Throttled {
        periods: number("nr_periods")?,
        throttled_periods: number("nr_throttled")?,
        throttled_s: throttled_s.unwrap_or(0.0),
    })
}

fn text(folder: &Path, name: &str) -> Option<String> {
    fs::read_to_string(folder.join(name)).ok()
}

/// The number after a name, each pair on its own line.
fn count(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let (_, value) = lines.find(|(known, _)| *known == name)?;
    value.trim().parse().ok()
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A machine with version 2 alone, as systemd mounts it.
    pub(crate) const UNIFIED: &str =
        "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
    /// A machine with version 1 and version 2, as systemd mounts them in its hybrid mode.
    const HYBRID: &str = "\
31 23 0:28 / /sys/fs/cgroup ro,nosuid shared:8 - tmpfs tmpfs ro,mode=755
32 31 0:29 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate
33 31 0:30 / /sys/fs/cgroup/systemd rw,nosuid shared:10 - cgroup cgroup rw,xattr,name=systemd
35 31 0:32 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:12 - cgroup cgroup rw,cpu,cpuacct
36 31 0:33 / /sys/fs/cgroup/memory rw,nosuid shared:13 - cgroup cgroup rw,memory
";
    /// A container of Docker on version 1: the mounts show its own group, and paths are paths on the host.
    const DOCKER: &str = "\
690 689 0:62 / /sys/fs/cgroup rw,nosuid - tmpfs tmpfs rw,mode=755
691 690 0:29 /docker/5f1e /sys/fs/cgroup/systemd ro,nosuid master:10 - cgroup cgroup rw,xattr,name=systemd
693 690 0:32 /docker/5f1e /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:12 - cgroup cgroup rw,cpu,cpuacct
694 690 0:33 /docker/5f1e /sys/fs/cgroup/memory ro,nosuid master:13 - cgroup cgroup rw,memory
";

    /// Files below a temporary folder, as the kernel shows them.
    pub(crate) fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn groups(files: &[(&str, &str)]) -> (tempfile::TempDir, ControlGroups) {
        let root = tree(files);
        let groups = ControlGroups::of(root.path(), "self");
        (root, groups)
    }

    #[test]
    fn the_strictest_limit_of_version_2_holds() {
        let (_root, groups) = groups(&[
            ("proc/self/mountinfo", UNIFIED),
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/b/cpu.max", "400000 100000\n"),
            (
                "sys/fs/cgroup/a/b/cpu.stat",
                "usage_usec 9\nnr_periods 80\nnr_throttled 0\nthrottled_usec 0\n",
            ),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.current", "1000\n"),
            (
                "sys/fs/cgroup/a/b/memory.events",
                "low 0\nmax 7\noom 2\noom_kill 1\n",
            ),
            ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            (
                "sys/fs/cgroup/a/cpu.stat",
                "usage_usec 9\nnr_periods 90\nnr_throttled 30\nthrottled_usec 1500000\n",
            ),
            ("sys/fs/cgroup/a/memory.max", "5000\n"),
            ("sys/fs/cgroup/a/memory.current", "3000\n"),
            (
                "sys/fs/cgroup/a/memory.stat",
                "anon 2000\nactive_file 500\ninactive_file 500\n",
            ),
            ("sys/fs/cgroup/a/memory.events", "oom_kill 4\n"),
            ("sys/fs/cgroup/other/memory.max", "1\n"),
        ]);
        assert_eq!(groups.processors(), Some(1.5));
        assert_eq!(groups.memory_limit_bytes(), Some(5000));
        assert_eq!(groups.memory_left_bytes(), Some(2500));
        assert_eq!(groups.out_of_memory_kills(), Some(1));
        let expected = Throttled {
            periods: 170.0,
            throttled_periods: 30.0,
            throttled_s: 1.5,
        };
        assert_eq!(groups.throttled(), Some(expected));
    }

    #[test]
    fn limits_of_a_hybrid_machine_are_in_version_1() {
        let (_root, groups) = groups(&[
            ("proc/self/mountinfo", HYBRID),
            (
                "proc/self/cgroup",
                "5:cpu,cpuacct:/c\n4:memory:/c/d\n1:name=systemd:/\n0::/\n",
            ),
            ("sys/fs/cgroup/unified/cgroup.procs", ""),
            ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n"),
            (
                "sys/fs/cgroup/cpu,cpuacct/c/cpu.stat",
                "nr_periods 40\nnr_throttled 10\nthrottled_time 2500000000\n",
            ),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            (
                "sys/fs/cgroup/memory/c/d/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            ("sys/fs/cgroup/memory/c/d/memory.usage_in_bytes", "300\n"),
            (
                "sys/fs/cgroup/memory/c/d/memory.oom_control",
                "under_oom 0\noom_kill 3\n",
            ),
            (
                "sys/fs/cgroup/memory/c/memory.limit_in_bytes",
                "419430400\n",
            ),
            ("sys/fs/cgroup/memory/c/memory.usage_in_bytes", "3000\n"),
            (
                "sys/fs/cgroup/memory/c/memory.stat",
                "inactive_file 1\nhierarchical_memory_limit 419430400\ntotal_inactive_file 400\n",
            ),
        ]);
        assert_eq!(groups.processors(), Some(0.5));
        assert_eq!(groups.memory_limit_bytes(), Some(400 << 20));
        assert_eq!(groups.memory_left_bytes(), Some((400 << 20) - 2600));
        assert_eq!(groups.out_of_memory_kills(), Some(3));
        let throttled = groups.throttled().unwrap();
        assert_eq!(throttled.throttled_s.to_bits(), 2.5_f64.to_bits());
    }

    #[test]
    fn a_container_sees_its_group_at_the_mount_point() {
        let (_root, groups) = groups(&[
            ("proc/self/mountinfo", DOCKER),
            (
                "proc/self/cgroup",
                "5:cpu,cpuacct:/docker/5f1e\n4:memory:/docker/5f1e\n",
            ),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n"),
            ("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"),
            (
                "sys/fs/cgroup/memory/memory.limit_in_bytes",
                "9223372036854771712\n",
            ),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "1048576\n"),
            // The limit is a limit of the pod, which this container does not see.
            (
                "sys/fs/cgroup/memory/memory.stat",
                "hierarchical_memory_limit 419430400\n",
            ),
        ]);
        assert_eq!(groups.processors(), Some(0.5));
        assert_eq!(groups.memory_limit_bytes(), Some(400 << 20));
        assert_eq!(groups.memory_left_bytes(), Some(399 << 20));
    }

    #[test]
    fn a_group_above_its_mount_or_gone_counts_as_the_group_of_the_mount() {
        for path in ["/../elsewhere", "/gone (deleted)", "/"] {
            let (_root, groups) = groups(&[
                ("proc/self/mountinfo", UNIFIED),
                ("proc/self/cgroup", &format!("0::{path}\n")),
                ("sys/fs/cgroup/cpu.max", "50000 100000\n"),
                ("sys/fs/elsewhere/cpu.max", "10000 100000\n"),
            ]);
            assert_eq!(groups.processors(), Some(0.5), "{path}");
        }
    }

    #[test]
    fn no_limit_is_none() {
        let (_root, groups) = groups(&[
            ("proc/self/mountinfo", UNIFIED),
            ("proc/self/cgroup", "0::/\n"),
            ("proc/vmstat", "pgfault 7\noom_kill 2\n"),
            ("sys/fs/cgroup/cpu.max", "max 100000\n"),
            (
                "sys/fs/cgroup/cpu.stat",
                "nr_periods 0\nnr_throttled 0\nthrottled_usec 0\n",
            ),
            ("sys/fs/cgroup/memory.max", "max\n"),
        ]);
        assert_eq!(
            (groups.processors(), groups.memory_limit_bytes()),
            (None, None)
        );
        assert_eq!(
            (groups.throttled(), groups.memory_left_bytes()),
            (None, None)
        );
        assert_eq!(groups.out_of_memory_kills(), Some(2));
        assert!(!groups.is_unknown("cpu"));
        let (_root, without) = self::groups(&[("proc/self/cgroup", "4:memory:/x\n")]);
        assert!(without.is_unknown("memory") && without.out_of_memory_kills().is_none());
    }

    #[test]
    fn odd_quotas_are_none() {
        for quota in ["100000", "100000 0", "max 100000", "", "-1 100000"] {
            let root = tree(&[("cpu.max", quota)]);
            assert_eq!(quota_of(root.path()), None, "{quota}");
        }
    }
}
