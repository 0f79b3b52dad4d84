//! What has been started and has ended, added up by program and by parent.

use std::collections::{HashMap, HashSet};

use super::connector::Event;
use super::parents::{Parent, describe};
use igen_kernel::ended::Ended;
use igen_kernel::records::Record;

use crate::processes::{Process, now_ticks, pids};

/// Ends of life times in the histogram, in µs; the last one is open.
pub(super) const LIVES_US: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, u64::MAX];
/// Processes that live less are short-lived.
pub(super) const SHORT_US: u64 = 1_000_000;
/// Children from which on a parent is looked at: most have one or two.
const WORTH_A_LOOK: u64 = 3;
/// A parent that starts so many may be a script that ran away.
pub(super) const RUNAWAY_CHILDREN: u64 = 20;
/// Parents that are remembered: in a long audit most are forgotten again.
const MOST_PARENTS: usize = 20_000;
/// Programs that are told apart.
const MOST_PROGRAMS: usize = 5_000;
/// Processes that have ended and are remembered by their id: from here on only those that nobody has waited for.
const MOST_SETTLED: usize = 100_000;
const OTHERS: &str = "others";

/// Processes of one program that have ended.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) ended: u64,
    pub(super) short: u64,
    pub(super) used_us: u64,
    pub(super) lived_us: u64,
}

/// What a process had used when the audit began.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Before {
    /// By threads that lived then: their records tell it again.
    pub(super) living_us: u64,
    /// By threads that had ended: nothing tells it any more.
    pub(super) gone_us: u64,
}

/// All that was seen.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) started: u64,
    pub(super) execs: u64,
    pub(super) exits: u64,
    /// Processes that have ended and whose records have come.
    pub(super) records: u64,
    /// Threads that have ended, of processes that may still live.
    pub(super) threads: Ended,
    pub(super) programs: HashMap<String, Program>,
    pub(super) parents: HashMap<u32, Parent>,
    pub(super) lives: [u64; LIVES_US.len()],
    /// Processor time of processes that have ended, less what they had used before the audit.
    pub(super) used_by_ended_us: u64,
    /// Processes that have ended and are counted, with when that was, in ticks since the machine started: until somebody
    /// has waited for one, the kernel still lists it, with all that it has used.
    pub(super) settled: HashMap<u32, u64>,
    /// What those had used that lived when the audit began.
    pub(super) before: HashMap<u32, Before>,
    pub(super) short_used_us: u64,
}

impl Tally {
    pub(super) fn event(&mut self, event: Event) {
        match event {
            Event::Fork { parent } => {
                self.started += 1;
                let entry = self.parents.entry(parent).or_default();
                entry.children += 1;
                if entry.children == WORTH_A_LOOK {
                    describe(parent, entry);
                }
            }
            Event::Exec => self.execs += 1,
            Event::Exit => self.exits += 1,
            Event::Answer { .. } | Event::Other => {}
        }
    }

    /// A long audit sees millions of parents.
    fn forget_parents(&mut self) {
        if self.parents.len() > MOST_PARENTS {
            self.parents
                .retain(|_, parent| parent.children >= WORTH_A_LOOK);
        }
        if self.parents.len() > MOST_PARENTS {
            self.parents
                .retain(|_, parent| parent.children >= RUNAWAY_CHILDREN);
        }
    }

    /// The name under which a program is counted: whoever gives each of its processes another name fills no memory.
    fn known(&self, name: String) -> String {
        if self.programs.len() < MOST_PROGRAMS || self.programs.contains_key(&name) {
            name
        } else {
            OTHERS.to_owned()
        }
    }

    /// A thread has ended.
    pub(super) fn record(&mut self, record: Record) {
        self.threads.add(record);
    }

    /// Counts the processes that have ended with the records that have come so far.
    pub(super) fn settle(&mut self) {
        self.forget_settled();
        let now = now_ticks();
        for process in self.threads.take() {
            self.settled.insert(process.process, now);
            self.ended(process);
        }
        self.forget_parents();
    }

    /// Whether what this process has used is counted with those that have ended. A later one of the same id has
    /// started since.
    pub(super) fn has_counted(&self, process: &Process) -> bool {
        let settled = self.settled.get(&process.pid);
        settled.is_some_and(|ticks| process.start_ticks <= *ticks)
    }

    /// A long audit sees millions of processes end, and the kernel lists few of them for long.
    fn forget_settled(&mut self) {
        if self.settled.len() > MOST_SETTLED {
            let listed: HashSet<u32> = pids().collect();
            self.settled.retain(|pid, _| listed.contains(pid));
        }
    }

    /// A process has ended: its id may belong to another one from now on.
    fn ended(&mut self, process: Record) {
        let before = self.before.remove(&process.process).unwrap_or_default();
        self.used_by_ended_us += process.used_us.saturating_sub(before.living_us);
        let used_us = process.used_us + before.gone_us;
        self.records += 1;
        let bucket = LIVES_US.iter().position(|end| process.life_us < *end);
        self.lives[bucket.unwrap_or(LIVES_US.len() - 1)] += 1;
        if let Some(own) = self.parents.get_mut(&process.pid) {
            own.ended(&process);
        }
        let short = process.life_us < SHORT_US;
        let name = self.known(process.name);
        let parent = self.parents.entry(process.parent).or_default();
        parent.used_us += used_us;
        parent.short += u64::from(short);
        *parent.programs.entry(name.clone()).or_default() += 1;
        let program = self.programs.entry(name).or_default();
        program.ended += 1;
        program.short += u64::from(short);
        program.used_us += used_us;
        program.lived_us += process.life_us;
        if short {
            self.short_used_us += used_us;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_added_up_by_program_and_parent() {
        let mut tally = Tally::default();
        let record = |pid, process, name: &str, life_us| Record {
            pid,
            process,
            parent: 10,
            user: 0,
            name: name.into(),
            life_us,
            used_us: 100,
            process_life_us: life_us,
            last: pid == process,
        };
        for _ in 0..3 {
            tally.event(Event::Fork { parent: 10 });
            tally.event(Event::Exec);
        }
        tally.event(Event::Exit);
        tally.record(record(4_000_021, 4_000_021, "date", 800));
        tally.record(record(4_000_031, 4_000_022, "worker", 10));
        tally.record(record(4_000_022, 4_000_022, "date", 2_000_000));
        tally.record(record(4_000_041, 4_000_040, "worker", 10));
        tally.settle();
        assert_eq!(
            (tally.started, tally.execs, tally.exits, tally.records),
            (3, 3, 1, 2)
        );
        assert_eq!(tally.lives, [1, 0, 0, 0, 1]);
        let date = Program {
            ended: 2,
            short: 1,
            used_us: 300,
            lived_us: 2_000_800,
        };
        assert_eq!(tally.programs["date"], date);
        assert!(!tally.programs.contains_key("worker"));
        // The thread that ended in a moment is none of a process that did.
        assert_eq!((tally.used_by_ended_us, tally.short_used_us), (300, 100));
        assert_eq!(
            tally.threads.rest_us().collect::<Vec<_>>(),
            [(4_000_040, 100)]
        );
        assert_eq!(
            (tally.parents[&10].children, tally.parents[&10].short),
            (3, 1)
        );
        assert_eq!(tally.parents[&10].main_program(), Some("date"));
    }

    fn of(pid: u32, parent: u32, name: String) -> Record {
        Record {
            pid,
            process: pid,
            parent,
            user: 0,
            name,
            life_us: 900,
            used_us: 100,
            process_life_us: 900,
            last: true,
        }
    }

    #[test]
    fn what_was_used_before_the_audit_is_not_of_it() {
        let before = Before {
            living_us: 70,
            gone_us: 4000,
        };
        let mut tally = Tally {
            before: HashMap::from([(4_000_021, before)]),
            ..Tally::default()
        };
        tally.record(of(4_000_021, 10, "date".into()));
        tally.settle();
        assert_eq!(tally.used_by_ended_us, 30);
        assert_eq!(tally.programs["date"].used_us, 4100);
    }

    #[test]
    fn an_id_that_comes_again_is_another_process() {
        let before = Before {
            living_us: 70,
            gone_us: 0,
        };
        let mut tally = Tally {
            before: HashMap::from([(4_000_021, before)]),
            ..Tally::default()
        };
        for _ in 0..3 {
            tally.record(of(4_000_021, 10, "date".into()));
        }
        tally.settle();
        assert_eq!(tally.used_by_ended_us, 30 + 100 + 100);
        assert_eq!(tally.threads.rest_us().count(), 0);
    }

    #[test]
    fn a_long_audit_does_not_fill_memory() {
        let mut tally = Tally::default();
        for _ in 0..RUNAWAY_CHILDREN {
            tally.event(Event::Fork { parent: 10 });
        }
        for number in 0..200_000 {
            let parent = 4_000_000 + number;
            tally.event(Event::Fork { parent });
            tally.record(of(parent + 1, parent, format!("name{number}")));
            if number % 1000 == 0 {
                tally.settle();
            }
        }
        tally.settle();
        assert!(tally.parents.len() <= MOST_PARENTS + 1 && tally.threads.rest_us().count() == 0);
        assert!(tally.settled.len() < MOST_SETTLED + 2000);
        assert_eq!(tally.programs.len(), MOST_PROGRAMS + 1);
        assert_eq!(tally.parents[&10].children, RUNAWAY_CHILDREN);
        assert!(tally.programs[OTHERS].ended > 100_000);
    }
}
