//! The block devices at which the I/O of a file arrives.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::statfs;

use crate::block_device::{self, BlockDevice, Btrfs};
use crate::mounts::{self, Mount};

/// What stands below a file or device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Backing {
    /// Kind of the file system that holds it; none for a device.
    pub file_system: Option<String>,
    /// At the bottom: the devices below mappings and arrays, all devices of a btrfs file system. A
    /// loop device and a partition are taken as they are. None for a file system in memory or on
    /// another host.
    pub devices: Vec<BlockDevice>,
}

/// What stands below `path`; below the folder that will hold it where there is no such file yet.
pub fn of(path: &Path) -> io::Result<Backing> {
    let path = existing(path)?;
    if let Ok(device) = BlockDevice::at(&path) {
        return Ok(Backing {
            file_system: None,
            devices: bottom(vec![device]),
        });
    }
    let mounts = mounts::read()?;
    let mount = mounts::holding(&mounts, &path);
    let devices = mount.map(below).unwrap_or_default();
    Ok(Backing {
        file_system: mount.map(|mount| mount.kind.clone()),
        devices: bottom(devices),
    })
}

/// File systems in memory: tmpfs and devtmpfs, ramfs, hugetlbfs, by their numbers in the kernel's include/uapi/linux/magic.h.
const IN_MEMORY: [i128; 3] = [0x0102_1994, 0x8584_58f6, 0x9584_58f6];

/// Returns true if a file or device is kept in memory, and so are the devices below it: no storage is read or written.
pub fn is_in_memory(path: &Path) -> io::Result<bool> {
    let path = existing(path)?;
    if BlockDevice::at(&path).is_err()
        && IN_MEMORY.contains(&(i128::from(statfs(&path)?.f_type) & 0xffff_ffff))
    {
        return Ok(true);
    }
    let devices = of(&path)?.devices;
    let is_memory = |device: &BlockDevice| match device.backing_file() {
        Some(file) => is_in_memory(&file).unwrap_or(false),
        None => device.is_memory(),
    };
    Ok(!devices.is_empty() && devices.iter().all(is_memory))
}

/// The path without links, or of the nearest folder above it that exists.
fn existing(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let found = path
        .ancestors()
        .find_map(|path| fs::canonicalize(path).ok());
    found.ok_or_else(|| io::ErrorKind::NotFound.into())
}

fn below(mount: &Mount) -> Vec<BlockDevice> {
    if let Some(file_system) = btrfs_of(mount) {
        let members = file_system.members.iter();
        return members
            .filter_map(|name| BlockDevice::named(name).ok())
            .collect();
    }
    let device = BlockDevice::with_number(mount.device);
    device.into_iter().collect()
}

/// The btrfs file system that a mount shows: the source is one of its devices.
pub(super) fn btrfs_of(mount: &Mount) -> Option<Btrfs> {
    (mount.kind == "btrfs").then_some(())?;
    let source = BlockDevice::at(Path::new(&mount.source)).ok()?;
    let mut mounted = block_device::btrfs().into_iter();
    mounted.find(|file_system| file_system.members.contains(&source.name))
}

/// Each device replaced by those that it stands on, down to the last, each once.
fn bottom(devices: Vec<BlockDevice>) -> Vec<BlockDevice> {
    let mut found: Vec<BlockDevice> = Vec::new();
    let mut open = devices;
    while let Some(device) = open.pop() {
        let slaves = device.slaves();
        if !slaves.is_empty() {
            open.extend(slaves);
        } else if !found.contains(&device) {
            found.push(device);
        }
    }
    found.sort_by(|one, other| (one.name.len(), &one.name).cmp(&(other.name.len(), &other.name)));
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_file_system_in_memory_is_known_by_its_number() {
        assert!(is_in_memory(Path::new("/dev/shm/not-there-yet")).unwrap());
        assert!(!is_in_memory(Path::new("/proc/self/stat")).unwrap());
        assert!(!is_in_memory(&std::env::current_exe().unwrap()).unwrap());
    }
}
