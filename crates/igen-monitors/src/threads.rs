//! What the kernel counts for each thread only, added up over the threads of a process.
//!
//! A thread that ends takes its counts with it, so the sum over the living ones would go back: what
//! each thread adds between two readings is summed up here instead. A thread's last moments before
//! it ends are missing, at most the time between two readings.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::ops::AddAssign;

use igen_kernel::proc_file::read_once;

/// A process with more threads is not read: each costs 7 µs. Enough for 64 users and the engine.
pub(crate) const MOST_THREADS: u64 = 80;

/// Counts of a thread, or of the threads of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ThreadCounts {
    /// On a processor.
    pub(crate) run_ns: u64,
    /// Ready, but waiting for a processor.
    pub(crate) wait_ns: u64,
    /// The thread waited for something.
    pub(crate) voluntary_switches: u64,
    /// The processor was taken from the thread.
    pub(crate) involuntary_switches: u64,
}

impl ThreadCounts {
    /// From the texts of `schedstat` and `status` of a thread.
    fn parse(schedstat: &str, status: &str) -> Option<Self> {
        let mut times = schedstat.split_ascii_whitespace().map(str::parse);
        let switches = |name| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().parse().ok()
        };
        Some(Self {
            run_ns: times.next()?.ok()?,
            wait_ns: times.next()?.ok()?,
            voluntary_switches: switches("voluntary_ctxt_switches:")?,
            involuntary_switches: switches("nonvoluntary_ctxt_switches:")?,
        })
    }

    fn since(self, earlier: Self) -> Self {
        let less = u64::saturating_sub;
        Self {
            run_ns: less(self.run_ns, earlier.run_ns),
            wait_ns: less(self.wait_ns, earlier.wait_ns),
            voluntary_switches: less(self.voluntary_switches, earlier.voluntary_switches),
            involuntary_switches: less(self.involuntary_switches, earlier.involuntary_switches),
        }
    }
}

impl AddAssign for ThreadCounts {
    fn add_assign(&mut self, other: Self) {
        self.run_ns += other.run_ns;
        self.wait_ns += other.wait_ns;
        self.voluntary_switches += other.voluntary_switches;
        self.involuntary_switches += other.involuntary_switches;
    }
}

/// The threads of one process.
pub(crate) struct Threads {
    directory: String,
    sum: ThreadSum,
}

impl Threads {
    pub(crate) fn new(pid: u32) -> Self {
        Self {
            directory: format!("/proc/{pid}/task"),
            sum: ThreadSum::default(),
        }
    }

    /// Counts of all threads so far.
    pub(crate) fn read(&mut self) -> io::Result<ThreadCounts> {
        let (mut times, mut switches) = ([0; 128], [0; 4096]);
        let mut living = HashMap::new();
        for entry in fs::read_dir(&self.directory)? {
            let Some(id) = entry?
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
            else {
                continue;
            };
            let thread = format!("{}/{id}", self.directory);
            let (Ok(schedstat), Ok(status)) = (
                read_once(&format!("{thread}/schedstat"), &mut times),
                read_once(&format!("{thread}/status"), &mut switches),
            ) else {
                continue; // It ended between two steps.
            };
            if let Some(counts) = ThreadCounts::parse(&schedstat, &status) {
                living.insert(id, counts);
            }
        }
        Ok(self.sum.add(living))
    }
}

/// Sums up what threads add from reading to reading.
#[derive(Debug, Default)]
struct ThreadSum {
    living: HashMap<u32, ThreadCounts>,
    total: ThreadCounts,
}

impl ThreadSum {
    fn add(&mut self, living: HashMap<u32, ThreadCounts>) -> ThreadCounts {
        for (id, counts) in &living {
            let earlier = self.living.get(id).copied().unwrap_or_default();
            // Less than before: another thread has got the id.
            let same = counts.run_ns >= earlier.run_ns;
            self.total += if same { counts.since(earlier) } else { *counts };
        }
        self.living = living;
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATUS: &str =
        "Name:\tcat\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n";

    fn counts(run_ns: u64, wait_ns: u64) -> ThreadCounts {
        ThreadCounts {
            run_ns,
            wait_ns,
            voluntary_switches: run_ns / 10,
            involuntary_switches: wait_ns / 10,
        }
    }

    #[test]
    fn the_texts_of_a_thread() {
        let parsed = ThreadCounts::parse("1174853 51796 2\n", STATUS);
        let expected = ThreadCounts {
            run_ns: 1_174_853,
            wait_ns: 51796,
            voluntary_switches: 7,
            involuntary_switches: 2,
        };
        assert_eq!(parsed, Some(expected));
    }

    #[test]
    fn a_cut_text_is_no_thread() {
        assert_eq!(ThreadCounts::parse("", STATUS), None);
        assert_eq!(ThreadCounts::parse("1174853", STATUS), None);
        assert_eq!(
            ThreadCounts::parse("1 2 3", "voluntary_ctxt_switches:\t7\n"),
            None
        );
    }

    #[test]
    fn the_sum_never_goes_back() {
        let mut sum = ThreadSum::default();
        let mut add = |living: &[(u32, ThreadCounts)]| sum.add(living.iter().copied().collect());
        assert_eq!(
            add(&[(1, counts(100, 10)), (2, counts(1000, 0))]),
            counts(1100, 10)
        );
        assert_eq!(
            add(&[(1, counts(150, 20)), (2, counts(1000, 0))]),
            counts(1150, 20)
        );
        assert_eq!(add(&[(1, counts(160, 20))]), counts(1160, 20), "2 ended");
        assert_eq!(
            add(&[(1, counts(160, 20)), (3, counts(40, 0))]),
            counts(1200, 20),
            "3 began"
        );
        assert_eq!(
            add(&[(1, counts(30, 10))]),
            counts(1230, 30),
            "another thread is 1 now"
        );
    }

    #[test]
    fn this_process_has_threads() {
        let mut threads = Threads::new(std::process::id());
        let first = threads.read().ok();
        let second = threads.read().ok();
        assert!(first.is_some_and(|first| first.run_ns > 0));
        assert!(second.map(|second| second.run_ns) >= first.map(|first| first.run_ns));
    }
}
