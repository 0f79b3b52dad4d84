//! The control groups (version 2) that a process is in: the limits of each of them count.

use std::fs;
use std::path::{Path, PathBuf};

/// Beside version 1 version 2 lies apart.
const MOUNTS: [&str; 2] = ["sys/fs/cgroup/unified", "sys/fs/cgroup"];

/// The folders of the group of a process and of those above it; none without version 2. `process` is an id, or `self`.
pub(crate) fn around(root: &Path, process: &str) -> Vec<PathBuf> {
    let groups = root.join("proc").join(process).join("cgroup");
    let groups = fs::read_to_string(groups).unwrap_or_default();
    let path = groups.lines().find_map(|line| line.strip_prefix("0::/"));
    let mut mounts = MOUNTS.into_iter().map(|mount| root.join(mount));
    let mount = mounts.find(|mount| mount.join("cgroup.procs").exists());
    let Some((path, mount)) = path.zip(mount) else {
        return Vec::new();
    };
    let folder = mount.join(path);
    let within = folder.ancestors().take_while(|one| one.starts_with(&mount));
    within.map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_process_is_in_its_group_and_in_all_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("proc/7")).unwrap();
        fs::write(root.join("proc/7/cgroup"), "4:cpu:/x\n0::/a/b\n").unwrap();
        assert_eq!(around(root, "7"), Vec::<PathBuf>::new());
        let mount = root.join("sys/fs/cgroup");
        fs::create_dir_all(&mount).unwrap();
        fs::write(mount.join("cgroup.procs"), "").unwrap();
        let expected = [mount.join("a/b"), mount.join("a"), mount.clone()];
        assert_eq!(around(root, "7"), expected);
        assert_eq!(around(root, "8"), Vec::<PathBuf>::new());
    }
}
