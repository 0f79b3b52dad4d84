//! What has been started and has ended, added up by program and by parent.

use std::collections::HashMap;

use super::connector::Event;
use super::parents::{Parent, describe};
use super::records::Record;

/// Ends of life times in the histogram, in µs; the last one is open.
pub(super) const LIVES_US: [u64; 5] = [1_000, 10_000, 100_000, 1_000_000, u64::MAX];
/// Processes that live less are short-lived.
pub(super) const SHORT_US: u64 = 1_000_000;
/// Children from which on a parent is looked at: most have one or two.
const WORTH_A_LOOK: u64 = 3;

/// Processes of one program that have ended.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) ended: u64,
    pub(super) short: u64,
    pub(super) used_us: u64,
    pub(super) lived_us: u64,
}

/// All that was seen.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) started: u64,
    pub(super) execs: u64,
    pub(super) exits: u64,
    /// Records of processes, not of their threads alone.
    pub(super) records: u64,
    pub(super) programs: HashMap<String, Program>,
    pub(super) parents: HashMap<u32, Parent>,
    pub(super) lives: [u64; LIVES_US.len()],
    /// Processor time of threads that have ended, by process, in µs.
    pub(super) used_by_process_us: HashMap<u32, u64>,
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

    pub(super) fn record(&mut self, record: Record) {
        *self.used_by_process_us.entry(record.process).or_default() += record.used_us;
        let short = record.life_us < SHORT_US;
        if short {
            self.short_used_us += record.used_us;
        }
        let parent = self.parents.entry(record.parent).or_default();
        parent.used_us += record.used_us;
        if record.pid != record.process {
            return;
        }
        self.records += 1;
        let bucket = LIVES_US.iter().position(|end| record.life_us < *end);
        self.lives[bucket.unwrap_or(LIVES_US.len() - 1)] += 1;
        parent.short += u64::from(short);
        *parent.programs.entry(record.name.clone()).or_default() += 1;
        if let Some(own) = self.parents.get_mut(&record.pid) {
            own.ended(&record);
        }
        let program = self.programs.entry(record.name).or_default();
        program.ended += 1;
        program.short += u64::from(short);
        program.used_us += record.used_us;
        program.lived_us += record.life_us;
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
        };
        for _ in 0..3 {
            tally.event(Event::Fork { parent: 10 });
            tally.event(Event::Exec);
        }
        tally.event(Event::Exit);
        tally.record(record(4_000_021, 4_000_021, "date", 800));
        tally.record(record(4_000_022, 4_000_022, "date", 2_000_000));
        tally.record(record(4_000_031, 4_000_022, "worker", 10));
        assert_eq!(
            (tally.started, tally.execs, tally.exits, tally.records),
            (3, 3, 1, 2)
        );
        assert_eq!(tally.lives, [1, 0, 0, 0, 1]);
        let date = Program {
            ended: 2,
            short: 1,
            used_us: 200,
            lived_us: 2_000_800,
        };
        assert_eq!(tally.programs["date"], date);
        assert!(!tally.programs.contains_key("worker"));
        assert_eq!(tally.used_by_process_us[&4_000_022], 200);
        assert_eq!(
            (tally.parents[&10].children, tally.parents[&10].short),
            (3, 1)
        );
        assert_eq!(tally.parents[&10].main_program(), Some("date"));
    }
}
