//! One load's statistics: those of all its threads together, and their differences from time to time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use igen_job::Reason;
use igen_job::event::ArrivalCounts;

use crate::interval::Interval;
use crate::pacer::DueStarts;
use crate::series_total::SeriesTotal;
use crate::thread_statistics::ThreadStatistics;

/// The statistics of one load since its begin.
pub(crate) struct LoadStatistics {
    threads: Vec<Arc<ThreadStatistics>>,
    /// Names of what the workload times and counts.
    operations: Vec<String>,
    counters: Vec<String>,
    due_starts: DueStarts,
    last: Totals,
    /// As they were when they were told the last time.
    last_operations: Vec<SeriesTotal>,
}

/// Everything since the begin.
#[derive(Clone, Default)]
pub(crate) struct Totals {
    transactions: SeriesTotal,
    /// `None` where they are not told.
    operations: Option<Vec<SeriesTotal>>,
    targets: Vec<SeriesTotal>,
    counters: Vec<u64>,
    failures: BTreeMap<Reason, u64>,
    due: Option<u64>,
    started: u64,
    unsent: u64,
    think_ns: u64,
}

impl LoadStatistics {
    /// Statistics of these threads, with operations and counters of these names.
    pub(crate) fn new(
        threads: Vec<Arc<ThreadStatistics>>,
        operations: Vec<String>,
        counters: Vec<String>,
        due_starts: DueStarts,
    ) -> Self {
        let last = Totals {
            targets: vec![SeriesTotal::default(); targets(&threads)],
            counters: vec![0; counters.len()],
            ..Totals::default()
        };
        Self {
            threads,
            last_operations: vec![SeriesTotal::default(); operations.len()],
            operations,
            counters,
            due_starts,
            last,
        }
    }

    /// How many operations it has.
    pub(crate) fn operations(&self) -> usize {
        self.operations.len()
    }

    /// Adds the statistics of a thread that came later.
    pub(crate) fn add_thread(&mut self, statistics: Arc<ThreadStatistics>) {
        self.threads.push(statistics);
    }

    /// Time that all transactions so far spent aside.
    pub(crate) fn aside_ns(&self) -> u64 {
        let aside = self.threads.iter().map(|it| it.aside_ns.load(Relaxed));
        aside.sum()
    }

    /// Time that its threads have spun so far.
    pub(crate) fn spun_ns(&self) -> u64 {
        let spun = self.threads.iter().map(|it| it.spun_ns.load(Relaxed));
        spun.sum()
    }

    /// When the first transaction of all ended.
    pub(crate) fn first_end_ns(&self) -> Option<u64> {
        let ends = self.threads.iter().map(|it| it.first_end_ns.load(Relaxed));
        ends.filter(|end| *end > 0).min()
    }

    /// Reads everything at `now_ns`.
    pub(crate) fn read(&mut self, now_ns: u64, with_operations: bool) -> Totals {
        let mut totals = Totals {
            operations: with_operations
                .then(|| vec![SeriesTotal::default(); self.operations.len()]),
            targets: vec![SeriesTotal::default(); self.last.targets.len()],
            counters: vec![0; self.counters.len()],
            ..Totals::default()
        };
        for statistics in &self.threads {
            // Users go on meanwhile: counters and the transactions that they belong to are read
            // right after each other.
            for (total, counter) in totals.counters.iter_mut().zip(&statistics.counters) {
                *total += counter.load(Relaxed);
            }
            totals.transactions.add(&statistics.transactions());
            let operations = totals.operations.iter_mut().flatten();
            for (total, series) in operations.zip(statistics.operations()) {
                total.add(&series);
            }
            for (total, series) in totals.targets.iter_mut().zip(statistics.targets()) {
                total.add(&series);
            }
            totals.started += statistics.started.load(Relaxed);
            totals.unsent += statistics.unsent.load(Relaxed);
            totals.think_ns += statistics.think_ns.load(Relaxed);
            statistics.add_failures_to(&mut totals.failures);
        }
        totals.due = self.due_starts.due(now_ns);
        totals
    }

    /// What came since the last call, now that it is `now`; `users` are those of this agent.
    pub(crate) fn interval(&mut self, mut now: Totals, users: u32) -> Interval {
        let operations = match now.operations.take() {
            Some(totals) => {
                let then = std::mem::replace(&mut self.last_operations, totals);
                let since = self.last_operations.iter().zip(&then);
                let since = since.map(|(now, then)| now.since(then));
                self.operations.iter().cloned().zip(since).collect()
            }
            None => BTreeMap::new(),
        };
        let then = std::mem::replace(&mut self.last, now);
        let now = &self.last;
        let counts = now.counters.iter().zip(&then.counters);
        let counts = counts.map(|(now, then)| now - then);
        let targets = now.targets.iter().zip(&then.targets);
        Interval {
            users,
            think_ns: now.think_ns - then.think_ns,
            transactions: now.transactions.since(&then.transactions),
            operations,
            targets: targets.map(|(now, then)| now.since(then)).collect(),
            counters: self.counters.iter().cloned().zip(counts).collect(),
            failures: failures_since(&now.failures, &then.failures),
            arrivals: now.due.map(|due| ArrivalCounts {
                due: due - then.due.unwrap_or(0),
                started: now.started - then.started,
                unsent: now.unsent - then.unsent,
                backlog: due.saturating_sub(now.started + now.unsent),
            }),
        }
    }
}

/// Targets that have statistics of their own.
fn targets(statistics: &[Arc<ThreadStatistics>]) -> usize {
    statistics
        .first()
        .map_or(0, |first| first.targets().count())
}

fn failures_since(
    now: &BTreeMap<Reason, u64>,
    then: &BTreeMap<Reason, u64>,
) -> BTreeMap<Reason, u64> {
    let since = now.iter().map(|(reason, count)| {
        (
            reason.clone(),
            count - then.get(reason).copied().unwrap_or(0),
        )
    });
    since.filter(|(_, count)| *count > 0).collect()
}
