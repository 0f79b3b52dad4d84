//! One scan after another.

use std::sync::Arc;

use igen_engine::{Failure, FailureKind, Recorder, User};
use igen_sql::session::Session;

use super::cache::Cache;
use super::cpu::Meter;
use super::engine::Engine;
use super::generate::Counts;
use super::predicate::Predicate;

pub(super) const OPERATIONS: &[&str] = &["scan", "drop_caches"];
const SCAN: usize = 0;
const DROP_CACHES: usize = 1;

pub(super) const COUNTERS: &[&str] = &["records", "bytes", "cpu_ns"];
const RECORDS: usize = 0;
const BYTES: usize = 1;
const CPU_NS: usize = 2;

/// What all users ask, and what the answer must be.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) predicate: Predicate,
    pub(super) sql: String,
    pub(super) records: u64,
    /// Nominal.
    pub(super) bytes: u64,
    pub(super) counts: Counts,
}

impl Question {
    /// Scans the table and checks the answer.
    pub(super) async fn ask(&self, session: &mut Session) -> Result<(), Failure> {
        let rows = session.query(&self.sql).await?;
        match rows.first().and_then(|row| row.first()) {
            Some(Some(answer)) if self.predicate.accepts(answer, self.counts) => Ok(()),
            _ => Err(Failure::new(FailureKind::Check, "wrong answer")),
        }
    }
}

/// A connection that scans.
pub struct ScanUser {
    pub(super) engine: Arc<Engine>,
    pub(super) question: Arc<Question>,
    /// Absent where the CPU time is not known.
    pub(super) meter: Option<Arc<Meter>>,
    /// Dropped before each scan.
    pub(super) cache: Option<Cache>,
    /// Absent between two cold scans of an embedded engine.
    pub(super) session: Option<Session>,
}

impl User for ScanUser {
    async fn transaction(&mut self, recorder: &mut Recorder) -> Result<(), Failure> {
        if self.cache.is_some() {
            recorder.aside(DROP_CACHES, self.start_cold()).await?;
        }
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(self.engine.session().await?),
        };
        if let Some(meter) = &self.meter {
            meter.start();
        }
        let answered = recorder.time(SCAN, self.question.ask(session)).await;
        if let Some(meter) = &self.meter {
            recorder.count(CPU_NS, meter.end_ns());
        }
        answered?;
        recorder.count(RECORDS, self.question.records);
        recorder.count(BYTES, self.question.bytes);
        session.check()
    }
}

impl ScanUser {
    /// Closes an embedded database, whose cache goes with it, drops the operating system's, and
    /// opens it again. A server keeps its connection and its own cache.
    async fn start_cold(&mut self) -> Result<(), Failure> {
        if let Some(Cache::Files(_)) = self.cache {
            self.session = None;
        }
        if let Some(cache) = &self.cache {
            cache.drop().map_err(|error| {
                Failure::new(FailureKind::Other, format!("cannot drop caches: {error}"))
            })?;
        }
        if self.session.is_none() {
            self.session = Some(self.engine.session().await?);
        }
        Ok(())
    }
}
