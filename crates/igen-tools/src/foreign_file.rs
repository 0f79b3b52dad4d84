//! Files that somebody else has named: in the command line of a process, or in a file.
//!
//! A pipe would never end, and a device might: only regular files are read, and only so much of them.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Longer settings are nobody's.
const LONGEST_TEXT_BYTES: u64 = 4 << 20;

/// Opens a regular file, without waiting for whoever would write to a pipe.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(file)
}

/// Its text, up to 4 MiB.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    open(path)?
        .take(LONGEST_TEXT_BYTES)
        .read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The same; empty where it cannot be read.
pub(crate) fn text(path: &Path) -> String {
    read_text(path).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;

    use super::*;

    #[test]
    fn only_regular_files_are_read_and_only_their_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.conf");
        fs::write(&file, b"port = 1 \xff\n").unwrap();
        assert_eq!(text(&file), "port = 1 \u{fffd}\n");
        let long = File::create(&file).unwrap();
        long.set_len(3 * LONGEST_TEXT_BYTES).unwrap();
        assert_eq!(text(&file).len() as u64, LONGEST_TEXT_BYTES);
        let pipe = folder.path().join("pipe");
        let path = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        assert!(open(&pipe).is_err() && text(&pipe).is_empty());
        assert!(open(Path::new("/dev/zero")).is_err());
        assert!(open(folder.path()).is_err());
    }
}
