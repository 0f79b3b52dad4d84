//! `oltp` (iGenOLTP v1): order entry. N customers with ten orders each; a transaction reads a
//! customer, its orders and its newest order in detail, reads another customer, inserts an order
//! and deletes the oldest one, so that the size stays constant: 13 rows read to 2 written.
//!
//! Several targets are shards by customer range: each holds as many customers, and each user loads
//! one of them.

mod boundaries;
mod generate;
mod keys;
mod params;
mod schema;
mod shard;
mod statements;
mod user;
mod verify;

use igen_engine::{Failure, ProgressReporter, Setup, UserContext, Workload};
use igen_job::{Fact, JobError, Placement, facts};
use igen_sql::database::{self, Database};

pub use params::{KeyDistribution, Mode, Params};
pub use user::OltpUser;

use crate::conflict::Retries;
use crate::place::Place;
use generate::Generator;
use keys::Chooser;
use shard::Shard;

/// Order entry on one or several databases.
pub struct Oltp {
    params: Params,
    setup: Setup,
    shards: Vec<Shard>,
}

impl Workload for Oltp {
    const NAME: &'static str = "oltp";
    const SUMMARY: &'static str =
        "order entry: four selects, an insert and a delete in one transaction";
    const VERSION: u32 = 1;
    const OPERATIONS: &'static [&'static str] = statements::OPERATIONS;
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    const TARGETS: &'static [&'static str] = database::SCHEMES;
    const DEFAULT_TARGET: Option<&'static str> = Some("sqlite:///igen-oltp.sqlite");
    const PREPARES: bool = true;
    const PLACEMENT: Placement = Placement::TASKS;

    type Params = Params;
    type User = OltpUser;

    /// Calls of an embedded database block; those to a server are waited for, so that a few threads
    /// carry all connections.
    fn placement(targets: &[String]) -> Placement {
        if targets.iter().any(|target| Database::blocks(target)) {
            Placement::THREADS
        } else {
            Self::PLACEMENT
        }
    }

    fn new(params: Params, setup: Setup) -> Result<Self, JobError> {
        params.check(setup.targets.len())?;
        let shard = |(index, target): (usize, &String)| {
            let place = Place::of(
                Self::NAME,
                index,
                target,
                &params.settings,
                setup.credentials,
            )?;
            let generator = Generator::new(setup.seed, params.customers, index);
            Ok(Shard::new(place, generator))
        };
        let shards = setup.targets.iter().enumerate().map(shard);
        Ok(Self {
            shards: shards.collect::<Result<_, JobError>>()?,
            params,
            setup,
        })
    }

    async fn prepare(&self, progress: &ProgressReporter) -> Result<(), JobError> {
        for shard in &self.shards {
            shard.prepare(self.setup.force, progress).await?;
        }
        Ok(())
    }

    async fn verify(&self, _after: bool) -> Result<(), JobError> {
        let shards = u32::try_from(self.shards.len()).unwrap_or(u32::MAX);
        let users = self.setup.users.div_ceil(shards);
        for shard in &self.shards {
            shard.verify_content().await?;
            shard.verify_rows(users).await?;
        }
        Ok(())
    }

    async fn facts(&self) -> Vec<Fact> {
        let transaction = boundaries::text(&self.setup.targets[0], &self.params);
        let mut found = vec![facts::OLTP_TRANSACTION.is(transaction)];
        if self.shards.len() > 1 {
            found.push(facts::OLTP_SHARDS.is(self.shards.len()));
        }
        // Shards are alike, or should be: the first one speaks for all.
        let database = &self.shards[0].place.database;
        let said = database.facts().await;
        if let Some(bytes) = database.bytes_in(&said) {
            let per_customer = (bytes / f64::from(self.params.customers)).round();
            found.push(facts::OLTP_BYTES_PER_CUSTOMER.is(per_customer));
        }
        found.extend(said);
        found
    }

    async fn user(&self, context: UserContext) -> Result<OltpUser, Failure> {
        let shard = &self.shards[context.target];
        let mut session = shard.place.database.session(statements::STATEMENTS).await?;
        session.join_ring()?;
        let first = shard.generator.first_customer();
        Ok(OltpUser::new(
            session,
            Chooser::new(&self.params, first, context.seed),
            Retries::new(&self.params.retry, context.seed),
            &self.params,
        ))
    }

    async fn cleanup(&self) -> Result<(), JobError> {
        for shard in &self.shards {
            let removed = shard.place.database.remove(&shard.content()).await;
            removed.map_err(|error| shard.place.about(error))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
