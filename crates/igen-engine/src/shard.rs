//! The statistics that one thread writes and the control thread reads: cumulative, without locks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use igen_stats::{LiveHistogram, live};

use crate::failure::Failure;

/// Written by one thread only (all users that it drives); read by any.
pub struct Shard {
    /// Whole transactions.
    pub(crate) transactions: Series,
    /// By index into `Workload::OPERATIONS`.
    pub(crate) operations: Box<[Series]>,
    /// Transactions by target, where there are several.
    pub(crate) targets: Box<[Series]>,
    /// By index into `Workload::COUNTERS`.
    pub(crate) counters: Box<[AtomicU64]>,
    /// Transactions started.
    pub(crate) started: AtomicU64,
    /// Starts given up because they were too late.
    pub(crate) unsent: AtomicU64,
    /// Time that transactions spent aside.
    pub(crate) aside_ns: AtomicU64,
    /// When the first transaction ended; 0 before.
    pub(crate) first_end_ns: AtomicU64,
    failures: Mutex<BTreeMap<Cow<'static, str>, u64>>,
}

/// Times of one kind of transaction or operation.
///
/// Service time (from the actual start) and response time (from the intended start) are the same for
/// what starts on time, so that needs one record; what starts late needs two. The reader puts the
/// two distributions together: service = on time + late service, response = on time + late response.
#[derive(Default)]
pub(crate) struct Series {
    pub(crate) on_time: LiveHistogram,
    pub(crate) late_service: LiveHistogram,
    pub(crate) late_response: LiveHistogram,
    pub(crate) failed_service: LiveHistogram,
    pub(crate) failed_response: LiveHistogram,
}

impl Series {
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

impl Shard {
    /// Empty statistics for a workload with so many operations and counters on so many targets.
    #[must_use]
    pub fn new(operations: usize, counters: usize, targets: usize) -> Self {
        let targets = if targets > 1 { targets } else { 0 };
        Self {
            transactions: Series::default(),
            operations: (0..operations).map(|_| Series::default()).collect(),
            targets: (0..targets).map(|_| Series::default()).collect(),
            counters: (0..counters).map(|_| AtomicU64::new(0)).collect(),
            started: AtomicU64::new(0),
            unsent: AtomicU64::new(0),
            aside_ns: AtomicU64::new(0),
            first_end_ns: AtomicU64::new(0),
            failures: Mutex::default(),
        }
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
        self.transactions.record(service_ns, lag_ns, succeeded);
        if let Some(series) = self.targets.get(target) {
            series.record(service_ns, lag_ns, succeeded);
        }
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

    /// Books a user of `target` that could not be created or replaced, which took `service_ns`, like
    /// a failed transaction: what is down fails less often than what is up succeeds.
    pub(crate) fn user_failed(&self, target: usize, service_ns: u64, failure: &Failure) {
        self.transactions.record(service_ns, 0, false);
        if let Some(series) = self.targets.get(target) {
            series.record(service_ns, 0, false);
        }
        self.failed(failure);
    }

    /// Books a reason; between transactions, so it may lock.
    pub(crate) fn failed(&self, failure: &Failure) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        *failures.entry(failure.reason.clone()).or_default() += 1;
    }

    /// Adds the failures by reason to `total`.
    pub(crate) fn add_failures_to(&self, total: &mut BTreeMap<String, u64>) {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for (reason, count) in &*failures {
            *total.entry(reason.to_string()).or_default() += count;
        }
    }
}
