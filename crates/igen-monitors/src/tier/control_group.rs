//! What a control group has used, of version 2 or 1.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use igen_kernel::control_groups::quota_of;

use super::spent::Spent;
use super::usage::{GroupMemory, Usage};

/// Where control groups are mounted.
pub(super) const ROOT: &str = "/sys/fs/cgroup";

pub(super) struct ControlGroup {
    path: String,
    files: Files,
    user_s: Spent,
    system_s: Spent,
    throttled_s: Spent,
}

/// Where its files are; a group has the same path below each mount.
enum Files {
    /// Version 2: one mount.
    Unified { mount: PathBuf },
    /// Version 1: one mount for each controller.
    Legacy { root: PathBuf },
}

impl ControlGroup {
    /// The group of that path below `root`; None if there is none.
    pub(super) fn find(root: &Path, path: &str) -> Option<Self> {
        let path = path.trim_matches('/').to_owned();
        let unified = root.join("cgroup.controllers").exists();
        // Beside version 1 version 2 lies apart, and knows nothing of memory.
        let beside = root.join("unified");
        let files = if unified && root.join(&path).is_dir() {
            Files::Unified { mount: root.into() }
        } else if !unified && root.join("cpuacct").join(&path).is_dir() {
            Files::Legacy { root: root.into() }
        } else if !unified && beside.join(&path).is_dir() {
            Files::Unified { mount: beside }
        } else {
            return None;
        };
        Some(Self {
            path,
            files,
            user_s: Spent::default(),
            system_s: Spent::default(),
            throttled_s: Spent::default(),
        })
    }

    pub(super) fn describe(&self) -> String {
        let version = match self.files {
            Files::Unified { .. } => 2,
            Files::Legacy { .. } => 1,
        };
        format!("control group /{} (version {version})", self.path)
    }

    pub(super) fn read(&mut self) -> Usage {
        let times = self.times();
        let mut pids = HashSet::new();
        add_pids(&self.folder("cpuacct"), &mut pids);
        Usage {
            user_s: self.user_s.now(times.user_s),
            system_s: self.system_s.now(times.system_s),
            throttled_s: times.throttled_s.map(|now| self.throttled_s.now(Some(now))),
            memory: self.memory(),
            pids,
        }
    }

    /// The strictest quota on the way up, and the processors of its set; None without either.
    pub(super) fn processors(&self) -> Option<f64> {
        let quota = self
            .upwards("cpu")
            .filter_map(|folder| quota_of(&folder))
            .reduce(f64::min);
        let names = [
            "cpuset.cpus.effective",
            "cpuset.effective_cpus",
            "cpuset.cpus",
        ];
        let set = self
            .upwards("cpuset")
            .find_map(|folder| names.iter().find_map(|name| set_of(&text(&folder, name)?)));
        match (quota, set) {
            (Some(quota), Some(set)) => Some(quota.min(set)),
            (one, other) => one.or(other),
        }
    }

    /// Its folder below the mount of a controller.
    fn folder(&self, controller: &str) -> PathBuf {
        match &self.files {
            Files::Unified { mount } => mount.join(&self.path),
            Files::Legacy { root } => root.join(controller).join(&self.path),
        }
    }

    /// Its folder and those above it, up to the mount.
    fn upwards(&self, controller: &str) -> impl Iterator<Item = PathBuf> {
        let steps = self.path.split('/').filter(|step| !step.is_empty()).count();
        let mut folder = self.folder(controller);
        (0..=steps).map(move |step| {
            if step > 0 {
                folder.pop();
            }
            folder.clone()
        })
    }

    fn times(&self) -> Times {
        let mut times = Times::default();
        match &self.files {
            Files::Unified { .. } => {
                let stat = text(&self.folder(""), "cpu.stat").unwrap_or_default();
                let seconds = |name| Some(named(&stat, name)? / 1e6);
                times.user_s = seconds("user_usec");
                times.system_s = seconds("system_usec");
                times.throttled_s = seconds("throttled_usec");
            }
            Files::Legacy { .. } => {
                let folder = self.folder("cpuacct");
                let seconds = |name| Some(number(&folder, name)? / 1e9);
                times.user_s = seconds("cpuacct.usage_user");
                times.system_s = seconds("cpuacct.usage_sys");
                let stat = text(&self.folder("cpu"), "cpu.stat").unwrap_or_default();
                times.throttled_s = named(&stat, "throttled_time").map(|ns| ns / 1e9);
            }
        }
        times
    }

    /// None where no controller counts it.
    fn memory(&self) -> Option<GroupMemory> {
        let folder = self.folder("memory");
        let (current, inactive, anonymous) = match &self.files {
            Files::Unified { .. } => ("memory.current", "inactive_file", "anon"),
            Files::Legacy { .. } => ("memory.usage_in_bytes", "total_inactive_file", "total_rss"),
        };
        let bytes = number(&folder, current)?;
        let stat = text(&folder, "memory.stat").unwrap_or_default();
        let inactive_bytes = named(&stat, inactive).unwrap_or(0.0);
        Some(GroupMemory {
            bytes: (bytes - inactive_bytes).max(0.0),
            anonymous_bytes: named(&stat, anonymous),
        })
    }
}

#[derive(Default)]
struct Times {
    user_s: Option<f64>,
    system_s: Option<f64>,
    throttled_s: Option<f64>,
}

fn text(folder: &Path, name: &str) -> Option<String> {
    fs::read_to_string(folder.join(name)).ok()
}

fn number(folder: &Path, name: &str) -> Option<f64> {
    text(folder, name)?.trim().parse().ok()
}

/// The number after a name, each on a line of its own.
fn named(text: &str, name: &str) -> Option<f64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let (_, value) = lines.find(|(known, _)| *known == name)?;
    value.trim().parse().ok()
}

/// How many processors `0-3,7` are; None of an empty set, which is that of the group above.
fn set_of(text: &str) -> Option<f64> {
    let mut count = 0_u32;
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        count += last.checked_sub(first)? + 1;
    }
    (count > 0).then(|| f64::from(count))
}

/// Adds the processes of a group and of those below it.
fn add_pids(folder: &Path, pids: &mut HashSet<u32>) {
    let text = text(folder, "cgroup.procs").unwrap_or_default();
    pids.extend(text.lines().filter_map(|line| line.parse::<u32>().ok()));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_pids(&entry.path(), pids);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A folder with files, as the kernel would show them.
    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        root
    }

    fn near(value: f64, expected: f64) -> bool {
        (value - expected).abs() < 1e-9
    }

    #[test]
    fn version_2() {
        let root = tree(&[
            ("cgroup.controllers", "cpu memory\n"),
            ("a/cpu.max", "150000 100000\n"),
            ("a/b/cpu.max", "max 100000\n"),
            ("a/cpuset.cpus.effective", "0-1,4\n"),
            (
                "a/b/cpu.stat",
                "usage_usec 3500000\nuser_usec 3000000\nsystem_usec 500000\nnr_throttled 2\nthrottled_usec 250000\n",
            ),
            ("a/b/memory.current", "10000\n"),
            (
                "a/b/memory.stat",
                "anon 5000\nfile 4000\ninactive_file 1500\n",
            ),
            ("a/b/cgroup.procs", "7\n8\n"),
            ("a/b/c/cgroup.procs", "9\n"),
        ]);
        let mut group = ControlGroup::find(root.path(), "/a/b").unwrap();
        let usage = group.read();
        assert!(near(usage.user_s, 3.0) && near(usage.system_s, 0.5));
        assert_eq!(usage.throttled_s, Some(0.25));
        let memory = GroupMemory {
            bytes: 8500.0,
            anonymous_bytes: Some(5000.0),
        };
        assert_eq!(usage.memory, Some(memory));
        assert_eq!(usage.pids, HashSet::from([7, 8, 9]));
        assert_eq!(group.processors(), Some(1.5));
        assert_eq!(group.describe(), "control group /a/b (version 2)");
        assert!(ControlGroup::find(root.path(), "/a/x").is_none());
    }

    #[test]
    fn version_1() {
        let root = tree(&[
            ("cpuacct/a/cpuacct.usage_user", "2000000000\n"),
            ("cpuacct/a/cpuacct.usage_sys", "1000000000\n"),
            ("cpuacct/a/cgroup.procs", "5\n"),
            ("cpu/a/cpu.stat", "nr_periods 0\nthrottled_time 500000000\n"),
            ("cpu/a/cpu.cfs_quota_us", "-1\n"),
            ("cpu/a/cpu.cfs_period_us", "100000\n"),
            ("cpuset/a/cpuset.effective_cpus", "2\n"),
            ("memory/a/memory.usage_in_bytes", "9000\n"),
            (
                "memory/a/memory.stat",
                "inactive_file 1\ntotal_inactive_file 2000\ntotal_rss 6000\n",
            ),
            ("unified/a/cgroup.procs", "99\n"),
        ]);
        let mut group = ControlGroup::find(root.path(), "/a").unwrap();
        let usage = group.read();
        assert!(near(usage.user_s, 2.0) && near(usage.system_s, 1.0));
        assert_eq!(usage.throttled_s, Some(0.5));
        assert_eq!(usage.memory.map(|memory| memory.bytes), Some(7000.0));
        assert_eq!(usage.pids, HashSet::from([5]));
        assert_eq!(group.processors(), Some(1.0));
    }

    #[test]
    fn version_2_beside_version_1_knows_no_memory() {
        let root = tree(&[
            ("cpuacct/tasks", ""),
            ("unified/a/cpu.stat", "user_usec 1000000\nsystem_usec 0\n"),
        ]);
        let mut group = ControlGroup::find(root.path(), "/a").unwrap();
        let usage = group.read();
        assert!(near(usage.user_s, 1.0) && usage.memory.is_none());
        assert_eq!(group.processors(), None);
    }

    #[test]
    fn a_group_that_is_made_anew_goes_on() {
        let root = tree(&[
            ("cgroup.controllers", ""),
            ("a/cpu.stat", "user_usec 3000000\n"),
        ]);
        let mut group = ControlGroup::find(root.path(), "/a").unwrap();
        assert!(near(group.read().user_s, 3.0));
        fs::remove_dir_all(root.path().join("a")).unwrap();
        assert!(near(group.read().user_s, 3.0), "it is gone");
        fs::create_dir(root.path().join("a")).unwrap();
        fs::write(root.path().join("a/cpu.stat"), "user_usec 1000000\n").unwrap();
        assert!(near(group.read().user_s, 4.0), "another one has its path");
    }

    #[test]
    fn sets_of_processors() {
        assert_eq!(set_of("0-3,7\n"), Some(5.0));
        assert_eq!(set_of("\n"), None);
        assert_eq!(set_of("3-1\n"), None);
    }
}
