//! Free space of file systems.

use std::io;
use std::path::Path;

/// Returns the bytes that are free to this user on the file system of `folder`.
pub fn free_bytes(folder: &Path) -> io::Result<u64> {
    let space = rustix::fs::statvfs(folder)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}
