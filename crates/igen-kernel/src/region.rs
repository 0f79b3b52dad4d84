//! Memory from the operating system in pages of a kind, filled page by page: unsafe code to take and to use it.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::io;
use std::ptr::{self, NonNull};

use bytemuck::Pod;
use igen_job::Pages;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mlock, mmap_anonymous, munmap};

use crate::pool::Pool;

/// Size of a transparent huge page, and what other regions than those of a pool are aligned to.
pub const HUGE_BYTES: u64 = ALIGNMENT as u64;
const ALIGNMENT: usize = 2 << 20;

/// Returns the number of bytes of which the size of a region is a multiple.
#[must_use]
pub fn granule_bytes(pages: Pages) -> u64 {
    match pages {
        Pages::Small => rustix::param::page_size() as u64,
        Pages::Transparent => HUGE_BYTES,
        Pages::Hugetlb | Pages::Pool2m | Pages::Pool1g => {
            Pool::of(pages).map_or(HUGE_BYTES, |pool| pool.page_bytes)
        }
    }
}

/// Memory that is given back when it goes out of scope.
pub struct Region {
    start: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: an address range of this process; whoever writes to it has a part of its own.
unsafe impl Sync for Region {}

impl Region {
    /// Addresses without memory yet, zeroed when they are first touched. `bytes` is a multiple of the granule of `pages`;
    /// begins at a multiple of it, and of `HUGE_BYTES`.
    pub fn reserve(bytes: u64, pages: Pages) -> io::Result<Self> {
        let bytes = usize::try_from(bytes).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let mut flags = MapFlags::PRIVATE;
        match pages {
            Pages::Hugetlb => flags |= MapFlags::HUGETLB,
            Pages::Pool2m => flags |= MapFlags::HUGETLB | MapFlags::HUGE_2MB,
            Pages::Pool1g => flags |= MapFlags::HUGETLB | MapFlags::HUGE_1GB,
            Pages::Small | Pages::Transparent => {}
        }
        // Pages of a pool are aligned by themselves.
        let aligned = if pages.is_pool() { 0 } else { ALIGNMENT };
        let wide = bytes
            .checked_add(aligned)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                wide,
                ProtFlags::READ | ProtFlags::WRITE,
                flags,
            )
        }?;
        let lead = match aligned {
            0 => 0,
            _ => start.addr().next_multiple_of(aligned) - start.addr(),
        };
        let all = Self {
            start: NonNull::new(start.wrapping_byte_add(lead)).ok_or(io::ErrorKind::OutOfMemory)?,
            bytes,
        };
        for (place, length) in [(0, lead), (lead + bytes, wide - lead - bytes)] {
            if length > 0 {
                // SAFETY: what was mapped beyond the region, at either end of it, and nobody knows of.
                unsafe { munmap(start.wrapping_byte_add(place), length) }?;
            }
        }
        let advice = match pages {
            Pages::Small => Advice::LinuxNoHugepage,
            Pages::Transparent => Advice::LinuxHugepage,
            Pages::Hugetlb | Pages::Pool2m | Pages::Pool1g => return Ok(all),
        };
        // SAFETY: advice on the size of pages changes nothing that a program can see.
        let advised = unsafe { madvise(all.start.as_ptr(), bytes, advice) };
        // A kernel without transparent huge pages refuses both, and small ones are all that it has.
        if pages == Pages::Transparent {
            advised?;
        }
        Ok(all)
    }

    /// All of it, as numbers; what is left over at its end belongs to none.
    pub fn slice<T: Pod>(&mut self) -> &mut [T] {
        let length = self.bytes / size_of::<T>().max(1);
        // SAFETY: mapped, readable and writable, zeroed by the kernel, aligned to a page, which is more than any type of
        // numbers wants; any bytes are such a number; borrowed like the region that owns it.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().cast(), length) }
    }

    /// Locks it in memory, page by page filled.
    pub fn lock(&self) -> io::Result<()> {
        // SAFETY: the mapping; a lock changes nothing that the program can see.
        Ok(unsafe { mlock(self.start.as_ptr(), self.bytes) }?)
    }

    /// Returns the address of the first byte.
    #[must_use]
    pub fn address(&self) -> usize {
        self.start.addr().get()
    }

    /// Fills a part of it with memory, and locks it there if wanted. An error where there is none left.
    pub fn fill(&self, offset: usize, bytes: usize, lock: bool) -> io::Result<()> {
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
    pub fn write(&self, offset: usize, bytes: usize) -> io::Result<()> {
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
    fn memory_is_zeroed_writable_and_aligned() {
        for pages in [Pages::Small, Pages::Transparent] {
            let mut region = Region::reserve(3 * HUGE_BYTES, pages).unwrap();
            assert_eq!(region.address() as u64 % HUGE_BYTES, 0);
            let numbers = region.slice::<f64>();
            assert_eq!(numbers.len() as u64 * 8, 3 * HUGE_BYTES);
            assert!(numbers.iter().all(|number| number.to_bits() == 0));
            numbers.fill(1.0);
        }
        assert!(Region::reserve(u64::MAX / 4, Pages::Small).is_err());
    }

    #[test]
    fn a_little_memory_can_be_locked() {
        let mut region = Region::reserve(granule_bytes(Pages::Small), Pages::Small).unwrap();
        region.lock().unwrap();
        region.slice::<u32>()[7] = 1;
    }

    #[test]
    fn memory_is_filled_and_written_to_in_parts() {
        for pages in [Pages::Small, Pages::Transparent] {
            let granule = usize::try_from(granule_bytes(pages)).unwrap();
            let region = Region::reserve(4 * granule_bytes(pages), pages).unwrap();
            region.fill(0, 2 * granule, false).unwrap();
            region.write(granule, 3 * granule).unwrap();
            assert!(region.fill(3 * granule, 2 * granule, false).is_err());
            assert!(region.write(usize::MAX, 2).is_err());
        }
    }
}
