//! One user's view of its statistics.

use std::future::Future;

use crate::failure::Failure;

/// Times operations and counts; workloads never touch a clock.
pub struct Recorder {}

impl Recorder {
    /// Runs `operation` and records its time under `Workload::OPERATIONS[index]`.
    pub async fn time<T>(
        &mut self,
        _index: usize,
        operation: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        operation.await
    }

    /// Like `time`, but the transaction's own clock stands still meanwhile: for work that must
    /// happen inside a transaction and is no part of it, such as filling a fresh array.
    pub async fn aside<T>(
        &mut self,
        _index: usize,
        operation: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        operation.await
    }

    /// Adds `n` to `Workload::COUNTERS[index]`.
    pub fn count(&mut self, _index: usize, _n: u64) {}
}
