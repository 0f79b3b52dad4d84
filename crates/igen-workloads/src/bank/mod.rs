//! `bank` (`DebitCredit` v1): a transaction adds an amount to an account, to its teller and to its
//! branch, appends to the history and returns the account's new balance. 10 tellers and 10,000
//! accounts a branch; 15 % of the accounts belong to another branch than the teller's.
//!
//! Every transaction leaves its number in the history, so that after a run, and after a crash,
//! what was acknowledged can be compared with what is stored.
//!
//! Several targets are banks of their own; each user loads one of them.

mod boundaries;
mod generate;
mod journal;
mod keys;
mod params;
mod reconcile;
mod routine;
mod schema;
mod statements;
mod user;
mod verify;

use std::sync::{Arc, Mutex, PoisonError};

use igen_engine::{Failure, ProgressReporter, Setup, UserContext, Workload};
use igen_job::{Fact, JobError, Placement, facts};
use igen_sql::database::Database;
use igen_sql::server::{mysql, postgresql};
use igen_sql::{durability, sqlite};

pub use params::{Form, Params};
pub use user::BankUser;

use crate::conflict::Retries;
use crate::place::Place;
use generate::Generator;
use journal::Journals;
use keys::Chooser;
use reconcile::Reconciliation;

/// A bank in one or several databases.
pub struct Bank {
    params: Params,
    setup: Setup,
    generator: Generator,
    places: Vec<Place>,
    journals: Arc<Journals>,
    /// What the check after the load found.
    reconciled: Mutex<Option<Reconciliation>>,
}

impl Workload for Bank {
    const NAME: &'static str = "bank";
    const SUMMARY: &'static str =
        "DebitCredit: account, teller, branch and history in one small durable transaction";
    const VERSION: u32 = 1;
    const OPERATIONS: &'static [&'static str] = statements::OPERATIONS;
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    const TARGETS: &'static [&'static str] = &[sqlite::SCHEME, postgresql::SCHEME, mysql::SCHEME];
    const DEFAULT_TARGET: Option<&'static str> = Some("sqlite:///igen-bank.sqlite");
    const PREPARES: bool = true;
    const PLACEMENT: Placement = Placement::TASKS;

    type Params = Params;
    type User = BankUser;

    /// Calls of an embedded database block; those to a server are waited for.
    fn placement(targets: &[String]) -> Placement {
        if targets.iter().any(|target| Database::blocks(target)) {
            Placement::THREADS
        } else {
            Self::PLACEMENT
        }
    }

    fn new(params: Params, setup: Setup) -> Result<Self, JobError> {
        params.check(&setup.targets)?;
        let place = |(index, target): (usize, &String)| {
            Place::of(
                Self::NAME,
                index,
                target,
                &params.settings,
                setup.credentials,
            )
        };
        let places = setup.targets.iter().enumerate().map(place);
        Ok(Self {
            places: places.collect::<Result<_, JobError>>()?,
            generator: Generator::new(setup.seed, params.branches),
            journals: Arc::new(Journals::of_a_new_run()),
            reconciled: Mutex::new(None),
            params,
            setup,
        })
    }

    async fn prepare(&self, progress: &ProgressReporter) -> Result<(), JobError> {
        let content = schema::content(Self::NAME, self.generator);
        for place in &self.places {
            place.prepare(&content, self.setup.force, progress).await?;
            if self.params.form == Form::Procedure {
                routine::create(place).await?;
            }
        }
        Ok(())
    }

    async fn verify(&self, after: bool) -> Result<(), JobError> {
        let content = schema::content(Self::NAME, self.generator);
        let mut reconciled = Reconciliation::default();
        for (index, place) in self.places.iter().enumerate() {
            place.verify(&content).await?;
            verify::rows(place, self.generator).await?;
            if after {
                reconciled += reconcile::transactions(place, index, &self.journals).await?;
            }
        }
        if !after {
            return Ok(());
        }
        *self.lock_reconciled() = Some(reconciled);
        self.check_nothing_is_lost(reconciled.lost).await
    }

    async fn facts(&self) -> Vec<Fact> {
        let transaction = boundaries::text(&self.setup.targets[0], self.params.form);
        let mut found = vec![
            facts::BANK_TRANSACTION.is(transaction),
            facts::BANK_RUN.is(self.journals.run()),
        ];
        // Databases are alike, or should be: the first one speaks for all.
        let database = &self.places[0].database;
        let engine = database.engine();
        let said = database.facts().await;
        let durability = durability::of(engine, &said);
        // It sums up settings of the server that are facts themselves.
        found.push(facts::BANK_DURABILITY.is(durability.text));
        if engine == sqlite::SCHEME {
            found.push(facts::BANK_LOG.is(boundaries::SQLITE_LOG));
        }
        if let Some(bytes) = database.bytes_in(&said) {
            let per_account = (bytes / self.generator.accounts() as f64).round();
            found.push(facts::BANK_BYTES_PER_ACCOUNT.is(per_account));
        }
        found.extend(said);
        found
    }

    async fn facts_after(&self) -> Vec<Fact> {
        let reconciled = *self.lock_reconciled();
        reconciled.map_or_else(Vec::new, |reconciled| reconciled.facts().to_vec())
    }

    async fn user(&self, context: UserContext) -> Result<BankUser, Failure> {
        let database = &self.places[context.target].database;
        let mut session = database
            .session(statements::of_form(self.params.form))
            .await?;
        session.join_ring()?;
        Ok(BankUser::new(
            session,
            Chooser::new(self.params.branches, context.seed),
            Retries::new(&self.params.retry, context.seed),
            self.params.form,
            self.journals.writer(context.target),
        ))
    }

    async fn cleanup(&self) -> Result<(), JobError> {
        let content = schema::content(Self::NAME, self.generator);
        for place in &self.places {
            routine::remove(place).await?;
            let removed = place.database.remove(&content).await;
            removed.map_err(|error| place.about(error))?;
        }
        Ok(())
    }
}

impl Bank {
    /// A durable database has lost no transaction that it acknowledged; another one may have, which
    /// the facts tell.
    async fn check_nothing_is_lost(&self, lost: i64) -> Result<(), JobError> {
        if lost == 0 {
            return Ok(());
        }
        let place = &self.places[0];
        let durability = durability::of(place.database.engine(), &place.database.facts().await);
        if !durability.durable {
            return Ok(());
        }
        Err(place.about(
            JobError::new(format!("{lost} acknowledged transactions are missing in the database")).hint(format!(
                "the settings of the server are durable ({}): check the disk, and if another client changed the \
                 database during the run",
                durability.text
            )),
        ))
    }

    fn lock_reconciled(&self) -> std::sync::MutexGuard<'_, Option<Reconciliation>> {
        self.reconciled
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
