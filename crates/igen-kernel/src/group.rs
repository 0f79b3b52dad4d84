//! A control group of version 2 that ends as a whole: a process may leave its session, its parent and its group of processes,
//! but not this one, and what it starts is in it from the beginning (Documentation/admin-guide/cgroup-v2.rst).

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
    /// Makes one below that of this process, which it puts into it. No limit changes: those above hold as before. An error where
    /// there is no version 2, or the kernel has no way to end a group (before 5.14), or not for this user: then nothing has
    /// changed.
    pub fn enter(name: &str) -> io::Result<Self> {
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
        let entered = fs::metadata(group.0.join("cgroup.kill"))
            .and_then(|_| fs::write(group.0.join("cgroup.procs"), id().to_string()));
        match entered {
            Ok(()) => Ok(group),
            Err(error) => {
                fs::remove_dir(&group.0)?;
                Err(error)
            }
        }
    }

    /// That of this folder, which whoever made it has told.
    #[must_use]
    pub fn at(folder: &str) -> Self {
        Self(folder.into())
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Kills all that is in it, waits until they are gone, ten seconds at most, and removes it.
    pub fn end(&self) -> io::Result<()> {
        for _ in 0..LOOKS {
            // All at once, whatever they start meanwhile.
            fs::write(self.0.join("cgroup.kill"), "1")?;
            self.kill_each()?;
            if fs::remove_dir(&self.0).is_ok() {
                return Ok(());
            }
            thread::sleep(LOOK);
        }
        fs::remove_dir(&self.0)
    }

    /// The kernel sends its signal to the first thread of each, which is lost where that one has ended and others go on.
    fn kill_each(&self) -> io::Result<()> {
        let pids = fs::read_to_string(self.0.join("cgroup.procs"))?;
        let pids = pids.lines().filter_map(|line| line.parse().ok());
        for pid in pids.filter_map(Pid::from_raw) {
            // It may just have ended.
            let _ = kill_process(pid, Signal::KILL);
        }
        Ok(())
    }
}

/// The folder of a process's group, from its `/proc/<pid>/cgroup`.
fn folder(mount: &Path, groups: &str) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(mount.join(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_of_version_2_has_its_folder() {
        let mount = Path::new("/m");
        let found = |groups| folder(mount, groups);
        assert_eq!(found("4:cpu:/a\n0::/b/c\n"), Some("/m/b/c".into()));
        assert_eq!(found("0::/\n"), Some("/m".into()));
        assert_eq!(found("4:cpu:/a\n"), None);
    }
}
