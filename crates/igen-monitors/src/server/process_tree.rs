//! The processes of a server: its first one and all below it.
//!
//! A process that ends takes its counts with it. Its processor time is found again in that of the process
//! that waited for it; of its I/O the last moments before it ended are missing, at most the time between two
//! readings. Nothing ever goes back.

use std::collections::{HashMap, HashSet};
use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};

use super::source::Totals;
use crate::of_interest::OfInterest;
use crate::proc_file::read_once;
use crate::process_stat::ProcessStat;

/// The processes of a server.
pub(crate) struct ProcessTree {
    root: u32,
    /// Tells the first process from a later one with its pid.
    start_ticks: u64,
    user_ticks: u64,
    system_ticks: u64,
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
            user_ticks: 0,
            system_ticks: 0,
            storage: StorageSum::default(),
        })
    }

    /// Adds what the processes have used so far; false if the first one has ended.
    pub(crate) fn read(&mut self, of_interest: &OfInterest, totals: &mut Totals) -> bool {
        // From the top down: the time of one that ends meanwhile is not counted twice.
        let (mut pids, mut next) = (vec![self.root], 0);
        let (mut user, mut system, mut pages) = (0, 0, 0);
        let mut storage = HashMap::new();
        while let Some(&pid) = pids.get(next) {
            next += 1;
            let counted = with_stat(pid, |stat| {
                if pid == self.root && stat.start_ticks != self.start_ticks {
                    return false;
                }
                user += stat.user_ticks + stat.waited_user_ticks;
                system += stat.system_ticks + stat.waited_system_ticks;
                pages += stat.resident_pages;
                true
            });
            if pid == self.root && counted != Some(true) {
                of_interest.set(self.root, HashSet::new());
                return false;
            }
            storage.extend(storage_of(pid).map(|bytes| (pid, bytes)));
            pids.extend(children(pid));
        }
        self.user_ticks = self.user_ticks.max(user);
        self.system_ticks = self.system_ticks.max(system);
        let ticks_per_s = clock_ticks_per_second() as f64;
        totals.count("user_s", self.user_ticks as f64 / ticks_per_s);
        totals.count("system_s", self.system_ticks as f64 / ticks_per_s);
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
        of_interest.set(self.root, pids.into_iter().collect());
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

/// What `of` takes from the stat of a process; `None` if it is not there.
fn with_stat<T>(pid: u32, of: impl FnOnce(&ProcessStat) -> T) -> Option<T> {
    let mut buffer = [0; 1024];
    let line = read_once(&format!("/proc/{pid}/stat"), &mut buffer).ok()?;
    ProcessStat::parse(&line).map(|stat| of(&stat))
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

/// Those that its first thread has started: servers start processes nowhere else.
fn children(pid: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let pids = text.split_ascii_whitespace();
    pids.filter_map(|pid| pid.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    use super::*;

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
        let script = "while read -r line; do \
            (i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done); echo done; done";
        let mut shell = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let of_interest = OfInterest::new(&[]);
        let mut tree = ProcessTree::open(shell.id()).unwrap();
        let mut read = |name: &str| {
            let mut totals = Totals::default();
            assert!(tree.read(&of_interest, &mut totals));
            assert!(totals.gauges["processes"] >= 1.0);
            totals.counters[name]
        };
        let (before, mut output) = (read("user_s"), BufReader::new(shell.stdout.take().unwrap()));
        let mut input = shell.stdin.take().unwrap();
        for _ in 0..3 {
            writeln!(input, "go").unwrap();
            output.read_line(&mut String::new()).unwrap();
        }
        assert!(
            read("user_s") > before,
            "three children counted to a number"
        );
        assert!(of_interest.contains(shell.id()));

        drop(input);
        shell.wait().unwrap();
        assert!(!tree.read(&of_interest, &mut Totals::default()));
        assert!(!of_interest.contains(shell.id()));
    }
}
