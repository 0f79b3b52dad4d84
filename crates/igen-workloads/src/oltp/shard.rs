//! A shard: one database and the range of customers that it holds.

use igen_engine::ProgressReporter;
use igen_job::JobError;
use igen_sql::content::{Content, Found};

use super::generate::Generator;
use super::schema::{FIRST_CUSTOMER, content};
use crate::place::Place;

/// One database and the range of customers that it holds. With one target, all of them.
pub(super) struct Shard {
    pub(super) place: Place,
    pub(super) generator: Generator,
}

impl Shard {
    pub(super) fn new(place: Place, generator: Generator) -> Self {
        Self { place, generator }
    }

    pub(super) fn content(&self) -> Content<'static> {
        content(self.place.workload, self.generator)
    }

    /// Loads the shard unless it is there.
    pub(super) async fn prepare(
        &self,
        force: bool,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        self.in_place().await?;
        self.place.prepare(&self.content(), force, progress).await
    }

    /// Checks that the shard is there and is the one that belongs at this place of the list.
    pub(super) async fn verify_content(&self) -> Result<(), JobError> {
        self.in_place().await?;
        self.place.verify(&self.content()).await
    }

    /// Checks that no other shard is in this one's place.
    async fn in_place(&self) -> Result<(), JobError> {
        let found = self.place.database.look(&self.content()).await;
        let misplaced = match found.map_err(|error| self.place.about(error))? {
            Found::Igen(found) => self.misplaced(found.get(FIRST_CUSTOMER).copied()),
            _ => None,
        };
        misplaced.map_or(Ok(()), |error| Err(self.place.about(error)))
    }

    fn misplaced(&self, first: Option<i64>) -> Option<JobError> {
        let expected = self.generator.first_customer();
        let first = first.filter(|first| *first != expected)?;
        let error = JobError::new(format!(
            "{} has the customers from {first} on instead of the customers from {expected} on",
            self.place.target
        ));
        Some(error.hint(
            "list the targets in the order in which they were loaded: a shard is missing, listed twice or in the \
             wrong place",
        ))
    }
}
