//! Memory from the operating system, filled page by page: the only unsafe code of these tools that takes memory.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::io;
use std::ptr::{self, NonNull};

use clap::ValueEnum;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mlock, mmap_anonymous, munmap};

/// Kinds of pages that memory can be made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pages {
    /// The smallest that the processor has.
    #[value(name = "4k")]
    Small,
    /// Transparent huge pages, where the kernel finds them.
    #[value(name = "thp")]
    Transparent,
    /// Pages of 2 MiB from the pool that the administrator has reserved.
    #[value(name = "2m")]
    Pool2m,
    /// Pages of 1 GiB from the pool.
    #[value(name = "1g")]
    Pool1g,
}

impl Pages {
    /// What sizes are multiples of.
    pub(crate) fn granule_bytes(self) -> u64 {
        match self {
            Self::Small => rustix::param::page_size() as u64,
            Self::Transparent | Self::Pool2m => 2 << 20,
            Self::Pool1g => 1 << 30,
        }
    }
}

/// Memory that is given back when it goes out of scope.
pub(crate) struct Region {
    start: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: an address range of this process; whoever writes to it has a part of its own.
unsafe impl Sync for Region {}

impl Region {
    /// Addresses without memory yet. `bytes` is a multiple of the granule of `pages`.
    pub(crate) fn reserve(bytes: u64, pages: Pages) -> io::Result<Self> {
        let bytes = usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        match pages {
            Pages::Pool2m => flags |= MapFlags::HUGETLB | MapFlags::HUGE_2MB,
            Pages::Pool1g => flags |= MapFlags::HUGETLB | MapFlags::HUGE_1GB,
            Pages::Small | Pages::Transparent => {}
        }
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                flags,
            )
        }?;
        let start = NonNull::new(start).ok_or(io::ErrorKind::OutOfMemory)?;
        let region = Self { start, bytes };
        let advice = match pages {
            Pages::Small => Advice::LinuxNoHugepage,
            Pages::Transparent => Advice::LinuxHugepage,
            Pages::Pool2m | Pages::Pool1g => return Ok(region),
        };
        // SAFETY: advice on the size of pages changes nothing that a program can see.
        let advised = unsafe { madvise(start.as_ptr(), bytes, advice) };
        // A kernel without transparent huge pages refuses both, and small ones are all that it has.
        if pages == Pages::Transparent {
            advised?;
        }
        Ok(region)
    }

    /// Where it begins.
    pub(crate) fn address(&self) -> usize {
        self.start.addr().get()
    }

    /// Fills a part of it with memory, and locks it there if wanted. An error where there is none left.
    pub(crate) fn fill(&self, offset: usize, bytes: usize, lock: bool) -> io::Result<()> {
        let start = self.part(offset, bytes)?;
        // SAFETY: the part lies within the mapping; its pages become present, their content stays what it was.
        let filled = unsafe { madvise(start, bytes, Advice::LinuxPopulateWrite) };
        match filled {
            // Kernels before 5.14.
            Err(rustix::io::Errno::INVAL) => self.write(offset, bytes)?,
            other => other?,
        }
        if lock {
            // SAFETY: within the mapping; a lock changes nothing that the program can see.
            unsafe { mlock(start, bytes) }?;
        }
        Ok(())
    }

    /// Writes to every word of a part that no other thread writes to at the same time.
    pub(crate) fn write(&self, offset: usize, bytes: usize) -> io::Result<()> {
        let start = self.part(offset, bytes)?.cast::<u8>();
        // SAFETY: mapped, readable and writable; zeroed by the kernel, and any byte is valid.
        unsafe { ptr::write_bytes(start, 0xa5, bytes) };
        Ok(())
    }

    fn part(&self, offset: usize, bytes: usize) -> io::Result<*mut c_void> {
        let end = offset.checked_add(bytes).filter(|end| *end <= self.bytes);
        end.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.start.as_ptr().wrapping_byte_add(offset))
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: mapped by `reserve` and unmapped nowhere else. Nothing can be done about a failure.
        let _ = unsafe { munmap(self.start.as_ptr(), self.bytes) };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn memory_is_filled_and_written_to_in_parts() {
        for pages in [Pages::Small, Pages::Transparent] {
            let granule = usize::try_from(pages.granule_bytes()).unwrap();
            let region = Region::reserve(4 * pages.granule_bytes(), pages).unwrap();
            region.fill(0, 2 * granule, false).unwrap();
            region.write(granule, 3 * granule).unwrap();
            assert!(region.fill(3 * granule, 2 * granule, false).is_err());
            assert!(region.write(usize::MAX, 2).is_err());
        }
    }
}
