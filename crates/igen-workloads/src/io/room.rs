//! Room for a file: looked for before it is written, given back if the writing does not come to its end.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use igen_job::JobError;
use igen_kernel::space::free_bytes;

use super::target::Target;

/// Bytes of a unit of `st_blocks`.
const SECTOR_BYTES: u64 = 512;

/// Fails if the file system of `target` has no room for a file of `bytes`.
pub(super) fn check(target: &Target, bytes: u64) -> Result<(), JobError> {
    let allocated = match target.opened()? {
        Some(file) => file.metadata().map(|file| file.blocks() * SECTOR_BYTES),
        None => Ok(0),
    };
    let needed = bytes.saturating_sub(allocated.map_err(|error| target.fault(&error))?);
    let free = free_bytes(&target.folder()).map_err(|error| target.fault(&error))?;
    let Some(free) = free.filter(|free| needed > *free) else {
        return Ok(());
    };
    Err(target
        .wrong(format!("it needs {needed} bytes more, {free} are free"))
        .hint("use a smaller size_bytes, or a target on another file system"))
}

/// A file that is being written. If it is dropped before `keep`, the file gets its old length back, or is removed if
/// it is new.
pub(super) struct Unfinished<'a> {
    target: &'a Target,
    file: &'a File,
    /// Length before; `None` if the file was not there.
    bytes: Option<u64>,
    kept: bool,
}

impl<'a> Unfinished<'a> {
    /// The file `file` of `target`, which has `bytes`, or was not there.
    pub(super) fn new(target: &'a Target, file: &'a File, bytes: Option<u64>) -> Self {
        Self {
            target,
            file,
            bytes,
            kept: false,
        }
    }

    /// Keeps what was written.
    pub(super) fn keep(mut self) {
        self.kept = true;
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if self.kept {
            return;
        }
        // Nobody is left to hear of an error: the next `prepare` or `cleanup` finds the file.
        let _ = match self.bytes {
            None => self.target.remove().is_ok(),
            Some(bytes) => self.file.set_len(bytes).is_ok(),
        };
    }
}
