//! The processes of a server: its first one and all below it.
//!
//! A process that ends takes its counts with it. Its processor time is found again in that of the process
//! that waited for it; of its I/O the last moments before it ended are missing, at most the time between two
//! readings. Nothing ever goes back.

use std::collections::{HashMap, HashSet};

use rustix::param::{clock_ticks_per_second, page_size};

use super::source::Totals;
use crate::of_interest::{Holder, OfInterest};
use igen_kernel::proc_file::read_once;
use igen_kernel::process_walk::{Ticks, walk, with_stat};

/// The processes of a server.
pub(crate) struct ProcessTree {
    root: u32,
    /// Tells the first process from a later one with its pid.
    start_ticks: u64,
    ticks: Ticks,
    storage: StorageSum,
}

/// Bytes that reached the storage layer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Storage {
    read: u64,
    written: u64,
}

/// Sums up what processes add from reading to reading.
#[derive(Debug, Default)]
struct StorageSum {
    living: HashMap<u32, Storage>,
    total: Storage,
}

impl ProcessTree {
    /// The tree below a process; `None` if it is not there.
    pub(crate) fn open(root: u32) -> Option<Self> {
        let start_ticks = with_stat(root, |stat| stat.start_ticks)?;
        Some(Self {
            root,
            start_ticks,
            ticks: Ticks::default(),
            storage: StorageSum::default(),
        })
    }

    /// Adds what the processes have used so far; false if the first one has ended.
    pub(crate) fn read(&mut self, of_interest: &OfInterest, totals: &mut Totals) -> bool {
        let (mut ticks, mut pages, mut lives) = (Ticks::default(), 0, false);
        let mut storage = HashMap::new();
        let pids = walk(vec![self.root], |pid, stat| {
            lives |= pid == self.root && stat.start_ticks == self.start_ticks;
            ticks = ticks.plus(Ticks::of(stat));
            pages += stat.resident_pages;
            storage.extend(storage_of(pid).map(|bytes| (pid, bytes)));
            true
        });
        if !lives {
            of_interest.set(Holder::Server(self.root), HashSet::new());
            return false;
        }
        self.ticks = self.ticks.later(ticks);
        let ticks_per_s = clock_ticks_per_second() as f64;
        totals.count("user_s", self.ticks.user as f64 / ticks_per_s);
        totals.count("system_s", self.ticks.system as f64 / ticks_per_s);
        if !storage.is_empty() {
            let total = self.storage.add(storage);
            totals.count("read_bytes", total.read as f64);
            totals.count("written_bytes", total.written as f64);
        }
        totals.gauges.extend([
            ("process_id".to_owned(), f64::from(self.root)),
            ("processes".to_owned(), pids.len() as f64),
            (
                "resident_bytes".to_owned(),
                (pages * page_size() as u64) as f64,
            ),
        ]);
        of_interest.set(Holder::Server(self.root), pids.into_iter().collect());
        true
    }
}

impl StorageSum {
    fn add(&mut self, living: HashMap<u32, Storage>) -> Storage {
        for (pid, bytes) in &living {
            let earlier = self.living.get(pid).copied().unwrap_or_default();
            // Less than before: another process has got the pid.
            let same = bytes.read >= earlier.read && bytes.written >= earlier.written;
            let earlier = if same { earlier } else { Storage::default() };
            self.total.read += bytes.read - earlier.read;
            self.total.written += bytes.written - earlier.written;
        }
        self.living = living;
        self.total
    }
}

/// `None` where this is not allowed.
fn storage_of(pid: u32) -> Option<Storage> {
    let mut buffer = [0; 512];
    storage(&read_once(&format!("/proc/{pid}/io"), &mut buffer).ok()?)
}

fn storage(text: &str) -> Option<Storage> {
    let bytes = |name| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().parse().ok()
    };
    Some(Storage {
        read: bytes("read_bytes:")?,
        written: bytes("write_bytes:")?,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::shell::Shell;

    fn bytes(read: u64, written: u64) -> Storage {
        Storage { read, written }
    }

    #[test]
    fn the_text_of_io() {
        let text = "rchar: 7291\nwchar: 315\nread_bytes: 4096\nwrite_bytes: 8192\n\
                    cancelled_write_bytes: 1\n";
        assert_eq!(storage(text), Some(bytes(4096, 8192)));
        assert_eq!(storage("read_bytes: 4096\n"), None);
    }

    #[test]
    fn bytes_never_go_back() {
        let mut sum = StorageSum::default();
        let mut add = |living: &[(u32, Storage)]| sum.add(living.iter().copied().collect());
        assert_eq!(add(&[(1, bytes(10, 1)), (2, bytes(100, 0))]), bytes(110, 1));
        assert_eq!(add(&[(1, bytes(15, 2))]), bytes(115, 2), "2 ended");
        assert_eq!(add(&[(1, bytes(15, 2)), (2, bytes(7, 0))]), bytes(122, 2));
        assert_eq!(
            add(&[(1, bytes(3, 0)), (2, bytes(7, 0))]),
            bytes(125, 2),
            "another is 1"
        );
    }

    #[test]
    fn children_that_end_leave_their_time() {
        let mut shell = Shell::start("(i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done)");
        let pid = shell.pid();
        let of_interest = OfInterest::new(&[]);
        let mut tree = ProcessTree::open(pid).unwrap();
        let mut read = |name: &str| {
            let mut totals = Totals::default();
            assert!(tree.read(&of_interest, &mut totals));
            assert!(totals.gauges["processes"] >= 1.0);
            totals.counters[name]
        };
        let before = read("user_s");
        for _ in 0..3 {
            shell.work();
        }
        assert!(
            read("user_s") > before,
            "three children counted to a number"
        );
        assert!(of_interest.contains(pid));

        shell.end();
        assert!(!tree.read(&of_interest, &mut Totals::default()));
        assert!(!of_interest.contains(pid));
    }
}
