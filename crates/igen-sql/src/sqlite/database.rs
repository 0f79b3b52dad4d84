//! A database file: what is in it, and connections to it.

use std::path::PathBuf;
use std::sync::OnceLock;

use igen_engine::{Failure, FailureKind, ProgressReporter};
use igen_job::{Fact, JobError};

use super::file;
use super::load::Loader;
use super::session::Session;
use crate::content::{Content, Found, WAITING};
use crate::embedded::{self, FileIdentity, metadata_of, path_of, select_metadata};
use crate::settings::Settings;

/// Time between two looks at a load by another process.
const LOOK_EVERY: std::time::Duration = std::time::Duration::from_millis(100);

/// A database file, which need not be there yet.
pub struct Database {
    path: PathBuf,
    settings: Settings,
    /// iGen's file that was there when a session was first asked for.
    opened: OnceLock<Option<FileIdentity>>,
}

impl Database {
    /// Returns the database that `target` names; an error is about the field `field` of the job.
    pub fn of(target: &str, field: &str, settings: &Settings) -> Result<Self, JobError> {
        Ok(Self {
            path: path_of(super::SCHEME, target, field)?,
            settings: settings.clone(),
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
        let rows = self
            .open(&[])
            .and_then(|session| session.query(&select_metadata(content.workload)));
        let metadata = match rows {
            Ok(rows) => metadata_of(rows),
            // Of a version that kept them otherwise.
            Err(failure) if failure.reason.text.contains("no such column") => None,
            Err(failure) => {
                let text = format!("{}: {}", self.path.display(), failure.reason);
                return Err(JobError::new(text));
            }
        };
        Ok(match metadata {
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
        while file::look(&self.path)? == embedded::Found::Nothing {
            if let Some(loader) = Loader::start(&self.path, content.bytes, force)? {
                return embedded::fill(loader, content, progress).await;
            }
            progress.report(WAITING, 0, 1, "databases");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    /// Opens the file.
    pub fn session(&self, statements: &'static [&'static str]) -> Result<Session, Failure> {
        let file = self.opened.get_or_init(|| match file::look(&self.path) {
            Ok(embedded::Found::Igen) => FileIdentity::of(&self.path),
            _ => None,
        });
        let Some(file) = *file else {
            return Err(Failure::anew(
                FailureKind::Other,
                "the file is not a database of iGen",
            ));
        };
        let session = self.open(statements)?;
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
        vec![self.path.clone(), embedded::beside(&self.path, "-wal")]
    }

    /// Returns facts that a connection reports.
    pub fn facts(&self) -> Vec<Fact> {
        let facts = self.open(&[]).map(|session| session.facts());
        facts.unwrap_or_default()
    }

    /// Removes the file, if it is iGen's.
    pub fn remove(&self, _content: &Content<'_>) -> Result<(), JobError> {
        file::remove(&self.path)
    }

    fn open(&self, statements: &'static [&'static str]) -> Result<Session, Failure> {
        Session::open(&self.path, &self.settings, statements)
    }
}
