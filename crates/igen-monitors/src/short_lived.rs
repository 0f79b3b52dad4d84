//! Processes that have ended and lived for less than a second: what no look through /proc sees.
//!
//! Reads: the kernel's records of tasks that end (generic netlink, TASKSTATS), which wait until the monitor is read. Subjects
//! are `all`, and the `MOST` programs that used most, each with its parent: `date of sh`. Counters are what has ended since
//! the monitor was opened: `ended`, and `used_s`, the processor time of those with all their threads. Processes of the agent
//! and of what works for the job are not among them. `lost_looks` counts the readings before which some records did not fit into their buffer.
//! A parent that has ended itself is `of 1234`, by its id.
//! Cost: 4 µs when nothing ends; 2 µs for each process that does. Requirements: root in the initial namespaces.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::io;

use igen_engine::Monitor;
use igen_job::event::Reading;
use igen_kernel::ended::Ended as EndedProcesses;
use igen_kernel::records::{Record, Records};

use crate::of_interest::OfInterest;
use crate::values::values;
use igen_kernel::process_walk::with_stat;

/// Programs in one reading.
const MOST: usize = 5;
/// Programs that are told apart: whoever names each of its processes in another way fills no memory.
const MOST_KNOWN: usize = 1000;
/// Records at one reading; the rest waits for the next one.
const MOST_RECORDS: usize = 50_000;
/// Generations above a process that are looked at.
const MOST_GENERATIONS: usize = 32;
const SHORT_US: u64 = 1_000_000;
const ALL: &str = "all";
const OTHERS: &str = "others";

pub(crate) struct ShortLived {
    records: Records,
    ended: EndedProcesses,
    tally: Tally,
}

/// What has ended.
struct Tally {
    of_interest: OfInterest,
    all: Ended,
    programs: HashMap<String, Ended>,
    /// Processes that worked for the job and had ended at the last reading: theirs may have ended since.
    own: HashSet<u32>,
    /// Those whose parent had just ended, and whose record had not come yet: the next reading knows it.
    unresolved: Vec<Record>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Ended {
    count: u64,
    used_us: u64,
}

/// A process as its record or `/proc` tells it.
#[derive(Debug, Clone)]
struct Known {
    name: String,
    parent: u32,
}

impl ShortLived {
    pub(crate) const NAME: &'static str = "short_lived";

    pub(crate) fn open(of_interest: &OfInterest) -> io::Result<Self> {
        Ok(Self {
            records: Records::open()?,
            ended: EndedProcesses::default(),
            tally: Tally::new(of_interest),
        })
    }
}

impl Monitor for ShortLived {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn read(&mut self, readings: &mut Vec<Reading>) -> io::Result<()> {
        for _ in 0..MOST_RECORDS {
            if !self.records.receive(|record| self.ended.add(record))? {
                break;
            }
        }
        self.tally.add(&self.ended.take(), living);
        readings.extend(self.tally.readings(self.records.overruns));
        Ok(())
    }
}

/// What `/proc` says of a process that lives.
fn living(pid: u32) -> Option<Known> {
    with_stat(pid, |stat| Known {
        name: stat.name.to_string(),
        parent: stat.parent,
    })
}

impl Tally {
    fn new(of_interest: &OfInterest) -> Self {
        Self {
            of_interest: of_interest.clone(),
            all: Ended::default(),
            programs: HashMap::new(),
            own: HashSet::new(),
            unresolved: Vec::new(),
        }
    }

    /// Adds what has ended since the last time; `living` tells of a process that has not.
    fn add(&mut self, ended: &[Record], living: impl Fn(u32) -> Option<Known>) {
        let mut known: HashMap<u32, Option<Known>> = HashMap::new();
        let earlier = std::mem::take(&mut self.unresolved);
        let all = || earlier.iter().chain(ended);
        for record in all() {
            let (name, parent) = (record.name.clone(), record.parent);
            known.insert(record.pid, Some(Known { name, parent }));
        }
        let mut own = HashSet::new();
        for (place, record) in all().enumerate() {
            let is_own = self.is_own(record.pid, &mut known, &living);
            if is_own == Some(true) {
                own.insert(record.pid);
            } else if is_own.is_none() && place >= earlier.len() {
                self.unresolved.push(record.clone());
            } else if record.life_us < SHORT_US {
                let parent = known
                    .get(&record.parent)
                    .and_then(Option::as_ref)
                    .map_or_else(|| record.parent.to_string(), |parent| parent.name.clone());
                self.count(&format!("{} of {parent}", record.name), record.used_us);
            }
        }
        self.own = own;
    }

    /// Whether a process, or one above it, works for the job; none where one above it is unknown.
    fn is_own(
        &self,
        pid: u32,
        known: &mut HashMap<u32, Option<Known>>,
        living: &impl Fn(u32) -> Option<Known>,
    ) -> Option<bool> {
        let mut pid = pid;
        for _ in 0..MOST_GENERATIONS {
            if self.of_interest.contains(pid) || self.own.contains(&pid) {
                return Some(true);
            }
            let one = known.entry(pid).or_insert_with(|| living(pid));
            match one {
                Some(one) if one.parent > 1 => pid = one.parent,
                Some(_) => return Some(false),
                None => return None,
            }
        }
        Some(false)
    }

    fn count(&mut self, subject: &str, used_us: u64) {
        let is_known = self.programs.len() < MOST_KNOWN || self.programs.contains_key(subject);
        let name = if is_known { subject } else { OTHERS };
        let program = self.programs.entry(name.to_owned()).or_default();
        for sum in [program, &mut self.all] {
            sum.count += 1;
            sum.used_us += used_us;
        }
    }

    fn readings(&self, lost_looks: u64) -> Vec<Reading> {
        let mut programs: Vec<(&String, &Ended)> = self.programs.iter().collect();
        programs.sort_by_key(|(name, one)| (Reverse((one.used_us, one.count)), *name));
        programs.truncate(MOST);
        let mut all = reading(ALL, self.all);
        all.counters
            .insert("lost_looks".to_owned(), lost_looks as f64);
        let named = programs.into_iter().map(|(name, one)| reading(name, *one));
        [all].into_iter().chain(named).collect()
    }
}

fn reading(subject: &str, ended: Ended) -> Reading {
    Reading {
        monitor: ShortLived::NAME.to_owned(),
        subject: subject.to_owned(),
        counters: values([
            ("ended", Some(ended.count as f64)),
            ("used_s", Some(ended.used_us as f64 / 1e6)),
        ]),
        ..Reading::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(pid: u32, parent: u32, name: &str, life_us: u64) -> Record {
        Record {
            pid,
            process: pid,
            parent,
            user: 0,
            name: name.into(),
            life_us,
            used_us: 500,
            process_life_us: life_us,
            last: true,
        }
    }

    /// A shell of somebody else, and one that the agent has started.
    fn living(pid: u32) -> Option<Known> {
        let (name, parent) = match pid {
            100 => ("sh", 1),
            200 => ("sh", std::process::id()),
            _ => return None,
        };
        Some(Known {
            name: name.into(),
            parent,
        })
    }

    #[test]
    fn what_others_start_is_told_with_its_parent() {
        let mut tally = Tally::new(&OfInterest::new(&[]));
        let ended = [
            record(101, 100, "date", 900),
            record(102, 100, "date", 900),
            record(103, 100, "backup", 9_000_000),
            record(105, 104, "grep", 900),
            record(104, 100, "find", 900),
            record(107, 99, "orphan", 900),
        ];
        tally.add(&ended, living);
        // Whoever started the last one stays unknown.
        tally.add(&[], living);
        let readings = tally.readings(3);
        let told: Vec<(&str, f64)> = readings
            .iter()
            .map(|one| (one.subject.as_str(), one.counters["ended"]))
            .collect();
        assert_eq!(
            told,
            [
                (ALL, 5.0),
                ("date of sh", 2.0),
                ("find of sh", 1.0),
                ("grep of find", 1.0),
                ("orphan of 99", 1.0),
            ]
        );
        assert_eq!(
            readings[0].counters,
            values([
                ("ended", Some(5.0)),
                ("used_s", Some(0.0025)),
                ("lost_looks", Some(3.0))
            ])
        );
    }

    #[test]
    fn what_works_for_the_job_is_not_told() {
        let mut tally = Tally::new(&OfInterest::new(&[300]));
        let ended = [
            record(201, 200, "sort", 900),
            record(203, 202, "uniq", 900),
            record(202, 200, "sh", 900),
            record(301, 300, "worker", 900),
        ];
        tally.add(&ended, living);
        // Its parent's record comes with the next reading.
        tally.add(&[record(206, 205, "early", 900)], living);
        tally.add(&[record(205, 200, "sh", 900)], living);
        assert_eq!(tally.all, Ended::default());
        tally.add(&[record(202, 200, "sh", 900)], living);
        // Its parent ended before the last reading.
        tally.add(&[record(204, 202, "late", 900)], living);
        assert_eq!(tally.all, Ended::default());
    }

    #[test]
    fn names_without_number_fill_no_memory() {
        let mut tally = Tally::new(&OfInterest::new(&[]));
        for number in 0..5000 {
            tally.add(&[record(101, 100, &format!("n{number}"), 900)], living);
        }
        assert_eq!(tally.programs.len(), MOST_KNOWN + 1);
        assert_eq!((tally.all.count, tally.readings(0).len()), (5000, MOST + 1));
    }
}
