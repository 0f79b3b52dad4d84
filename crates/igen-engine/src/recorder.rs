//! One user's way to its statistics.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use igen_stats::live;

use crate::clock::Clock;
use crate::failure::Failure;
use crate::stop::Stop;
use crate::thread_statistics::ThreadStatistics;
use crate::timer::Timer;

/// Times operations and counts; workloads never touch a clock. It stays on the thread of its user,
/// which makes that thread the only writer of its statistics.
pub struct Recorder {
    timer: Timer,
    statistics: Arc<ThreadStatistics>,
    target: usize,
    start_ns: u64,
    /// When its last transaction ended, or the user was ready for its first one.
    idle_since_ns: u64,
    lag_ns: u64,
    aside_ns: u64,
    paused_ns: u64,
    /// The transaction is this operation and nothing else.
    operation: Option<usize>,
    /// What the user thinks before its next transaction, where it has said so.
    think_ns: Option<u64>,
}

impl Recorder {
    /// A recorder for a user of `target` on the thread of `timer`.
    #[must_use]
    pub(crate) fn new(timer: Timer, statistics: Arc<ThreadStatistics>, target: usize) -> Self {
        Self {
            timer,
            statistics,
            target,
            start_ns: 0,
            idle_since_ns: 0,
            lag_ns: 0,
            aside_ns: 0,
            paused_ns: 0,
            operation: None,
            think_ns: None,
        }
    }

    /// A recorder outside of a job, such as for a test of a workload with so many operations and
    /// counters. Needs a tokio runtime.
    pub fn detached(operations: usize, counters: usize) -> std::io::Result<Self> {
        let (timer, serve) = Timer::new(Clock::start(), Stop::default())?;
        drop(serve);
        let statistics = ThreadStatistics::new(operations, counters, 1);
        Ok(Self::new(timer, Arc::new(statistics), 0))
    }

    /// Runs `operation` and records its time under that name of `Workload::operations`. Its response time
    /// includes the lag of its transaction, so that every operation of a late transaction is late.
    #[inline]
    pub async fn time<T>(
        &mut self,
        index: usize,
        operation: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        self.timed(index, self.lag_ns, operation).await.0
    }

    /// Like `time`, but the transaction's own clock stands still meanwhile: for work that must
    /// happen inside a transaction and is no part of it, such as filling a fresh array.
    pub async fn aside<T>(
        &mut self,
        index: usize,
        operation: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let (result, service_ns) = self.timed(index, 0, operation).await;
        self.aside_ns += service_ns;
        result
    }

    /// Thinks for `think_ns` inside a transaction, such as between the pages of one. That is think time
    /// and neither service nor response time; but whatever comes later than the pause should have
    /// ended, is late. Returns at once when the load stops.
    pub async fn pause(&mut self, think_ns: u64) {
        let began_ns = self.timer.clock().now_ns();
        let due_ns = began_ns.saturating_add(think_ns);
        let _ = self.timer.sleep_until(due_ns).await;
        let now_ns = self.timer.clock().now_ns();
        self.paused_ns += now_ns - began_ns;
        self.lag_ns += now_ns.saturating_sub(due_ns);
        self.statistics.thought(now_ns.min(due_ns) - began_ns);
    }

    /// Waits for `wait_ns` as a part of the transaction, such as between two tries of it: that is service and
    /// response time. Returns at once when the load stops.
    pub async fn wait(&mut self, wait_ns: u64) {
        let due_ns = self.timer.clock().now_ns().saturating_add(wait_ns);
        let _ = self.timer.sleep_until(due_ns).await;
    }

    /// The user thinks for `think_ns` before its next transaction, in the place of what a closed load says. Paced and
    /// open loads keep to their timetables.
    pub fn think(&mut self, think_ns: u64) {
        self.think_ns = Some(think_ns);
    }

    /// What the user has said that it thinks, once.
    #[inline]
    pub(crate) fn take_think_ns(&mut self) -> Option<u64> {
        self.think_ns.take()
    }

    #[inline]
    async fn timed<T>(
        &self,
        index: usize,
        lag_ns: u64,
        operation: impl Future<Output = Result<T, Failure>>,
    ) -> (Result<T, Failure>, u64) {
        let start_ns = self.timer.clock().now_ns();
        let result = operation.await;
        let service_ns = self.timer.clock().now_ns().saturating_sub(start_ns);
        self.statistics
            .operation(index)
            .record(service_ns, lag_ns, result.is_ok());
        (result, service_ns)
    }

    /// Adds `n` to that counter of `Workload::counters`.
    #[inline]
    pub fn count(&mut self, index: usize, n: u64) {
        live::add(&self.statistics.counters[index], n);
    }

    /// What has come to a counter so far on this thread.
    #[must_use]
    pub fn counted(&self, index: usize) -> u64 {
        self.statistics.counters[index].load(Ordering::Relaxed)
    }

    /// When this call of `User::transaction` began: for users that keep several operations in flight,
    /// of which one ends in each call and others begin.
    #[inline]
    #[must_use]
    pub fn began_ns(&self) -> u64 {
        self.start_ns
    }

    /// Time in which the user had nothing to do before this transaction: since its last transaction ended, or
    /// since the user was ready for its first transaction.
    #[inline]
    #[must_use]
    pub fn idle_ns(&self) -> u64 {
        self.start_ns.saturating_sub(self.idle_since_ns)
    }

    /// The user is ready for its first transaction since `now_ns`.
    #[inline]
    pub(crate) fn is_ready(&mut self, now_ns: u64) {
        self.idle_since_ns = now_ns;
    }

    /// The transaction that ends with this call began at `began_ns`, in this or an earlier call, and
    /// consists of that one of `Workload::operations` alone, which takes the same time: the clock is
    /// not read again.
    #[inline]
    pub fn is_operation(&mut self, operation: usize, began_ns: u64) {
        self.began_at(began_ns);
        self.operation = Some(operation);
    }

    /// The transaction that ends with this call began at `began_ns`, in this or an earlier call.
    #[inline]
    pub fn began_at(&mut self, began_ns: u64) {
        self.start_ns = began_ns;
    }

    /// Records an operation of an earlier call that ends now; returns the present time.
    #[inline]
    pub fn record(&mut self, operation: usize, began_ns: u64, succeeded: bool) -> u64 {
        let now_ns = self.timer.clock().now_ns();
        let service_ns = now_ns.saturating_sub(began_ns);
        self.statistics
            .operation(operation)
            .record(service_ns, 0, succeeded);
        now_ns
    }

    /// Like `record`, for an operation of the transaction under way: it is as late as that one.
    #[inline]
    pub fn record_step(&mut self, operation: usize, began_ns: u64, succeeded: bool) -> u64 {
        let now_ns = self.timer.clock().now_ns();
        let service_ns = now_ns.saturating_sub(began_ns);
        self.statistics
            .operation(operation)
            .record(service_ns, self.lag_ns, succeeded);
        now_ns
    }

    /// Records an operation of `service_ns` that something else has timed, such as the processor time of a process.
    pub fn took(&mut self, operation: usize, service_ns: u64) {
        self.statistics
            .operation(operation)
            .record(service_ns, 0, true);
    }

    /// For workloads whose transaction is to wait, such as `model`.
    #[must_use]
    pub fn timer(&self) -> &Timer {
        &self.timer
    }

    /// A transaction starts at `now_ns`, which is the present.
    #[inline]
    pub(crate) fn begin(&mut self, intended_ns: Option<u64>, now_ns: u64) {
        self.statistics.transaction_started();
        self.aside_ns = 0;
        self.paused_ns = 0;
        self.operation = None;
        self.start_ns = now_ns;
        self.lag_ns = intended_ns.map_or(0, |intended| self.start_ns.saturating_sub(intended));
    }

    /// The transaction that began last has ended; returns the present time.
    #[inline]
    pub(crate) fn end(&mut self, result: &Result<(), Failure>) -> u64 {
        let end_ns = self.timer.clock().now_ns();
        self.idle_since_ns = end_ns;
        let elsewhere_ns = self.aside_ns + self.paused_ns;
        let service_ns = end_ns.saturating_sub(self.start_ns + elsewhere_ns);
        self.statistics.transaction_ended(
            self.target,
            end_ns,
            service_ns,
            self.lag_ns,
            result.is_ok(),
        );
        if let Some(operation) = self.operation {
            self.statistics
                .operation(operation)
                .record(service_ns, self.lag_ns, result.is_ok());
        }
        if self.aside_ns > 0 {
            live::add(&self.statistics.aside_ns, self.aside_ns);
        }
        if let Err(failure) = result {
            self.statistics.failed(failure);
        }
        end_ns
    }
}
