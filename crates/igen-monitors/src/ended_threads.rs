//! Threads that ended before the first one of their process, whose record tells its own processor time only.

use std::collections::HashMap;

use igen_kernel::records::Record;

/// Processes whose threads are remembered. The record of a process may be lost, or come before that of its
/// last thread: what is left of these fills no memory.
const MOST_PROCESSES: usize = 10_000;

#[derive(Default)]
pub(crate) struct EndedThreads {
    used_us: HashMap<u32, u64>,
}

impl EndedThreads {
    /// The records of processes among those of all threads, each with the processor time of its threads.
    pub(crate) fn whole(&mut self, mut ended: Vec<Record>) -> Vec<Record> {
        for thread in ended.iter().filter(|one| one.pid != one.process) {
            *self.used_us.entry(thread.process).or_default() += thread.used_us;
        }
        ended.retain(|one| one.pid == one.process);
        for process in &mut ended {
            process.used_us += self.used_us.remove(&process.pid).unwrap_or_default();
        }
        if self.used_us.len() > MOST_PROCESSES {
            self.used_us.clear();
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(pid: u32, process: u32, used_us: u64) -> Record {
        Record {
            pid,
            process,
            parent: 1,
            user: 0,
            name: "worker".into(),
            life_us: 900,
            used_us,
        }
    }

    #[test]
    fn a_process_has_used_what_its_threads_have() {
        let mut threads = EndedThreads::default();
        let earlier = vec![record(11, 10, 40), record(21, 20, 7)];
        assert_eq!(threads.whole(earlier), []);
        // All threads are ended at once: the first one may be the first to go.
        let ended = vec![record(12, 10, 50), record(10, 10, 1), record(13, 10, 60)];
        assert_eq!(threads.whole(ended), [record(10, 10, 151)]);
        // The next process with this id has threads of its own.
        assert_eq!(threads.whole(vec![record(10, 10, 3)]), [record(10, 10, 3)]);
        assert_eq!(threads.whole(vec![record(20, 20, 2)]), [record(20, 20, 9)]);
    }

    #[test]
    fn threads_whose_process_is_never_told_fill_no_memory() {
        let mut threads = EndedThreads::default();
        for process in (0..50_000).step_by(2) {
            threads.whole(vec![record(process + 1, process, 5)]);
        }
        assert!(threads.used_us.len() <= MOST_PROCESSES);
        assert_eq!(
            threads.whole(vec![record(49_998, 49_998, 1)]),
            [record(49_998, 49_998, 6)]
        );
    }
}
