//! A database file: what is in it, and connections to it.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use igen_engine::{Failure, FailureKind, ProgressReporter};
use igen_job::{Fact, JobError, facts};
use serde_json::Value;

use super::ffi::Library;
use super::library::library;
use super::load::Loader;
use super::session::Session;
use super::shared::Access;
use super::{SCHEME, file};
use crate::content::{Content, Found, WAITING};
use crate::embedded::{self, FileIdentity, metadata_of, path_of, select_metadata};
use crate::settings::Settings;

/// Time between two looks at a load by another process.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A database file, which need not be there yet.
pub struct Database {
    library: &'static Library,
    path: PathBuf,
    /// The file that was there when a session was first asked for.
    opened: OnceLock<Option<FileIdentity>>,
}

impl Database {
    /// Returns the database that `target` names; an error is about the field `field` of the job.
    pub fn of(target: &str, field: &str, _settings: &Settings) -> Result<Self, JobError> {
        Ok(Self {
            path: path_of(SCHEME, target, field)?,
            library: library().map_err(|error| error.about(field))?,
            opened: OnceLock::new(),
        })
    }

    /// Returns the content of the file. Fails if users have opened it and it was replaced since.
    pub fn look(&self, content: &Content<'_>) -> Result<Found, JobError> {
        if let Some(opened) = self.opened.get() {
            if FileIdentity::of(&self.path) != *opened {
                return Err(JobError::new(format!(
                    "{} was removed or replaced during the run",
                    self.path.display()
                ))
                .hint("do not use this result: run it again without replacing the file"));
            }
        } else {
            match file::look(&self.path)? {
                embedded::Found::Nothing => return Ok(Found::Nothing),
                embedded::Found::Foreign(what) => return Ok(Found::Foreign(what.to_owned())),
                embedded::Found::Igen => (),
            }
        }
        let mut session = match Session::open(self.library, &self.path, Access::ReadOnly, &[]) {
            Ok(session) => session,
            Err(failure) if failure.reason.text.contains("with version number") => {
                let foreign = "a database of a DuckDB release that this library cannot read";
                return Ok(Found::Foreign(foreign.to_owned()));
            }
            Err(failure) => return Err(self.error(&failure)),
        };
        let tables =
            session.query("SELECT 1 FROM duckdb_tables() WHERE table_name = 'igen_metadata'");
        if tables.map_err(|failure| self.error(&failure))?.is_empty() {
            let foreign = "a DuckDB database of another program";
            return Ok(Found::Foreign(foreign.to_owned()));
        }
        let rows = session
            .query(&select_metadata(content.workload))
            .map_err(|failure| self.error(&failure))?;
        Ok(match metadata_of(rows) {
            Some(metadata) => Found::Igen(metadata),
            None => Found::Foreign("a database of another workload or version".to_owned()),
        })
    }

    /// Creates the file and loads it, unless another process has done so meanwhile.
    pub async fn load(
        &self,
        content: &Content<'_>,
        force: bool,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        while !self.path.exists() {
            let loader = Loader::start(self.library, &self.path, content.bytes, force)?;
            if let Some(loader) = loader {
                return embedded::fill(loader, content, progress).await;
            }
            progress.report(WAITING, 0, 1, "databases");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    /// Connects; the first user opens the file, the last one closes it.
    pub fn session(&self, statements: &[&str]) -> Result<Session, Failure> {
        let file = self.opened.get_or_init(|| FileIdentity::of(&self.path));
        let Some(file) = *file else {
            return Err(Failure::anew(
                FailureKind::Other,
                "the file is not a database of iGen",
            ));
        };
        let session = Session::open(self.library, &self.path, Access::ReadWrite, statements)?;
        if session.identity() != file {
            return Err(Failure::anew(
                FailureKind::Other,
                "the database file was removed or replaced",
            ));
        }
        Ok(session)
    }

    /// Returns the file and its log.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone(), embedded::beside(&self.path, ".wal")]
    }

    /// Returns facts that a connection reports.
    pub fn facts(&self) -> Vec<Fact> {
        let mut found = vec![
            facts::TARGET_VERSION.of(SCHEME, self.library.version()),
            facts::TARGET_PLACEMENT.of(SCHEME, "in process, a connection for each user"),
        ];
        let session = Session::open(self.library, &self.path, Access::ReadOnly, &[]);
        let Ok(mut session) = session else {
            return found;
        };
        for (fact, sql) in [
            (&facts::DUCKDB_THREADS, "SELECT current_setting('threads')"),
            (
                &facts::DUCKDB_MEMORY_LIMIT,
                "SELECT current_setting('memory_limit')",
            ),
            (
                &facts::DUCKDB_BLOCK_BYTES,
                "SELECT block_size FROM pragma_database_size()",
            ),
        ] {
            let value = session
                .query(sql)
                .ok()
                .and_then(|mut rows| rows.pop()?.pop()?);
            found.extend(value.map(|value| {
                let number = value.parse::<u64>().map(Value::from);
                fact.is(number.unwrap_or_else(|_| value.into()))
            }));
        }
        if let Ok(metadata) = std::fs::metadata(&self.path) {
            found.push(facts::TARGET_DATABASE_BYTES.of(SCHEME, metadata.len()));
        }
        found
    }

    /// Removes the file, if it is iGen's.
    pub fn remove(&self, content: &Content<'_>) -> Result<(), JobError> {
        if let Found::Foreign(what) = self.look(content)? {
            return Err(JobError::new(format!(
                "{} is {what}, so it was not removed",
                self.path.display()
            )));
        }
        file::remove(&self.path)
    }

    fn error(&self, failure: &Failure) -> JobError {
        let reason = failure.reason.text.lines().next().unwrap_or_default();
        if reason.contains("Could not set lock") {
            return JobError::new(format!(
                "{} is in use by another process",
                self.path.display()
            ))
            .hint("wait until it has ended: DuckDB allows one process at a time");
        }
        JobError::new(format!("{}: {reason}", self.path.display()))
    }
}
