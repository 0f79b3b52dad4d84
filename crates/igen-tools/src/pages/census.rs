//! Every page of memory, by its flags: `/proc/kpageflags`, for root.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use rustix::param::page_size;

use super::flags::Use;
use super::program_pages::PageSet;

/// Flags that are read at a time; a page has 8 bytes of them.
const CHUNK: usize = 1 << 15;
const GIB: u64 = 1 << 30;

/// How many pages there are of each use.
#[derive(Debug, Default)]
pub(super) struct Census {
    pages: [u64; Use::COUNT],
    /// Free stretches that could be a page of 1 GiB.
    pub(super) free_gib: u64,
}

impl Census {
    /// Looks at all pages once. `programs` are those of executable files.
    pub(super) fn take(programs: &PageSet) -> io::Result<Self> {
        let file = File::open("/proc/kpageflags")?;
        let mut census = Self::default();
        let mut counting = Counting::new(page_size() as u64);
        let mut buffer = vec![0; 8 * CHUNK];
        let mut offset = 0;
        loop {
            let length = file.read_at(&mut buffer, offset)?;
            if length == 0 {
                break;
            }
            let first_page = offset / 8;
            for (index, flags) in (0..).zip(buffer[..length].as_chunks().0) {
                let page = first_page + index;
                let used = Use::of(u64::from_ne_bytes(*flags), programs.holds(page));
                if let Some(used) = used {
                    census.pages[used as usize] += 1;
                }
                counting.next(page, used == Some(Use::Free));
            }
            offset += length as u64;
        }
        census.free_gib = counting.free_gib;
        Ok(census)
    }

    /// Bytes of a use.
    pub(super) fn bytes(&self, of: Use) -> u64 {
        self.pages[of as usize] * page_size() as u64
    }
}

/// Counts aligned stretches of 1 GiB of which every page is free.
struct Counting {
    pages_per_gib: u64,
    free_pages: u64,
    free_gib: u64,
}

impl Counting {
    fn new(page_bytes: u64) -> Self {
        Self {
            pages_per_gib: GIB / page_bytes,
            free_pages: 0,
            free_gib: 0,
        }
    }

    fn next(&mut self, page: u64, free: bool) {
        if page.is_multiple_of(self.pages_per_gib) {
            self.free_pages = 0;
        }
        self.free_pages += u64::from(free);
        self.free_gib += u64::from(self.free_pages == self.pages_per_gib);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_aligned_stretches_that_are_all_free_count() {
        // Pages so large that there are four in a stretch.
        let free = |pages: &str| {
            let mut counting = Counting::new(GIB / 4);
            for (page, letter) in (0..).zip(pages.chars()) {
                counting.next(page, letter == 'f');
            }
            counting.free_gib
        };
        assert_eq!(free("ffff"), 1);
        assert_eq!(free("xfffffff"), 1);
        assert_eq!(free("xxfffffx"), 0);
        assert_eq!(free("ffffffff"), 2);
    }
}
