//! What uses a file now, so that nobody loses what a device shows of it.

use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{major, minor};

use super::swap_paths;
use crate::block_device::loops_of;

/// What uses `file`: `held by /dev/loop3`, `swapped to`, `locked by process 4711`. None for nothing; then
/// it is shared with others that lock it for as long as it is open: nobody gets it for itself meanwhile.
pub fn uses_of_file(file: &File) -> io::Result<Vec<String>> {
    let metadata = file.metadata()?;
    let is_it = |other: &Metadata| (other.dev(), other.ino()) == (metadata.dev(), metadata.ino());
    let holders = loops_of(is_it).into_iter();
    let mut uses: Vec<String> = holders
        .map(|holder| format!("held by {}", holder.path().display()))
        .collect();
    let swaps = std::fs::read_to_string("/proc/swaps").unwrap_or_default();
    if swap_paths(&swaps)
        .iter()
        .any(|path| path.metadata().is_ok_and(|swap| is_it(&swap)))
    {
        uses.push("swapped to".to_owned());
    }
    let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
    if let Some(process) = writer_that_locks(&locks, &metadata) {
        uses.push(match process.as_str() {
            "-1" => "locked by another process".to_owned(),
            process => format!("locked by process {process}"),
        });
    } else if let Err(TryLockError::WouldBlock) = file.try_lock_shared() {
        uses.push("locked by another process".to_owned());
    }
    Ok(uses)
}

/// The process that has locked a file for writing, by `/proc/locks`: `1: POSIX  ADVISORY  WRITE 708 fe:00:1042
/// 0 EOF`, the numbers of the device in hexadecimals; locks that are waited for begin with `->`. Not of this
/// process.
fn writer_that_locks(locks: &str, metadata: &Metadata) -> Option<String> {
    let device = metadata.dev();
    let file = format!(
        "{:02x}:{:02x}:{}",
        major(device),
        minor(device),
        metadata.ino()
    );
    let own = std::process::id().to_string();
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, _, _, "WRITE", process, locked, ..] = words[..] else {
            return None;
        };
        (locked == file && process != own).then(|| process.to_owned())
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_that_somebody_locks_is_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let other = File::create(&path).unwrap();
        let file = File::open(&path).unwrap();
        assert!(uses_of_file(&file).unwrap().is_empty());
        // Shared with those that share it, and nobody can have it alone meanwhile.
        assert!(other.try_lock_shared().is_ok());
        assert!(other.try_lock().is_err());
        drop(file);
        other.try_lock().unwrap();
        let uses = uses_of_file(&File::open(&path).unwrap()).unwrap();
        assert_eq!(uses, ["locked by another process"]);
    }

    #[test]
    fn the_lock_of_a_range_is_found_by_its_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let metadata = file.as_file().metadata().unwrap();
        let (device, inode) = (metadata.dev(), metadata.ino());
        let at = format!("{:02x}:{:02x}", major(device), minor(device));
        let locks = format!(
            "1: POSIX  ADVISORY  WRITE 17 {at}:{other} 0 EOF\n\
             2: POSIX  ADVISORY  READ  18 {at}:{inode} 0 EOF\n\
             3: OFDLCK ADVISORY  WRITE -1 {at}:{inode} 100 199\n",
            other = inode + 1,
        );
        assert_eq!(writer_that_locks(&locks, &metadata).as_deref(), Some("-1"));
        assert_eq!(
            writer_that_locks(&locks.replace("OFDLCK", "-> OFDLCK"), &metadata),
            None
        );
    }
}
