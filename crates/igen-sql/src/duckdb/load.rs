//! Loading a database under another name, so that an interrupted load never looks complete.

use std::fs;
use std::path::{Path, PathBuf};

use igen_engine::{Failure, FailureKind};
use igen_job::JobError;

use super::error::disk_full;
use super::ffi::{Appender, Connection, Library};
use super::shared::{Access, Shared};
use crate::embedded::{self, Claim, beside};

/// Suffix of the log of a database.
const LOG: &str = ".wal";
/// Suffix of the file that is loaded: DuckDB creates its files itself and takes no empty one.
const DATA: &str = ".data";

/// A database that is being loaded. Dropped before `finish`, it leaves nothing behind.
pub(super) struct Loader {
    connection: Option<Connection>,
    /// True if a table is being filled: all its rows are written by one transaction, which puts
    /// them straight into the file and not into the log.
    filling: bool,
    data: Leftovers,
    claim: Claim,
}

impl Loader {
    /// Starts to load a database that will take about `needed_bytes` at `path`, where there is
    /// nothing; with `force` whatever space is free. `None` if another process is loading it or
    /// has just finished: look again.
    pub(super) fn start(
        library: &'static Library,
        path: &Path,
        needed_bytes: u64,
        force: bool,
    ) -> Result<Option<Self>, JobError> {
        let Some(claim) = Claim::of(path, needed_bytes)? else {
            return Ok(None);
        };
        claim.check_no_log(&[LOG])?;
        if !force {
            claim.check_space()?;
        }
        let data = Leftovers(beside(claim.loading(), DATA));
        data.remove();
        let mut loader = Self {
            connection: None,
            filling: false,
            data,
            claim,
        };
        let connection = Shared::open(library, &loader.data.0, Access::ReadWrite)
            .map_err(|text| Failure::new(FailureKind::Other, text))
            .and_then(Connection::new)
            .map_err(|failure| loader.fault(&failure))?;
        loader.connection = Some(connection);
        Ok(Some(loader))
    }

    /// Runs a statement such as CREATE INDEX.
    pub(super) fn execute(&mut self, sql: &str) -> Result<(), JobError> {
        self.filled()?;
        self.run(sql)
    }

    /// Creates a table, whose rows follow.
    pub(super) fn create(&mut self, sql: &str) -> Result<(), JobError> {
        self.filled()?;
        self.run("BEGIN TRANSACTION")?;
        self.filling = true;
        self.run(sql)
    }

    /// Appends rows to `table`: `rows` hands them to the appender.
    pub(super) fn append(
        &mut self,
        table: &str,
        rows: impl FnOnce(&mut Appender<'_>) -> Result<(), Failure>,
    ) -> Result<(), JobError> {
        let append = |connection: &mut Connection| {
            let mut appender = Appender::new(connection, table)?;
            rows(&mut appender)?;
            appender.close()
        };
        append(self.connection()?).map_err(|failure| self.fault(&failure))
    }

    /// Puts the complete database on disk and gives it its name.
    pub(super) fn finish(mut self) -> Result<(), JobError> {
        self.execute("CHECKPOINT")?;
        self.connection = None;
        self.claim.finish(&self.data.0)
    }

    /// Commits the table that was filled last.
    fn filled(&mut self) -> Result<(), JobError> {
        if std::mem::take(&mut self.filling) {
            self.run("COMMIT")?;
        }
        Ok(())
    }

    fn run(&mut self, sql: &str) -> Result<(), JobError> {
        let outcome = self.connection()?.query(sql).map(drop);
        outcome.map_err(|failure| self.fault(&failure))
    }

    fn connection(&mut self) -> Result<&mut Connection, JobError> {
        self.connection
            .as_mut()
            .ok_or_else(|| JobError::new("loading has already ended"))
    }

    fn fault(&self, failure: &Failure) -> JobError {
        if disk_full(&failure.reason.text) {
            return self.claim.disk_full();
        }
        JobError::new(format!(
            "cannot load {}: {}",
            self.claim.path().display(),
            failure.reason
        ))
    }
}

/// Removes what an interrupted load of the database at `path` left.
pub(super) fn discard_interrupted(path: &Path) -> Result<(), JobError> {
    if let Some(loading) = embedded::discard_interrupted(path)? {
        Leftovers(beside(&loading, DATA)).remove();
    }
    Ok(())
}

/// The file that is loaded, and its log, which must not outlive the load.
struct Leftovers(PathBuf);

impl Leftovers {
    fn remove(&self) {
        for file in [beside(&self.0, LOG), self.0.clone()] {
            let _ = fs::remove_file(file);
        }
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        self.remove();
    }
}
