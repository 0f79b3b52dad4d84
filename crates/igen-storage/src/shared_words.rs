//! Numbers in a file that threads share and that outlive the process, however it ends: the file mapped
//! into memory. The only unsafe code of this module's.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Words of 32 bits, in the byte order of the machine.
///
/// Whoever cuts the file short meanwhile ends this process with SIGBUS.
pub struct SharedWords {
    start: NonNull<AtomicU32>,
    count: usize,
}

// SAFETY: the mapping belongs to this value alone and lives as long as it does; atomics may be used by
// any thread.
unsafe impl Send for SharedWords {}
// SAFETY: as above.
unsafe impl Sync for SharedWords {}

impl SharedWords {
    /// The first `count` words of `file`, which is open for reading and writing and has as many.
    pub fn of(file: &File, count: usize) -> Result<Self> {
        let bytes = bytes_of(count)?;
        if count == 0 || file.metadata()?.len() < bytes as u64 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory of ours.
        let start = unsafe {
            mmap(
                std::ptr::null_mut(),
                bytes,
                protection,
                MapFlags::SHARED,
                file,
                0,
            )
        }?;
        let start = NonNull::new(start.cast()).ok_or_else(|| Error::other("mapped at 0"))?;
        Ok(Self { start, count })
    }

    /// The words.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[AtomicU32] {
        // SAFETY: `of` has mapped so many words at a page's begin, which is aligned for them; any bytes
        // are a valid `AtomicU32`; the mapping lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

impl Drop for SharedWords {
    fn drop(&mut self) {
        // SAFETY: mapped by `of` with this length, unmapped only here; borrows of it have ended.
        let _ = unsafe { munmap(self.start.as_ptr().cast(), self.count * size_of::<u32>()) };
    }
}

fn bytes_of(count: usize) -> Result<usize> {
    count
        .checked_mul(size_of::<u32>())
        .ok_or_else(|| ErrorKind::FileTooLarge.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn what_threads_write_stays_in_the_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(4 * 5000).unwrap();
        let shared = SharedWords::of(file.as_file(), 5000).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let words = shared.words();
                scope.spawn(move || {
                    for word in &words[thread * 1250..(thread + 1) * 1250] {
                        word.fetch_add(7, Relaxed);
                    }
                });
            }
        });
        drop(shared);
        let bytes = std::fs::read(file.path()).unwrap();
        let mut words = bytes.as_chunks::<4>().0.iter();
        assert!(words.all(|word| u32::from_ne_bytes(*word) == 7));
    }

    #[test]
    fn a_file_that_is_too_short_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(39).unwrap();
        assert!(SharedWords::of(file.as_file(), 9).is_ok());
        for count in [0, 10, usize::MAX] {
            assert!(SharedWords::of(file.as_file(), count).is_err());
        }
    }
}
