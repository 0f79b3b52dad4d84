//! A descriptor instead of a path: what was looked at is what is read and written, whatever its path names
//! by then.

use std::fs::{File, OpenOptions};
use std::io::Result;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Opens what is at `path` for reading; never waits, as the begin of a pipe would.
pub fn look_at(path: &Path) -> Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(path)
}

/// Opens the same file or device once more, with a position and flags of its own.
pub fn open_again(file: &File, options: &OpenOptions) -> Result<File> {
    options.open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}
