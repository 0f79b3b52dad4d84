//! Merges the statistics of all threads and takes differences: what happened since the last time?

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use igen_job::event::{ArrivalCounts, Phase, Snapshot, Statistics, Times};
use igen_stats::{Histogram, hdr};

use crate::clock::seconds;
use crate::pacer::DueStarts;
use crate::thread_statistics::{Series, ThreadStatistics};

/// Most operations that go into every snapshot: each takes half a kilobyte of it.
const MOST_IN_EACH: usize = 64;
/// Longer lists of operations go into one of so many snapshots.
const LONG_LIST_EVERY: u32 = 10;

/// Takes the snapshots of one job.
pub(crate) struct Snapshots {
    statistics: Vec<Arc<ThreadStatistics>>,
    counters: Vec<String>,
    due_starts: DueStarts,
    last: Totals,
    last_ns: u64,
    operations: Operations,
}

/// When the operations were told, and what there was to tell.
struct Operations {
    names: Vec<String>,
    last: Vec<SeriesTotal>,
    last_ns: u64,
    /// Snapshots without operations since then.
    skipped: u32,
}

/// Everything since the begin.
#[derive(Clone, Default)]
struct Totals {
    transactions: SeriesTotal,
    /// Empty where they are not told.
    operations: Vec<SeriesTotal>,
    targets: Vec<SeriesTotal>,
    counters: Vec<u64>,
    failures: BTreeMap<String, u64>,
    due: Option<u64>,
    started: u64,
    unsent: u64,
    think_ns: u64,
}

#[derive(Clone, Default)]
struct SeriesTotal {
    on_time: Histogram,
    late_service: Histogram,
    late_response: Histogram,
    failed_service: Histogram,
    failed_response: Histogram,
}

impl Snapshots {
    /// Snapshots from `begin_ns` on of operations and counters of these names.
    pub(crate) fn new(
        statistics: Vec<Arc<ThreadStatistics>>,
        operations: Vec<String>,
        counters: Vec<String>,
        due_starts: DueStarts,
        begin_ns: u64,
    ) -> Self {
        let last = Totals {
            targets: vec![SeriesTotal::default(); targets(&statistics)],
            counters: vec![0; counters.len()],
            ..Totals::default()
        };
        Self {
            statistics,
            counters,
            due_starts,
            last,
            last_ns: begin_ns,
            operations: Operations {
                last: vec![SeriesTotal::default(); operations.len()],
                names: operations,
                last_ns: begin_ns,
                skipped: 0,
            },
        }
    }

    /// What ended between the last snapshot and `now_ns`, perhaps in the last snapshot of its phase.
    pub(crate) fn take(
        &mut self,
        phase: Phase,
        now_ns: u64,
        users: u32,
        last_of_phase: bool,
    ) -> Snapshot {
        // All is read before anything is encoded: users go on, and what belongs together shall not be
        // apart by the time that encoding takes.
        let tell_operations = self.operations.are_due(last_of_phase);
        let now = self.totals(now_ns, tell_operations);
        let then = std::mem::replace(&mut self.last, now);
        let now = &mut self.last;
        let start_ns = std::mem::replace(&mut self.last_ns, now_ns);
        let (operations, operations_since_s) = if tell_operations {
            let totals = std::mem::take(&mut now.operations);
            self.operations.tell(totals, now_ns)
        } else {
            self.operations.skipped += 1;
            (BTreeMap::new(), None)
        };
        let counters = self
            .counters
            .iter()
            .zip(now.counters.iter().zip(&then.counters));
        let targets = now.targets.iter().zip(&then.targets);
        Snapshot {
            phase,
            start_s: seconds(start_ns),
            end_s: seconds(now_ns),
            users,
            think_time_ns: now.think_ns - then.think_ns,
            transactions: now.transactions.since(&then.transactions),
            operations,
            operations_since_s,
            targets: targets.map(|(now, then)| now.since(then)).collect(),
            counters: counters
                .map(|(name, (now, then))| (name.clone(), now - then))
                .collect(),
            failures: failures_since(&now.failures, &then.failures),
            arrivals: now.due.map(|due| ArrivalCounts {
                due: due - then.due.unwrap_or(0),
                started: now.started - then.started,
                unsent: now.unsent - then.unsent,
                backlog: due.saturating_sub(now.started + now.unsent),
            }),
        }
    }

    /// Time that all transactions so far spent aside.
    pub(crate) fn aside_ns(&self) -> u64 {
        self.statistics
            .iter()
            .map(|statistics| statistics.aside_ns.load(Relaxed))
            .sum()
    }

    /// When the first transaction of all ended.
    pub(crate) fn first_end_ns(&self) -> Option<u64> {
        let ends = self
            .statistics
            .iter()
            .map(|statistics| statistics.first_end_ns.load(Relaxed));
        ends.filter(|end| *end > 0).min()
    }

    /// Adds the statistics of a thread that came later.
    pub(crate) fn add_thread_statistics(&mut self, statistics: Arc<ThreadStatistics>) {
        self.statistics.push(statistics);
    }

    fn totals(&mut self, now_ns: u64, with_operations: bool) -> Totals {
        let operations = if with_operations {
            self.operations.names.len()
        } else {
            0
        };
        let mut totals = Totals {
            operations: vec![SeriesTotal::default(); operations],
            targets: vec![SeriesTotal::default(); self.last.targets.len()],
            counters: vec![0; self.counters.len()],
            ..Totals::default()
        };
        for statistics in &self.statistics {
            // Users go on meanwhile: counters and the transactions that they belong to are read
            // right after each other.
            for (total, counter) in totals.counters.iter_mut().zip(&statistics.counters) {
                *total += counter.load(Relaxed);
            }
            totals.transactions.add(&statistics.transactions());
            for (total, series) in totals.operations.iter_mut().zip(statistics.operations()) {
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
}

impl Operations {
    fn is_long(&self) -> bool {
        self.names.len() > MOST_IN_EACH
    }

    /// Whether this snapshot tells them.
    fn are_due(&self, last_of_phase: bool) -> bool {
        !self.is_long() || last_of_phase || self.skipped + 1 >= LONG_LIST_EVERY
    }

    /// What ended since they were told the last time, and when that was, where the list is long.
    fn tell(
        &mut self,
        now: Vec<SeriesTotal>,
        now_ns: u64,
    ) -> (BTreeMap<String, Statistics>, Option<f64>) {
        let then = std::mem::replace(&mut self.last, now);
        let since_ns = std::mem::replace(&mut self.last_ns, now_ns);
        self.skipped = 0;
        let is_long = self.is_long();
        let told = self.names.iter().zip(self.last.iter().zip(&then));
        let told = told.map(|(name, (now, then))| (name.clone(), now.since(then)));
        let told = told.filter(|(_, each)| !is_long || each.count + each.failed > 0);
        (told.collect(), is_long.then(|| seconds(since_ns)))
    }
}

/// Targets that have statistics of their own.
fn targets(statistics: &[Arc<ThreadStatistics>]) -> usize {
    statistics
        .first()
        .map_or(0, |first| first.targets().count())
}

impl SeriesTotal {
    fn add(&mut self, series: &Series<'_>) {
        series.on_time.add_to(&mut self.on_time);
        series.late_service.add_to(&mut self.late_service);
        series.late_response.add_to(&mut self.late_response);
        series.failed_service.add_to(&mut self.failed_service);
        series.failed_response.add_to(&mut self.failed_response);
    }

    fn since(&self, then: &Self) -> Statistics {
        let on_time = self.on_time.since(&then.on_time);
        let late_response = self.late_response.since(&then.late_response);
        let failed_service = self.failed_service.since(&then.failed_service);
        let failed_response = self.failed_response.since(&then.failed_response);
        let mut service = on_time.clone();
        service.merge(&self.late_service.since(&then.late_service));
        let response = (!late_response.is_empty()).then(|| {
            let mut response = on_time;
            response.merge(&late_response);
            times(&response)
        });
        Statistics {
            count: service.count(),
            failed: failed_response.count(),
            service_time: times(&service),
            response_time: response,
            failed_service_time: (failed_service != failed_response)
                .then(|| times(&failed_service)),
            failed_time: (!failed_response.is_empty()).then(|| times(&failed_response)),
        }
    }
}

fn times(histogram: &Histogram) -> Times {
    Times {
        sum_ns: histogram.sum_ns(),
        hdr: hdr::encode(histogram),
    }
}

fn failures_since(
    now: &BTreeMap<String, u64>,
    then: &BTreeMap<String, u64>,
) -> BTreeMap<String, u64> {
    let since = now.iter().map(|(reason, count)| {
        (
            reason.clone(),
            count - then.get(reason).copied().unwrap_or(0),
        )
    });
    since.filter(|(_, count)| *count > 0).collect()
}
