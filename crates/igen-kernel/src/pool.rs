//! Huge pages that an administrator has set aside.

use std::fs;
use std::path::PathBuf;

use igen_job::Pages;

/// The pool of pages of one size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    /// Size of each page.
    pub page_bytes: u64,
    /// Number of pages, free and in use.
    pub pages: u64,
    /// Number of pages that are neither in use nor reserved.
    pub free: u64,
    /// File that sets the number of pages.
    pub setting: PathBuf,
}

impl Pool {
    /// The pool of that kind; none where the kernel has none, or for other kinds.
    #[must_use]
    pub fn of(pages: Pages) -> Option<Self> {
        let page_bytes = match pages {
            Pages::Pool2m => 2 << 20,
            Pages::Pool1g => 1 << 30,
            Pages::Hugetlb => {
                let meminfo = fs::read_to_string("/proc/meminfo").ok()?;
                let line = meminfo
                    .lines()
                    .find_map(|line| line.strip_prefix("Hugepagesize:"))?;
                let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
                kib << 10
            }
            Pages::Small | Pages::Transparent => return None,
        };
        let name = format!("hugepages-{}kB", page_bytes >> 10);
        let folder = PathBuf::from("/sys/kernel/mm/hugepages").join(name);
        let count = |what: &str| -> Option<u64> {
            let text = fs::read_to_string(folder.join(what)).ok()?;
            text.trim().parse().ok()
        };
        let promised = count("resv_hugepages").unwrap_or(0);
        Some(Self {
            page_bytes,
            pages: count("nr_hugepages")?,
            free: count("free_hugepages")?.saturating_sub(promised),
            setting: folder.join("nr_hugepages"),
        })
    }

    /// Returns the setting that makes room for `bytes` in addition to the pages in use.
    #[must_use]
    pub fn needed_for(&self, bytes: u64) -> u64 {
        self.pages - self.free.min(self.pages) + bytes.div_ceil(self.page_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_stays_in_use() {
        let pool = Pool {
            page_bytes: 2 << 20,
            pages: 10,
            free: 4,
            setting: PathBuf::new(),
        };
        assert_eq!(pool.needed_for((12 << 20) + 1), 6 + 7);
        assert_eq!(Pool::of(Pages::Transparent), None);
    }
}
