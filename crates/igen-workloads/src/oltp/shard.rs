//! A shard: one database and the range of customers that it holds.

use igen_drivers::database::Database;
use igen_drivers::table::{Content, Found};
use igen_engine::{Failure, Progress};
use igen_job::JobError;

use super::generate::Generator;
use super::schema::{FIRST_CUSTOMER, content};

/// One database and the range of customers that it holds. With one target, all of them.
pub(super) struct Shard {
    pub(super) target: String,
    /// `targets[0]`, for errors.
    pub(super) field: String,
    pub(super) database: Database,
    pub(super) generator: Generator,
    workload: &'static str,
}

impl Shard {
    pub(super) fn new(
        workload: &'static str,
        target: &str,
        field: String,
        database: Database,
        generator: Generator,
    ) -> Self {
        Self {
            target: target.to_owned(),
            field,
            database,
            generator,
            workload,
        }
    }

    pub(super) fn content(&self) -> Content<'static> {
        content(self.workload, self.generator)
    }

    /// Loads the shard unless it is there.
    pub(super) async fn prepare(&self, force: bool, progress: &Progress) -> Result<(), JobError> {
        self.in_place().await?;
        let content = self.content();
        let prepared = self
            .database
            .prepare(&self.target, &content, force, progress);
        prepared.await.map_err(|error| self.about(error))
    }

    /// Checks that the shard is there and is the one that belongs at this place of the list.
    pub(super) async fn verify_content(&self) -> Result<(), JobError> {
        self.in_place().await?;
        let content = self.content();
        let verified = self.database.verify(&self.target, &content);
        verified.await.map_err(|error| self.about(error))
    }

    /// Checks that no other shard is in this one's place.
    async fn in_place(&self) -> Result<(), JobError> {
        let found = self.database.look(&self.content()).await;
        let misplaced = match found.map_err(|error| self.about(error))? {
            Found::Igen(found) => self.misplaced(found.get(FIRST_CUSTOMER).copied()),
            _ => None,
        };
        misplaced.map_or(Ok(()), |error| Err(self.about(error)))
    }

    fn misplaced(&self, first: Option<i64>) -> Option<JobError> {
        let expected = self.generator.first_customer();
        let first = first.filter(|first| *first != expected)?;
        let error = JobError::new(format!(
            "{} holds the customers from {first} on, where those from {expected} on belong",
            self.target
        ));
        Some(error.hint(
            "a shard is missing, twice there or out of order: name the targets in the order in which \
             they were loaded",
        ))
    }

    /// A failure that tells of this shard's database.
    pub(super) fn fault(&self, failure: &Failure) -> JobError {
        self.wrong(&failure.reason)
    }

    /// The rows are not as they should be.
    pub(super) fn wrong(&self, text: &str) -> JobError {
        self.about(
            JobError::new(format!("{}: {text}", self.target)).hint(format!(
                "remove it with `igen cleanup {} --target {}` and load it again",
                self.workload, self.target
            )),
        )
    }

    pub(super) fn about(&self, error: JobError) -> JobError {
        JobError {
            path: self.field.clone(),
            ..error
        }
    }
}
