//! Where memory is, part by part: from the flags of each page, or from what the kernel says in sums.

use igen_job::tool::Table;
use rustix::param::page_size;
use serde_json::json;

use super::census::Census;
use super::flags::Use;
use crate::meminfo::Meminfo;
use crate::show::bytes_text;
use crate::zones::Zones;

/// Parts of memory with their bytes; together they are all that the kernel counts as its total.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Summary {
    parts: Vec<(&'static str, u64)>,
    total: u64,
}

impl Summary {
    /// Each page where it was found; what has no use that can be told is the kernel's.
    pub(super) fn counted(census: &Census, meminfo: &Meminfo, zones: Zones) -> Self {
        let page = page_size() as u64;
        Self::with_kernel(
            meminfo.get("MemTotal"),
            vec![
                (
                    "anonymous memory of processes",
                    census.bytes(Use::Anonymous),
                ),
                ("programs and libraries", census.bytes(Use::Programs)),
                ("shared memory and tmpfs", census.bytes(Use::Shared)),
                ("page cache", census.bytes(Use::PageCache)),
                (
                    "page cache, free without I/O",
                    census.bytes(Use::Reclaimable),
                ),
                ("huge pages of the pool", census.bytes(Use::Pool)),
                ("out of use: faulty, offline", census.bytes(Use::Faulty)),
                ("free, kept by processors", page * zones.kept),
                ("free, not initialised yet", uninitialised(meminfo, zones)),
                ("free", census.bytes(Use::Free)),
            ],
        )
    }

    /// From sums: programs are part of the page cache, and what is free without I/O is at most so much.
    pub(super) fn estimated(meminfo: &Meminfo, zones: Zones) -> Self {
        let sum = |names: &[&str]| names.iter().map(|name| meminfo.get(name)).sum::<u64>();
        let cache = sum(&["Cached", "Buffers"]).saturating_sub(meminfo.get("Shmem"));
        let dirty = sum(&["Dirty", "Writeback"]);
        let clean = meminfo
            .get("Inactive(file)")
            .saturating_sub(dirty)
            .min(cache);
        let late = uninitialised(meminfo, zones);
        let kept = page_size() as u64 * zones.kept;
        Self::with_kernel(
            meminfo.get("MemTotal"),
            vec![
                ("anonymous memory of processes", meminfo.get("AnonPages")),
                ("shared memory and tmpfs", meminfo.get("Shmem")),
                ("page cache, with programs and libraries", cache - clean),
                ("page cache, at most free without I/O", clean),
                ("huge pages of the pool", meminfo.get("Hugetlb")),
                ("free, kept by processors", kept),
                ("free, not initialised yet", late),
                ("free", meminfo.get("MemFree").saturating_sub(late)),
            ],
        )
    }

    /// The kernel has what no other part has. Parts that are usually not there are shown where they are.
    fn with_kernel(total: u64, others: Vec<(&'static str, u64)>) -> Self {
        let used: u64 = others.iter().map(|(_, bytes)| bytes).sum();
        let mut parts = vec![("kernel", total.saturating_sub(used))];
        let rare = ["huge pages", "out of use", "free, "];
        parts.extend(others.into_iter().filter(|(title, bytes)| {
            *bytes > 0 || !rare.iter().any(|rare| title.starts_with(rare))
        }));
        Self { parts, total }
    }

    /// Bytes of the parts whose title begins like that.
    pub(super) fn bytes(&self, begins: &str) -> u64 {
        let parts = self
            .parts
            .iter()
            .filter(|(title, _)| title.starts_with(begins));
        parts.map(|(_, bytes)| bytes).sum()
    }

    /// What can be given to others at once; sums know no more than a bound of it.
    pub(super) fn without_io(&self) -> String {
        let bound = "page cache, at most";
        if self.parts.iter().any(|(title, _)| title.starts_with(bound)) {
            format!("at most {}", bytes_text(self.bytes(bound)))
        } else {
            bytes_text(self.bytes("page cache, free"))
        }
    }

    pub(super) fn table(&self) -> Table {
        let columns = ["part", "pages", "size_bytes", "of_total_percent"];
        let mut table = Table::new("parts", "Memory by use", &columns);
        let parts = self.parts.iter().copied();
        for (title, bytes) in parts.chain([("total", self.total)]) {
            let share = 100.0 * bytes as f64 / self.total.max(1) as f64;
            let pages = bytes / page_size() as u64;
            table.row([json!(title), json!(pages), json!(bytes), json!(share)]);
        }
        table
    }
}

/// What the kernel counts as free memory before it has prepared it for use: no zone manages it.
fn uninitialised(meminfo: &Meminfo, zones: Zones) -> u64 {
    if zones.managed == 0 {
        return 0; // not told
    }
    let managed = page_size() as u64 * zones.managed;
    meminfo.get("MemTotal").saturating_sub(managed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meminfo() -> Meminfo {
        Meminfo::parse(
            "MemTotal: 1000 kB\nMemFree: 500 kB\nBuffers: 10 kB\nCached: 200 kB\nShmem: 50 kB\n\
             Inactive(file): 100 kB\nDirty: 30 kB\nWriteback: 10 kB\nAnonPages: 150 kB\n",
        )
    }

    #[test]
    fn parts_add_up_to_the_total() {
        let page = page_size() as u64;
        let managed = 1024 * 1000 / page;
        let summary = Summary::estimated(
            &meminfo(),
            Zones {
                managed,
                ..Zones::default()
            },
        );
        assert_eq!(summary.bytes(""), 1024 * 1000);
        assert_eq!(summary.bytes("page cache, at most"), 1024 * 60);
        assert_eq!(summary.bytes("page cache, with"), 1024 * 100);
        assert_eq!(summary.without_io(), "at most 60 KiB");
        assert_eq!(summary.bytes("kernel"), 1024 * 140);
        assert_eq!(summary.bytes("free"), 1024 * 500);
    }

    #[test]
    fn pages_that_were_counted_are_no_bound() {
        let summary = Summary::counted(&Census::default(), &meminfo(), Zones::default());
        assert_eq!(summary.without_io(), "0 B");
    }

    #[test]
    fn memory_that_no_zone_manages_is_told_apart() {
        let page = page_size() as u64;
        let zones = Zones {
            managed: 1024 * 1000 / page - 5,
            ..Zones::default()
        };
        let summary = Summary::estimated(&meminfo(), zones);
        assert_eq!(summary.bytes("free, not initialised yet"), 5 * page);
        assert_eq!(summary.bytes("free"), 1024 * 500);
    }
}
