//! One of a job's targets: a database, and what it is called in errors.

use igen_engine::{Failure, ProgressReporter};
use igen_job::{Credentials, JobError};
use igen_sql::content::Content;
use igen_sql::database::Database;
use igen_sql::settings::Settings;

/// One of a job's targets.
pub(crate) struct Place {
    /// The workload that loads it.
    pub(crate) workload: &'static str,
    pub(crate) target: String,
    /// `targets[0]`, for errors.
    field: String,
    pub(crate) database: Database,
}

impl Place {
    /// The target of number `index` of the job.
    pub(crate) fn of(
        workload: &'static str,
        index: usize,
        target: &str,
        settings: &Settings,
        credentials: Credentials,
    ) -> Result<Self, JobError> {
        let field = format!("targets[{index}]");
        Ok(Self {
            workload,
            target: target.to_owned(),
            database: Database::of(target, &field, settings, credentials)?,
            field,
        })
    }

    /// Loads `content` unless it is there.
    pub(crate) async fn prepare(
        &self,
        content: &Content<'_>,
        force: bool,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        let prepared = self
            .database
            .prepare(&self.target, content, force, progress);
        prepared.await.map_err(|error| self.about(error))
    }

    /// Checks that `content` is there and was loaded with the same figures.
    pub(crate) async fn verify(&self, content: &Content<'_>) -> Result<(), JobError> {
        let verified = self.database.verify(&self.target, content);
        verified.await.map_err(|error| self.about(error))
    }

    /// The error of a check that did not come to its end. It says nothing against the rows, so its remedy leaves them alone.
    pub(crate) fn unchecked(&self, failure: &Failure) -> JobError {
        self.about(
            JobError::new(format!(
                "{}: cannot check the data: {}",
                self.target, failure.reason
            ))
            .hint(format!(
                "the data may be correct: make sure that the database answers, then run `igen data verify {} \
                 --target {}`",
                self.workload, self.target
            )),
        )
    }

    /// The error of rows that are not as they should be.
    pub(crate) fn wrong(&self, text: &str) -> JobError {
        self.about(
            JobError::new(format!("{}: {text}", self.target)).hint(format!(
                "if another client writes to it, stop that client; then remove the data with `igen data cleanup {} \
                 --target {}` and load them again",
                self.workload, self.target
            )),
        )
    }

    /// An error about this target.
    pub(crate) fn about(&self, error: JobError) -> JobError {
        JobError {
            path: self.field.clone(),
            ..error
        }
    }
}
