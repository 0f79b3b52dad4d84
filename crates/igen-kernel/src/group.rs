//! A control group of version 2 that ends as a whole: a process leaves its session, its parent and its group of processes as it
//! likes, and this one only with the right to move processes, as root has; what it starts is in it from the beginning
//! (Documentation/admin-guide/cgroup-v2.rst). What it has a manager of services start is not.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::id;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Beside version 1 version 2 lies apart.
const MOUNTS: [&str; 2] = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"];
/// Killed processes need a processor to end, and may be the last to get one: whoever waits for them gives his away.
const LOOK: Duration = Duration::from_millis(10);
const LOOKS: u32 = 1000;

/// The group, by its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group(PathBuf);

impl Group {
    /// Makes one below that of this process, which stays where it is. No limit changes: those above hold as before. An error
    /// where there is no version 2, or the kernel has no way to end a group (before 5.14), or not for this user: then nothing
    /// has changed.
    pub fn make(name: &str) -> io::Result<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup")?;
        let mount = MOUNTS
            .into_iter()
            .map(Path::new)
            .find(|mount| mount.join("cgroup.procs").exists());
        let own = mount.and_then(|mount| folder(mount, &groups));
        let group = Self(own.ok_or(io::ErrorKind::Unsupported)?.join(name));
        // An empty one may have been left by a process that had the same name.
        let _ = fs::remove_dir(&group.0);
        fs::create_dir(&group.0)?;
        match fs::metadata(group.0.join("cgroup.kill")) {
            Ok(_) => Ok(group),
            Err(error) => {
                fs::remove_dir(&group.0)?;
                Err(error)
            }
        }
    }

    /// Makes one and puts this process into it. An error as of `make`.
    pub fn enter(name: &str) -> io::Result<Self> {
        let group = Self::make(name)?;
        match fs::write(group.processes(), id().to_string()) {
            Ok(()) => Ok(group),
            Err(error) => {
                fs::remove_dir(&group.0)?;
                Err(error)
            }
        }
    }

    /// The file that lists its processes, and takes one that writes to it.
    #[must_use]
    pub fn processes(&self) -> PathBuf {
        self.0.join("cgroup.procs")
    }

    /// Returns the group of a folder that is known to be one.
    #[must_use]
    pub fn at(folder: &str) -> Self {
        Self(folder.into())
    }

    /// Returns the group of a folder, or of a path below the mount point of control groups, as in `/proc/<pid>/cgroup`;
    /// `None` if the group does not exist.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let below = |mount: &str| Path::new(mount).join(name.trim_start_matches('/'));
        let folders = [PathBuf::from(name)]
            .into_iter()
            .chain(MOUNTS.into_iter().map(below));
        let mut groups = folders.map(Self).filter(|_| !name.is_empty());
        groups.find(|group| group.processes().exists())
    }

    /// Ids of the processes in it and in groups below it.
    #[must_use]
    pub fn pids(&self) -> Vec<u32> {
        below(&self.0)
            .iter()
            .flat_map(|group| pids(group))
            .collect()
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Kills all that is in it and in groups below it, waits until they are gone, ten seconds at most, and removes these
    /// groups and it.
    pub fn end(&self) -> io::Result<()> {
        for _ in 0..LOOKS {
            // All at once, those below too, whatever they start meanwhile.
            fs::write(self.0.join("cgroup.kill"), "1")?;
            for group in below(&self.0) {
                kill_each(&group);
            }
            if is_empty(&self.0) {
                break;
            }
            thread::sleep(LOOK);
        }
        // The deepest come first: one that has others below it cannot be removed.
        let groups = below(&self.0);
        groups.iter().try_for_each(fs::remove_dir)
    }
}

/// The group and all below it, the deepest first; without such as have just been removed.
fn below(group: &Path) -> Vec<PathBuf> {
    let mut found = vec![group.to_owned()];
    let mut looked = 0;
    while let Some(group) = found.get(looked) {
        let entries = fs::read_dir(group).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
        found.extend(folders);
        looked += 1;
    }
    found.reverse();
    found
}

/// The kernel sends its signal to the first thread of each, which is lost where that one has ended and others go on.
fn kill_each(group: &Path) {
    let pids = pids(group).into_iter().map(u32::cast_signed);
    for pid in pids.filter_map(Pid::from_raw) {
        // It may just have ended.
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// One of threads alone tells no processes; that above it does.
fn pids(group: &Path) -> Vec<u32> {
    let pids = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    pids.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Returns true if no process is in the group or below it.
fn is_empty(group: &Path) -> bool {
    let events = fs::read_to_string(group.join("cgroup.events")).unwrap_or_default();
    events.lines().any(|line| line == "populated 0")
}

/// The folder of a process's group, from its `/proc/<pid>/cgroup`.
fn folder(mount: &Path, groups: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(mount.join(path))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn groups_below_come_before_those_above() {
        let top = std::env::temp_dir().join(format!("igen-groups-{}", id()));
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::create_dir(top.join("c")).unwrap();
        fs::write(top.join("cgroup.events"), "populated 0\nfrozen 0\n").unwrap();
        let found = below(&top);
        let place = |name: &str| found.iter().position(|each| *each == top.join(name));
        assert_eq!(found.len(), 4);
        assert_eq!(found.last(), Some(&top));
        assert!(place("a/b") < place("a") && place("a/b").is_some() && place("c").is_some());
        assert!(is_empty(&top) && !is_empty(&top.join("a")));
        fs::write(top.join("cgroup.procs"), "7\n").unwrap();
        fs::write(top.join("a/b/cgroup.procs"), "8\n9\n").unwrap();
        let group = Group::named(top.to_str().unwrap()).unwrap();
        assert_eq!(group.pids(), [8, 9, 7]);
        assert_eq!(["no/such/group", ""].map(Group::named), [None, None]);
        fs::remove_dir_all(&top).unwrap();
        assert_eq!(below(&top).len(), 1);
    }

    #[test]
    fn the_group_of_version_2_has_its_folder() {
        let mount = Path::new("/m");
        let found = |groups| folder(mount, groups);
        assert_eq!(found("4:cpu:/a\n0::/b/c\n"), Some("/m/b/c".into()));
        assert_eq!(found("0::/\n"), Some("/m".into()));
        assert_eq!(found("4:cpu:/a\n"), None);
    }
}
