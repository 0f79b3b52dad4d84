//! The control groups that a process is in: the limits of each of them count.

use std::fs;
use std::path::{Path, PathBuf};

/// Beside version 1 version 2 lies apart.
const MOUNTS: [&str; 2] = ["sys/fs/cgroup/unified", "sys/fs/cgroup"];

/// The folders of the group of a process and of those above it: that of version 2, and where a controller, such as `memory`, is
/// one of version 1, that of its own. `process` is an id, or `self`.
pub(crate) fn around(root: &Path, process: &str, controller: &str) -> Vec<PathBuf> {
    let groups = root.join("proc").join(process).join("cgroup");
    let groups = fs::read_to_string(groups).unwrap_or_default();
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (number, controllers, path) = (fields.next(), fields.next(), fields.next());
        let Some(path) = path.and_then(|path| path.strip_prefix('/')) else {
            continue;
        };
        let of_first = controllers
            .is_some_and(|all| all.split(',').any(|name| name == controller))
            .then(|| root.join("sys/fs/cgroup").join(controller));
        let mut mounts = MOUNTS.into_iter().map(|mount| root.join(mount));
        let mount = if number == Some("0") {
            mounts.find(|mount| mount.join("cgroup.procs").exists())
        } else {
            of_first.filter(|mount| mount.join("cgroup.procs").exists())
        };
        let Some(mount) = mount else {
            continue;
        };
        let folder = mount.join(path);
        let within = folder.ancestors().take_while(|one| one.starts_with(&mount));
        found.extend(within.map(Path::to_owned));
    }
    found
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
        assert_eq!(around(root, "7", "cpu"), Vec::<PathBuf>::new());
        let mount = root.join("sys/fs/cgroup");
        fs::create_dir_all(&mount).unwrap();
        fs::write(mount.join("cgroup.procs"), "").unwrap();
        let expected = [mount.join("a/b"), mount.join("a"), mount.clone()];
        assert_eq!(around(root, "7", "cpu"), expected);
        // A controller of version 1 has groups of its own.
        let first = mount.join("cpu");
        fs::create_dir_all(&first).unwrap();
        fs::write(first.join("cgroup.procs"), "").unwrap();
        let of_first = [first.join("x"), first];
        assert_eq!(
            around(root, "7", "cpu"),
            [&of_first[..], &expected].concat()
        );
        assert_eq!(around(root, "7", "memory"), expected);
        assert_eq!(around(root, "8", "cpu"), Vec::<PathBuf>::new());
    }
}
