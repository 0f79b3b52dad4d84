//! Memory from the operating system, in pages of the kind that was asked for: the only unsafe code
//! of `mem` beside its kernels.

#![allow(unsafe_code)]

use std::ffi::c_void;
use std::io;
use std::ptr::{self, NonNull};

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use super::params::Pages;

/// Size of a transparent huge page, and what a region is aligned to and a multiple of.
pub(super) const HUGE_BYTES: usize = 2 << 20;

/// Zeroed memory of one user. Not a `Vec`, whose allocator would choose the pages.
pub(super) struct Region {
    mapped: NonNull<c_void>,
    mapped_bytes: usize,
    numbers: NonNull<f64>,
    len: usize,
}

impl Region {
    /// At least so many bytes, with a huge page's alignment.
    pub(super) fn new(bytes: usize, pages: Pages) -> io::Result<Self> {
        let bytes = bytes.next_multiple_of(HUGE_BYTES);
        let hugetlb = pages == Pages::Hugetlb;
        // Huge pages of the pool are aligned by themselves.
        let mapped_bytes = if hugetlb { bytes } else { bytes + HUGE_BYTES };
        let mut flags = MapFlags::PRIVATE;
        if hugetlb {
            flags |= MapFlags::HUGETLB;
        }
        // SAFETY: a new mapping at an address that the kernel chooses.
        let mapped = unsafe {
            mmap_anonymous(
                ptr::null_mut(),
                mapped_bytes,
                ProtFlags::READ | ProtFlags::WRITE,
                flags,
            )
        }?;
        let lead = mapped.addr().next_multiple_of(HUGE_BYTES) - mapped.addr();
        let mapped = NonNull::new(mapped).ok_or(io::ErrorKind::OutOfMemory)?;
        let region = Self {
            mapped,
            mapped_bytes,
            // SAFETY: `lead` is 0 or less than the huge page that was mapped in addition.
            numbers: unsafe { mapped.byte_add(if hugetlb { 0 } else { lead }) }.cast(),
            len: bytes / size_of::<f64>(),
        };
        let advice = match pages {
            Pages::Small => Some(Advice::LinuxNoHugepage),
            Pages::Transparent => Some(Advice::LinuxHugepage),
            Pages::Hugetlb => None,
        };
        if let Some(advice) = advice {
            // SAFETY: advice on the size of pages changes nothing that a program can see.
            let advised = unsafe { madvise(mapped.as_ptr(), mapped_bytes, advice) };
            // A kernel without transparent huge pages has small ones, and refuses both.
            if pages != Pages::Small {
                advised?;
            }
        }
        Ok(region)
    }

    /// Its address.
    pub(super) fn address(&self) -> usize {
        self.numbers.addr().get()
    }

    /// All of it.
    pub(super) fn numbers(&mut self) -> &mut [f64] {
        // SAFETY: mapped, zeroed and therefore initialised for so many numbers, of any of which every
        // bit pattern is valid; borrowed like the region that owns it.
        unsafe { std::slice::from_raw_parts_mut(self.numbers.as_ptr(), self.len) }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` and unmapped nowhere else. Nothing can be done about a failure.
        let _ = unsafe { munmap(self.mapped.as_ptr(), self.mapped_bytes) };
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::float_cmp)]

    use super::*;

    #[test]
    fn memory_is_zeroed_writable_and_aligned() {
        for pages in [Pages::Small, Pages::Transparent] {
            let mut region = Region::new(1, pages).unwrap();
            assert_eq!(region.address() % HUGE_BYTES, 0);
            let numbers = region.numbers();
            assert_eq!(numbers.len() * 8, HUGE_BYTES);
            assert!(numbers.iter().all(|&number| number == 0.0));
            numbers.fill(1.0);
        }
    }

    #[test]
    fn more_than_there_can_be_is_an_error() {
        assert!(Region::new(usize::MAX / 4, Pages::Small).is_err());
    }
}
