//! Free space of file systems.

use std::io;
use std::path::Path;

/// Returns the bytes that are free to this user on the file system of `folder`; `None` if it does not say how
/// large it is, such as ramfs.
pub fn free_bytes(folder: &Path) -> io::Result<Option<u64>> {
    let space = rustix::fs::statvfs(folder)?;
    let free = space.f_bavail.saturating_mul(space.f_frsize);
    Ok((space.f_blocks > 0).then_some(free))
}
