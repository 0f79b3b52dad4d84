//! Processes that have ended, put together from the records of their threads.
//!
//! The kernel writes a record of each thread. The first thread has the name of its process, but is seldom the last to go: a
//! process has ended when both its first thread and its last one have, and has used what all of them have.

use std::collections::HashMap;

use crate::records::Record;

/// Processes whose threads are remembered. A record may be lost: what is left of its process fills no memory.
const MOST_PROCESSES: usize = 10_000;

/// Records of processes that have ended threads.
#[derive(Debug, Default)]
pub struct Ended {
    processes: HashMap<u32, Process>,
    /// Processes whose id was used again before they were read.
    earlier: Vec<Record>,
}

#[derive(Debug, Default)]
struct Process {
    used_us: u64,
    first: Option<Record>,
    /// Lifetime; known when its last thread ends.
    life_us: Option<u64>,
}

impl Process {
    fn is_whole(&self) -> bool {
        self.first.is_some() && self.life_us.is_some()
    }

    fn whole(self) -> Option<Record> {
        let life_us = self.life_us?;
        Some(Record {
            life_us,
            used_us: self.used_us,
            process_life_us: life_us,
            last: true,
            ..self.first?
        })
    }
}

impl Ended {
    /// A thread has ended.
    pub fn add(&mut self, record: Record) {
        let id = record.process;
        let is_first = record.pid == id;
        if is_first && self.processes.get(&id).is_some_and(Process::is_whole) {
            self.earlier
                .extend(self.processes.remove(&id).and_then(Process::whole));
        }
        if self.processes.len() >= MOST_PROCESSES && !self.processes.contains_key(&id) {
            self.processes.retain(|_, one| one.is_whole());
        }
        let process = self.processes.entry(id).or_default();
        process.used_us += record.used_us;
        if record.last {
            process.life_us = Some(record.process_life_us);
        }
        if is_first {
            process.first = Some(record);
        }
    }

    /// The record of each process that has ended since the last call, with the processor time of all its threads. On
    /// several processors the record of a thread may come shortly after that of the last one: whoever asks before
    /// it hears what comes next, and not after it, misses none.
    pub fn take(&mut self) -> Vec<Record> {
        let mut taken = std::mem::take(&mut self.earlier);
        let whole = self.processes.extract_if(|_, one| one.is_whole());
        taken.extend(whole.filter_map(|(_, one)| one.whole()));
        taken
    }

    /// Processor time of threads that have ended, by process: of those that live on, or are not whole.
    pub fn rest_us(&self) -> impl Iterator<Item = (u32, u64)> {
        let rest = self.processes.iter();
        rest.map(|(process, one)| (*process, one.used_us))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(pid: u32, process: u32, used_us: u64, last: bool) -> Record {
        Record {
            pid,
            process,
            parent: 1,
            user: 0,
            name: if pid == process { "main" } else { "worker" }.into(),
            life_us: 900,
            used_us,
            process_life_us: 5000,
            last,
        }
    }

    fn process(pid: u32, used_us: u64) -> Record {
        Record {
            life_us: 5000,
            ..thread(pid, pid, used_us, true)
        }
    }

    #[test]
    fn a_process_has_used_what_its_threads_have_whichever_ends_first() {
        let first_last = [(11, false), (12, false), (10, true)];
        let first_first = [(10, false), (11, false), (12, true)];
        let told_late = [(12, true), (11, false), (10, false)];
        for order in [first_last, first_first, told_late] {
            let mut ended = Ended::default();
            for (pid, last) in order {
                assert_eq!(ended.take(), []);
                ended.add(thread(pid, 10, 50, last));
            }
            assert_eq!(ended.take(), [process(10, 150)], "{order:?}");
            assert_eq!(ended.rest_us().count(), 0);
        }
    }

    #[test]
    fn a_thread_that_ends_does_not_end_its_process() {
        let mut ended = Ended::default();
        ended.add(thread(11, 10, 50, false));
        ended.add(thread(10, 10, 7, false));
        assert_eq!(ended.take(), []);
        assert_eq!(ended.rest_us().collect::<Vec<_>>(), [(10, 57)]);
    }

    #[test]
    fn an_id_that_comes_again_is_another_process() {
        let mut ended = Ended::default();
        for used_us in [1, 2] {
            ended.add(thread(10, 10, used_us, true));
        }
        assert_eq!(ended.take(), [process(10, 1), process(10, 2)]);
    }

    #[test]
    fn threads_whose_process_is_never_told_fill_no_memory() {
        let mut ended = Ended::default();
        for number in 0..50_000 {
            ended.add(thread(2 * number + 1, 2 * number, 5, false));
        }
        assert!(ended.rest_us().count() <= MOST_PROCESSES);
        ended.add(thread(7, 7, 1, true));
        assert_eq!(ended.take(), [process(7, 1)]);
    }
}
