//! The statistics that one thread writes and the control thread reads: cumulative, without locks.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use igen_stats::{LiveHistogram, LiveHistograms, live};

use crate::failure::{Failure, Reason};

/// Written by one thread only (all users that it drives); read by any.
pub struct ThreadStatistics {
    transactions: LiveSeries,
    operations: LiveSeries,
    targets: LiveSeries,
    /// By index into `Workload::counters`.
    pub(crate) counters: Box<[AtomicU64]>,
    /// Transactions started.
    pub(crate) started: AtomicU64,
    /// Starts given up because they were too late.
    pub(crate) unsent: AtomicU64,
    /// Time that transactions spent aside.
    pub(crate) aside_ns: AtomicU64,
    /// Think time that has ended.
    pub(crate) think_ns: AtomicU64,
    /// Time that the thread has spun until a deadline.
    pub(crate) spun_ns: AtomicU64,
    /// When the first transaction ended; 0 before.
    pub(crate) first_end_ns: AtomicU64,
    failures: Mutex<BTreeMap<Reason, u64>>,
}

/// Times of one kind of transaction or operation.
///
/// Service time (from the actual start) and response time (from the intended start) are the same for
/// what starts on time, so that needs one record; what starts late needs two. The reader puts the
/// two distributions together: service = on time + late service, response = on time + late response.
pub(crate) struct Series<'a> {
    pub(crate) on_time: LiveHistogram<'a>,
    pub(crate) late_service: LiveHistogram<'a>,
    pub(crate) late_response: LiveHistogram<'a>,
    pub(crate) failed_service: LiveHistogram<'a>,
    pub(crate) failed_response: LiveHistogram<'a>,
}

/// The histograms of several series, five each.
struct LiveSeries {
    histograms: LiveHistograms,
    number: usize,
}

impl LiveSeries {
    const EACH: usize = 5;

    fn new(number: usize) -> Self {
        Self {
            histograms: LiveHistograms::new(number * Self::EACH),
            number,
        }
    }

    #[inline]
    fn at(&self, index: usize) -> Series<'_> {
        let first = index * Self::EACH;
        Series {
            on_time: self.histograms.at(first),
            late_service: self.histograms.at(first + 1),
            late_response: self.histograms.at(first + 2),
            failed_service: self.histograms.at(first + 3),
            failed_response: self.histograms.at(first + 4),
        }
    }

    fn all(&self) -> impl Iterator<Item = Series<'_>> {
        (0..self.number).map(|index| self.at(index))
    }
}

impl Series<'_> {
    #[inline]
    pub(crate) fn record(&self, service_ns: u64, lag_ns: u64, succeeded: bool) {
        if !succeeded {
            self.failed_service.record(service_ns);
            self.failed_response.record(service_ns + lag_ns);
        } else if lag_ns == 0 {
            self.on_time.record(service_ns);
        } else {
            self.late_service.record(service_ns);
            self.late_response.record(service_ns + lag_ns);
        }
    }
}

impl ThreadStatistics {
    /// Empty statistics for a workload with so many operations and counters on so many targets.
    #[must_use]
    pub fn new(operations: usize, counters: usize, targets: usize) -> Self {
        let targets = if targets > 1 { targets } else { 0 };
        Self {
            transactions: LiveSeries::new(1),
            operations: LiveSeries::new(operations),
            targets: LiveSeries::new(targets),
            counters: (0..counters).map(|_| AtomicU64::new(0)).collect(),
            started: AtomicU64::new(0),
            unsent: AtomicU64::new(0),
            aside_ns: AtomicU64::new(0),
            think_ns: AtomicU64::new(0),
            spun_ns: AtomicU64::new(0),
            first_end_ns: AtomicU64::new(0),
            failures: Mutex::default(),
        }
    }

    /// Whole transactions.
    #[inline]
    pub(crate) fn transactions(&self) -> Series<'_> {
        self.transactions.at(0)
    }

    /// An operation by its index into `Workload::operations`.
    #[inline]
    pub(crate) fn operation(&self, index: usize) -> Series<'_> {
        self.operations.at(index)
    }

    /// All operations in their order.
    pub(crate) fn operations(&self) -> impl Iterator<Item = Series<'_>> {
        self.operations.all()
    }

    /// Transactions by target, where there are several.
    pub(crate) fn targets(&self) -> impl Iterator<Item = Series<'_>> {
        self.targets.all()
    }

    /// Books the end of a transaction on `target` that took `service_ns` and started `lag_ns` late.
    #[inline]
    pub(crate) fn transaction_ended(
        &self,
        target: usize,
        end_ns: u64,
        service_ns: u64,
        lag_ns: u64,
        succeeded: bool,
    ) {
        self.record(target, service_ns, lag_ns, succeeded);
        if self.first_end_ns.load(Relaxed) == 0 {
            self.first_end_ns.store(end_ns, Relaxed);
        }
    }

    /// Books a start.
    #[inline]
    pub(crate) fn transaction_started(&self) {
        live::add(&self.started, 1);
    }

    /// Books starts given up.
    #[inline]
    pub(crate) fn gave_up(&self, unsent: u64) {
        if unsent > 0 {
            live::add(&self.unsent, unsent);
        }
    }

    /// Books a think time that has ended.
    #[inline]
    pub(crate) fn thought(&self, think_ns: u64) {
        if think_ns > 0 {
            live::add(&self.think_ns, think_ns);
        }
    }

    /// Books time that the thread has spun.
    #[inline]
    pub(crate) fn spun(&self, spun_ns: u64) {
        live::add(&self.spun_ns, spun_ns);
    }

    /// Books a user of `target` that could not be created or replaced, which took `service_ns`, like
    /// a failed transaction: what is down fails less often than what is up succeeds.
    pub(crate) fn user_failed(&self, target: usize, service_ns: u64, failure: &Failure) {
        self.record(target, service_ns, 0, false);
        self.failed(failure);
    }

    #[inline]
    fn record(&self, target: usize, service_ns: u64, lag_ns: u64, succeeded: bool) {
        self.transactions().record(service_ns, lag_ns, succeeded);
        if self.targets.number > 0 {
            self.targets
                .at(target)
                .record(service_ns, lag_ns, succeeded);
        }
    }

    /// Books a reason; between transactions, so it may lock.
    pub(crate) fn failed(&self, failure: &Failure) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        *failures.entry(Reason::clone(&failure.reason)).or_default() += 1;
    }

    /// Adds the failures by reason to `total`.
    pub(crate) fn add_failures_to(&self, total: &mut BTreeMap<Reason, u64>) {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for (reason, count) in &*failures {
            *total.entry(reason.clone()).or_default() += count;
        }
    }
}
