//! Input and output of each disk.
//!
//! Reads: `/proc/diskstats`. A disk is a whole block device that stands on no other one: not a
//! partition, a mapping, an array or a loop device (their I/O arrives at a disk and would count
//! twice), nor memory (`ram`, `zram`), nor an empty drive. So the sum over all subjects is the
//! host's I/O. Whether a device is a disk is looked up in `/sys/block` when it is first seen.
//! `busy_s` is time with at least one request in flight: a device that serves many at once can be
//! busy all the time and yet have room.
//! Cost: 5 µs with one disk. Requirements: none.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

use igen_engine::Monitor;
use igen_job::event::Reading;

use crate::block_io;
use igen_kernel::proc_file::ProcFile;

pub(crate) struct Disk {
    diskstats: ProcFile,
    disks: HashMap<String, bool>,
}

impl Disk {
    pub(crate) const NAME: &'static str = "disk";

    pub(crate) fn open() -> io::Result<Self> {
        Ok(Self {
            diskstats: ProcFile::open("/proc/diskstats")?,
            disks: HashMap::new(),
        })
    }
}

impl Monitor for Disk {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        for (name, fields) in lines(&self.diskstats.read()?) {
            if !self.disks.contains_key(name) {
                self.disks
                    .insert(name.to_owned(), is_disk(Path::new("/sys/block"), name));
            }
            if self.disks[name] {
                readings.push(block_io::reading(Self::NAME, name, fields));
            }
        }
        Ok(())
    }
}

/// Name and fields of each line: `major minor name fields…`.
fn lines(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (_major, rest) = line.trim_start().split_once(' ')?;
        let (_minor, rest) = rest.trim_start().split_once(' ')?;
        rest.trim_start().split_once(' ')
    })
}

/// See the head of this file. `block` is `/sys/block`, which lists whole devices only.
fn is_disk(block: &Path, name: &str) -> bool {
    if ["loop", "ram", "zram"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
    {
        return false;
    }
    // A slash in a device's name is an exclamation mark in /sys.
    let device = block.join(name.replace('/', "!"));
    let stacked = fs::read_dir(device.join("slaves")).is_ok_and(|mut below| below.next().is_some());
    let size = fs::read_to_string(device.join("size"));
    !stacked && size.is_ok_and(|sectors| sectors.trim() != "0")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const CAPTURED: &str = "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 254       0 vda 79842 12698 7001114 23601 27718 18502 3350568 12194 2 12704 36960 10012 71 865288 949 3538 214
 259       1 cciss/c0d0 1 2 3 4 5 6 7 8 9 10 11
";

    #[test]
    fn a_line_is_a_name_and_its_fields() {
        let (name, fields) = lines(CAPTURED).nth(2).unwrap();
        assert_eq!((name, fields), ("cciss/c0d0", "1 2 3 4 5 6 7 8 9 10 11"));
    }

    #[test]
    fn odd_lines_are_passed_over() {
        assert_eq!(lines("\n 254\n 254 0\n 254 0 vda\nvda 1 2\n").count(), 0);
        assert_eq!(lines("").count(), 0);
    }

    #[test]
    fn only_whole_devices_at_the_bottom_are_disks() {
        let block = tempfile::tempdir().unwrap();
        for (name, sectors, below) in [
            ("vda", "8", None),
            ("cciss!c0d0", "8", None),
            ("dm-0", "8", Some("vda")),
            ("nbd0", "0", None),
            ("loop0", "8", None),
            ("zram0", "8", None),
        ] {
            let slaves = block.path().join(name).join("slaves");
            fs::create_dir_all(&slaves).unwrap();
            fs::write(block.path().join(name).join("size"), format!("{sectors}\n")).unwrap();
            if let Some(below) = below {
                fs::write(slaves.join(below), "").unwrap();
            }
        }
        for (name, expected) in [
            ("vda", true),
            ("cciss/c0d0", true),
            ("vda1", false),
            ("dm-0", false),
            ("nbd0", false),
            ("loop0", false),
            ("zram0", false),
        ] {
            assert_eq!(is_disk(block.path(), name), expected, "{name}");
        }
    }
}
