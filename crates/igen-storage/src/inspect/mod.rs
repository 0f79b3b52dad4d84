//! What is on a block device, so that nobody loses data for a device that was mistyped.

mod file;
mod signature;

use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

pub use file::uses_of_file;
pub use signature::{STAMP_MAGIC, Signature};

use crate::backing;
use crate::block_device::{self, BlockDevice};
use crate::mounts::{self, Mount};
use crate::opened::look_at;
use crate::reason;
use signature::{Ends, HEAD_BYTES, TAIL_BYTES};

/// What is on a device or a partition. `Display` says it in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Its node: `/dev/sdb1`.
    pub path: PathBuf,
    /// What it says that it is.
    pub model: Option<String>,
    /// 0 without a medium.
    pub size_bytes: u64,
    /// The kernel refuses to write to it.
    pub is_read_only: bool,
    /// What uses it now: `mounted at /srv`, `held by /dev/dm-0`.
    pub uses: Vec<String>,
    /// What its first and last bytes are known by.
    pub signatures: Vec<Signature>,
    /// What is on its partitions.
    pub partitions: Vec<Contents>,
    /// The file behind a loop device.
    pub backing_file: Option<PathBuf>,
}

impl Contents {
    /// Returns true if it or one of its partitions is mounted, swapped to or held by another device.
    #[must_use]
    pub fn is_in_use(&self) -> bool {
        !self.uses.is_empty() || self.partitions.iter().any(Self::is_in_use)
    }

    /// Returns true if it carries nothing but what iGen has written: no file system, no partitions, no member of
    /// an array, no data of an unknown kind.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        !self.is_in_use() && self.signatures.is_empty() && self.partitions.is_empty()
    }

    /// What is on it, a line for each thing; empty where it is blank.
    #[must_use]
    pub fn describe(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.signatures.iter().map(ToString::to_string).collect();
        match lines.as_mut_slice() {
            // Mostly what is mounted is what was found.
            [only] if !self.uses.is_empty() => *only = format!("{only}, {}", self.uses.join(", ")),
            _ => lines.extend(self.uses.iter().cloned()),
        }
        for partition in &self.partitions {
            let what = partition.describe();
            let what = if what.is_empty() {
                "nothing known".to_owned()
            } else {
                what.join(", ")
            };
            lines.push(format!("partition {}: {what}", partition.title()));
        }
        lines
    }

    /// Which device it is: `/dev/sdb (Samsung SSD 990, 512 GB)`.
    #[must_use]
    pub fn title(&self) -> String {
        let model = self.model.iter().cloned();
        let file = self.backing_file.iter();
        let about: Vec<String> = model
            .chain(file.map(|file| format!("the file {}", file.display())))
            .chain([size(self.size_bytes)])
            .collect();
        format!("{} ({})", self.path.display(), about.join(", "))
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.describe();
        let title = self.title();
        if lines.is_empty() {
            return write!(formatter, "{title} holds nothing known");
        }
        write!(formatter, "{title} holds: {}", lines.join("; "))
    }
}

/// What is on the block device whose node `path` is. `InvalidInput` where it is none; an error where
/// its ends cannot be read: what is on it is then not known.
pub fn inspect(path: &Path) -> io::Result<Contents> {
    let node = look_at(path).map_err(|error| untold(&error))?;
    inspect_opened(&node, path)
}

/// What is on the block device that was opened as `node`, at `path`; see `inspect`.
pub fn inspect_opened(node: &File, path: &Path) -> io::Result<Contents> {
    let device = BlockDevice::of(&node.metadata()?)?;
    let host = Host::look()?;
    let mut contents = contents(&device, node, path, &host)?;
    if let Some(whole) = device.whole() {
        let uses = host.uses(&whole).into_iter();
        let of_whole =
            uses.map(|it| format!("{}, of which it is a part, is {it}", whole.path().display()));
        contents.uses.extend(of_whole);
    }
    Ok(contents)
}

fn contents(device: &BlockDevice, node: &File, path: &Path, host: &Host) -> io::Result<Contents> {
    let partitions = device.partitions().into_iter().map(|partition| {
        let path = partition.path();
        look_at(&path)
            .map_err(|error| untold(&error))
            .and_then(|node| contents(&partition, &node, &path, host))
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    });
    Ok(Contents {
        path: path.to_owned(),
        model: device.model(),
        size_bytes: device.size_bytes(),
        is_read_only: device.is_read_only(),
        uses: host.uses(device),
        signatures: signature::find(&ends(node, device.size_bytes())?),
        partitions: partitions.collect::<io::Result<_>>()?,
        backing_file: device.backing_file(),
    })
}

fn untold(error: &io::Error) -> io::Error {
    let text = format!("what is on it cannot be told: {}", reason(error));
    io::Error::new(error.kind(), text)
}

fn ends(node: &File, size_bytes: u64) -> io::Result<Ends> {
    let read = |offset: u64, length: u64| {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        node.read_exact_at(&mut bytes, offset)
            .map_err(|error| untold(&error))?;
        Ok::<_, io::Error>(bytes)
    };
    let tail = TAIL_BYTES.min(size_bytes);
    Ok(Ends {
        size_bytes,
        head: read(0, HEAD_BYTES.min(size_bytes))?,
        tail: read(size_bytes - tail, tail)?,
    })
}

/// What the host does with its devices now.
struct Host {
    mounts: Vec<Mount>,
    /// Paths of devices and files that are swapped to.
    swaps: Vec<PathBuf>,
}

impl Host {
    fn look() -> io::Result<Self> {
        let swaps = std::fs::read_to_string("/proc/swaps").unwrap_or_default();
        Ok(Self {
            mounts: mounts::read()?,
            swaps: swap_paths(&swaps),
        })
    }

    /// What uses a device itself, apart from its partitions.
    fn uses(&self, device: &BlockDevice) -> Vec<String> {
        let mut uses = Vec::new();
        for mount in &self.mounts {
            let members = backing::btrfs_of(mount).map(|file_system| file_system.members);
            let is_member = members.is_some_and(|members| members.contains(&device.name));
            if mount.device == device.number || is_member {
                uses.push(format!("mounted at {}", mount.mount_point.display()));
            }
        }
        // Perhaps mounted where this process does not see it.
        if uses.is_empty() {
            for file_system in block_device::btrfs() {
                if file_system.members.contains(&device.name) {
                    let name = file_system.label.unwrap_or(file_system.uuid);
                    uses.push(format!("a device of the mounted btrfs file system {name}"));
                }
            }
        }
        let is_device =
            |path: &PathBuf| BlockDevice::at(path).is_ok_and(|swap| swap.number == device.number);
        if self.swaps.iter().any(is_device) {
            uses.push("swapped to".to_owned());
        }
        let held = device.holders().into_iter().chain(device.loops());
        uses.extend(held.map(|holder| format!("held by {}", holder.path().display())));
        uses
    }
}

/// The first column of `/proc/swaps`, below its heading.
fn swap_paths(text: &str) -> Vec<PathBuf> {
    let lines = text.lines().skip(1);
    lines
        .filter_map(|line| line.split_ascii_whitespace().next())
        .map(|path| mounts::unescaped(path).into())
        .collect()
}

/// As makers of disks write it: `512 GB`, three digits.
fn size(bytes: u64) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < units.len() {
        value /= 1000.0;
        unit += 1;
    }
    let digits = match value {
        _ if unit == 0 => 0,
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests;
