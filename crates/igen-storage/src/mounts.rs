//! What is mounted where: `/proc/self/mountinfo`, as `proc_pid_mountinfo(5)` describes it.

use std::io;
use std::path::{Path, PathBuf};

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mount {
    /// Major and minor number of its device; major 0 where it has no device of its own, as tmpfs, or
    /// more than one, as btrfs.
    pub device: (u32, u32),
    /// The folder.
    pub mount_point: PathBuf,
    /// Kind of file system: `ext4`.
    pub kind: String,
    /// What was mounted: mostly a path, `/dev/sda1`.
    pub source: String,
}

/// All mounts that this process sees, in the order in which they were made.
pub fn read() -> io::Result<Vec<Mount>> {
    let text = std::fs::read("/proc/self/mountinfo")?;
    Ok(parse(&String::from_utf8_lossy(&text)))
}

/// The mount that holds `path`, which is absolute and without links.
#[must_use]
pub fn holding<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts
        .iter()
        .filter(|mount| path.starts_with(&mount.mount_point))
        // Of several at the same place the last one is seen.
        .max_by_key(|mount| mount.mount_point.components().count())
}

/// The mounts that a text in the kernel's form lists; lines of another form are passed over.
pub(super) fn parse(text: &str) -> Vec<Mount> {
    text.lines().filter_map(mount).collect()
}

fn mount(line: &str) -> Option<Mount> {
    let (place, rest) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(2);
    let (major, minor) = place.next()?.split_once(':')?;
    let mount_point = place.nth(1)?;
    let mut rest = rest.split(' ');
    Some(Mount {
        device: (major.parse().ok()?, minor.parse().ok()?),
        mount_point: unescaped(mount_point).into(),
        kind: rest.next()?.to_owned(),
        source: unescaped(rest.next()?),
    })
}

/// The kernel writes blanks and backslashes in names as a backslash and three octal digits.
pub(super) fn unescaped(name: &str) -> String {
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
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
30 27 0:27 / /srv/my\\040data rw shared:5 master:1 - btrfs /dev/loop0 rw
31 27 0:28 / /srv/over rw - tmpfs below rw
32 27 0:29 / /srv/over rw - tmpfs above rw
";

    fn source(path: &str) -> Option<String> {
        let mounts = parse(CAPTURED);
        holding(&mounts, Path::new(path)).map(|mount| mount.source.clone())
    }

    #[test]
    fn the_deepest_and_last_mount_holds_a_path() {
        assert_eq!(source("/home/me").as_deref(), Some("/dev/vda"));
        assert_eq!(source("/srv/my data/x").as_deref(), Some("/dev/loop0"));
        assert_eq!(source("/srv/my database").as_deref(), Some("/dev/vda"));
        assert_eq!(source("/srv/over").as_deref(), Some("above"));
    }

    #[test]
    fn optional_fields_are_passed_over() {
        let expected = Mount {
            device: (0, 27),
            mount_point: "/srv/my data".into(),
            kind: "btrfs".to_owned(),
            source: "/dev/loop0".to_owned(),
        };
        assert_eq!(parse(CAPTURED).get(2), Some(&expected));
    }

    #[test]
    fn cut_lines_are_none() {
        let line = CAPTURED.lines().nth(1).unwrap_or_default();
        let kind = line.find("ext4 ").unwrap_or_default();
        for length in 0..=kind + "ext4".len() {
            assert_eq!(mount(&line[..length]), None, "{length}");
        }
    }

    #[test]
    fn the_list_of_this_host_stands_in_a_mount_of_its_own() {
        // In a chroot the root is not a mount.
        let mounts = read().unwrap_or_default();
        let of_proc = holding(&mounts, Path::new("/proc/self/mountinfo"));
        assert_eq!(of_proc.map(|mount| mount.kind.as_str()), Some("proc"));
    }
}
