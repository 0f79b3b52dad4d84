//! The file system of the working directory.

use std::env;
use std::path::Path;

use igen_job::facts;
use rustix::fs::statvfs;

use crate::fact_list::FactList;
use crate::tree::Tree;

/// A mounted file system, as a line of `/proc/self/mountinfo` describes it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FileSystem {
    mount_point: String,
    kind: String,
    device: String,
    /// Options of the mount and of the file system, each once.
    options: String,
}

impl FileSystem {
    pub(crate) fn of_working_directory(tree: &Tree) -> Option<Self> {
        let directory = env::current_dir().ok()?;
        Self::holding(&directory, &tree.text("proc/self/mountinfo")?)
    }

    /// The one mounted deepest above `directory`; of several at one place, the last covers the others.
    fn holding(directory: &Path, mountinfo: &str) -> Option<Self> {
        mountinfo
            .lines()
            .filter_map(Self::parse)
            .filter(|mounted| directory.starts_with(&mounted.mount_point))
            .max_by_key(|mounted| mounted.mount_point.len())
    }

    /// `id parent major:minor root mount_point options… - kind device options`.
    fn parse(line: &str) -> Option<Self> {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(4);
        let mut file_system = file_system.split(' ');
        let mount_point = unescaped(mount.next()?);
        let mount_options = mount.next()?;
        let kind = file_system.next()?.to_owned();
        let device = unescaped(file_system.next()?);
        let mut options: Vec<&str> = mount_options.split(',').collect();
        for option in file_system.next()?.split(',') {
            if !options.contains(&option) {
                options.push(option);
            }
        }
        Some(Self {
            mount_point,
            kind,
            device,
            options: options.join(","),
        })
    }

    pub(crate) fn add_to(self, list: &mut FactList) {
        let space = statvfs(&*self.mount_point).ok();
        let space = space.as_ref();
        list.add(
            &facts::WORKING_DIRECTORY_MOUNT_POINT,
            Some(self.mount_point),
        );
        list.add(&facts::WORKING_DIRECTORY_FILE_SYSTEM, Some(self.kind));
        list.add(&facts::WORKING_DIRECTORY_DEVICE, Some(self.device));
        list.add(&facts::WORKING_DIRECTORY_OPTIONS, Some(self.options));
        list.add(
            &facts::WORKING_DIRECTORY_SIZE_BYTES,
            space.map(|space| space.f_blocks * space.f_frsize),
        );
        list.add(
            &facts::WORKING_DIRECTORY_FREE_BYTES,
            space.map(|space| space.f_bavail * space.f_frsize),
        );
    }
}

/// The kernel writes blanks and backslashes in names as a backslash and three octal digits.
fn unescaped(name: &str) -> String {
    [
        ("\\040", " "),
        ("\\011", "\t"),
        ("\\012", "\n"),
        ("\\134", "\\"),
    ]
    .iter()
    .fold(name.to_owned(), |name, (code, letter)| {
        name.replace(code, letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPTURED: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard,resuid=65534
30 27 0:27 / /srv/my\\040data rw,noatime shared:5 master:1 - xfs /dev/mapper/data rw,noquota
31 27 0:28 / /srv/over rw - tmpfs below rw
32 27 0:29 / /srv/over rw - tmpfs above rw
";

    fn device(directory: &str) -> Option<String> {
        let found = FileSystem::holding(Path::new(directory), CAPTURED);
        found.map(|found| found.device)
    }

    #[test]
    fn the_deepest_and_last_mount_holds_a_directory() {
        assert_eq!(device("/home/me").as_deref(), Some("/dev/vda"));
        assert_eq!(
            device("/srv/my data/x").as_deref(),
            Some("/dev/mapper/data")
        );
        assert_eq!(device("/srv/my database").as_deref(), Some("/dev/vda"));
        assert_eq!(device("/srv/over").as_deref(), Some("above"));
    }

    #[test]
    fn optional_fields_are_passed_over_and_options_joined() {
        let parsed = CAPTURED.lines().nth(2).and_then(FileSystem::parse);
        let expected = FileSystem {
            mount_point: "/srv/my data".to_owned(),
            kind: "xfs".to_owned(),
            device: "/dev/mapper/data".to_owned(),
            options: "rw,noatime,noquota".to_owned(),
        };
        assert_eq!(parsed, Some(expected));
    }

    #[test]
    fn cut_lines_are_none() {
        let line = CAPTURED.lines().nth(1).unwrap_or_default();
        for length in 0..line.find(" rw,discard").unwrap_or_default() {
            assert_eq!(FileSystem::parse(&line[..length]), None, "{length}");
        }
    }
}
