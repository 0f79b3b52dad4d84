//! Every page of memory, by its flags: `/proc/kpageflags`, for root.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use rustix::param::page_size;

use super::flags::Use;
use super::present::present;
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
        for present in present(page_size() as u64) {
            let mut page = present.start;
            while page < present.end {
                let pages = usize::try_from(present.end - page).unwrap_or(CHUNK);
                let room = &mut buffer[..8 * pages.min(CHUNK)];
                let length = file.read_at(room, 8 * page)?;
                if length == 0 {
                    break;
                }
                // Neighbours are mostly used alike: a stretch of them costs little more than one page.
                let flags = room[..length].as_chunks().0;
                for alike in flags.chunk_by(|one, next| one == next) {
                    let pages = page..page + alike.len() as u64;
                    let used = census.count(u64::from_ne_bytes(alike[0]), pages.clone(), programs);
                    counting.next(pages.clone(), used == Some(Use::Free));
                    page = pages.end;
                }
            }
            // The next page is no neighbour.
            counting.next(page..page, false);
        }
        census.free_gib = counting.free_gib;
        Ok(census)
    }

    /// Counts pages that have the same flags, and says for what they are used.
    fn count(&mut self, flags: u64, pages: Range<u64>, programs: &PageSet) -> Option<Use> {
        let used = Use::of(flags, false)?;
        let all = pages.end - pages.start;
        let of_programs = if Use::of(flags, true) == Some(used) {
            0
        } else {
            pages.filter(|page| programs.holds(*page)).count() as u64
        };
        self.pages[used as usize] += all - of_programs;
        self.pages[Use::Programs as usize] += of_programs;
        Some(used)
    }

    /// Bytes of a use.
    pub(super) fn bytes(&self, of: Use) -> u64 {
        self.pages[of as usize] * page_size() as u64
    }
}

/// Counts aligned stretches of 1 GiB of which every page is free.
struct Counting {
    pages_per_gib: u64,
    /// Since which page all are free.
    free_from: Option<u64>,
    free_gib: u64,
}

impl Counting {
    fn new(page_bytes: u64) -> Self {
        Self {
            pages_per_gib: GIB / page_bytes,
            free_from: None,
            free_gib: 0,
        }
    }

    /// The next pages, which are all free or none of them.
    fn next(&mut self, pages: Range<u64>, free: bool) {
        if !free {
            self.free_from = None;
            return;
        }
        let from = *self.free_from.get_or_insert(pages.start);
        // Stretches that have ended within these pages, and not before them.
        let ended =
            |at: u64| (at / self.pages_per_gib).saturating_sub(from.div_ceil(self.pages_per_gib));
        self.free_gib += ended(pages.end) - ended(pages.start);
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
            let mut page = 0;
            for alike in pages.as_bytes().chunk_by(|one, next| one == next) {
                let end = page + alike.len() as u64;
                // What was read at a time may end within a stretch.
                for part in [page..page + 1, page + 1..end] {
                    counting.next(part, alike[0] == b'f');
                }
                page = end;
            }
            counting.free_gib
        };
        assert_eq!(free("ffff"), 1);
        assert_eq!(free("xfffffff"), 1);
        assert_eq!(free("xxfffffx"), 0);
        assert_eq!(free("ffffffff"), 2);
        assert_eq!(free("xxxffffffffff"), 2);
        assert_eq!(free("fffxffff"), 1);
        assert_eq!(free("xfffxfffxfff"), 0);
    }

    #[test]
    fn pages_with_the_same_flags_are_told_apart_by_programs_alone() {
        let lru = 1 << 5;
        let mapped = 1 << 11;
        let mut programs = PageSet::default();
        programs.add(7);
        programs.add(20);
        let mut census = Census::default();
        assert_eq!(
            census.count(lru | mapped, 5..10, &programs),
            Some(Use::PageCache)
        );
        assert_eq!(census.count(1 << 10, 20..30, &programs), Some(Use::Free));
        assert_eq!(census.count(0, 30..40, &programs), None);
        let counted = |of: Use| census.pages[of as usize];
        assert_eq!(counted(Use::PageCache), 4);
        assert_eq!(counted(Use::Programs), 1);
        assert_eq!(counted(Use::Free), 10);
        assert_eq!(census.pages.iter().sum::<u64>(), 15);
    }
}
