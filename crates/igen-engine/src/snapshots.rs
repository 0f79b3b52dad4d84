//! Snapshots: what happened in all loads of a job since the last time?

use std::collections::BTreeMap;
use std::sync::Arc;

use igen_job::event::{Phase, Snapshot};

use crate::clock::seconds;
use crate::interval::{Interval, told_failures};
use crate::load_statistics::LoadStatistics;
use crate::series_total::SeriesTotal;
use crate::thread_statistics::ThreadStatistics;

/// Most operations that go into every snapshot: each takes half a kilobyte of it.
const MOST_IN_EACH: usize = 64;
/// Longer lists of operations go into one of so many snapshots.
const LONG_LIST_EVERY: u32 = 10;

/// Takes the snapshots of one job.
pub(crate) struct Snapshots {
    loads: Vec<LoadStatistics>,
    /// Personas in the order of their loads; empty for a job without personas.
    names: Vec<String>,
    last_ns: u64,
    /// When the operations were told.
    operations_ns: u64,
    /// Snapshots without operations since then.
    skipped: u32,
    /// Operations are too many for every snapshot.
    long: bool,
}

impl Snapshots {
    /// Snapshots from `begin_ns` on of `loads`, which have these names where they are personas.
    pub(crate) fn new(loads: Vec<LoadStatistics>, names: Vec<String>, begin_ns: u64) -> Self {
        let operations: usize = loads.iter().map(LoadStatistics::operations).sum();
        Self {
            loads,
            names,
            last_ns: begin_ns,
            operations_ns: begin_ns,
            skipped: 0,
            long: operations > MOST_IN_EACH,
        }
    }

    /// What ended between the last snapshot and `now_ns`, perhaps in the last snapshot of its phase;
    /// `users` are this agent's of each load.
    pub(crate) fn take(
        &mut self,
        phase: Phase,
        now_ns: u64,
        users: &[u32],
        last_of_phase: bool,
    ) -> Snapshot {
        // All is read before anything is encoded: users go on, and what belongs together shall not be
        // apart by the time that encoding takes.
        let tell = !self.long || last_of_phase || self.skipped + 1 >= LONG_LIST_EVERY;
        let loads = self.loads.iter_mut();
        let read: Vec<_> = loads.map(|load| load.read(now_ns, tell)).collect();
        let start_ns = std::mem::replace(&mut self.last_ns, now_ns);
        let operations_since_s = if tell {
            self.skipped = 0;
            let since_ns = std::mem::replace(&mut self.operations_ns, now_ns);
            self.long.then(|| seconds(since_ns))
        } else {
            self.skipped += 1;
            None
        };
        let parts = self.loads.iter_mut().zip(read).zip(users);
        let parts: Vec<Interval> = parts
            .map(|((load, read), users)| load.interval(read, *users))
            .collect();
        let sum = Interval::sum(&parts);
        let named = self.names.iter().cloned().zip(parts);
        let personas: BTreeMap<_, _> = named
            .map(|(name, part)| (name, part.of_persona(self.long)))
            .collect();
        Snapshot {
            phase,
            start_s: seconds(start_ns),
            end_s: seconds(now_ns),
            users: sum.users,
            think_time_ns: sum.think_ns,
            transactions: sum.transactions.statistics(),
            operations: sum.told_operations(self.long),
            operations_since_s,
            targets: sum.targets.iter().map(SeriesTotal::statistics).collect(),
            counters: sum.counters,
            failures: told_failures(sum.failures),
            arrivals: sum.arrivals,
            personas,
        }
    }

    /// Time that all transactions so far spent aside.
    pub(crate) fn aside_ns(&self) -> u64 {
        self.loads.iter().map(LoadStatistics::aside_ns).sum()
    }

    /// Time that all threads have spun so far.
    pub(crate) fn spun_ns(&self) -> u64 {
        self.loads.iter().map(LoadStatistics::spun_ns).sum()
    }

    /// When the first transaction of all ended.
    pub(crate) fn first_end_ns(&self) -> Option<u64> {
        let ends = self.loads.iter().filter_map(LoadStatistics::first_end_ns);
        ends.min()
    }

    /// Adds the statistics of a thread that came later, of the load at `place`.
    pub(crate) fn add_thread(&mut self, place: usize, statistics: Arc<ThreadStatistics>) {
        self.loads[place].add_thread(statistics);
    }
}
