//! `oltp` (iGenOLTP v1): order entry. N customers with ten orders each; a transaction reads a
//! customer, its orders and its newest order in detail, reads another customer, inserts an order
//! and deletes the oldest one, so that the size stays constant: 13 rows read to 2 written.

mod generate;
mod keys;
mod load;
mod params;
mod schema;
mod statements;
mod user;
mod verify;
mod words;
mod zipf;

use std::path::PathBuf;
use std::sync::OnceLock;

use igen_drivers::sqlite::{self, FileIdentity, Session, Settings};
use igen_engine::{Failure, Progress, Setup, UserContext, Workload};
use igen_job::{JobError, Placement};
use serde_json::Value;

pub use params::{Distribution, Mode, Params};
pub use user::OltpUser;

use generate::Generator;
use keys::Chooser;

/// Orders of each customer.
const ORDERS_PER_CUSTOMER: u32 = 10;
/// Where an error about the target is.
const TARGET_FIELD: &str = "targets[0]";

/// Order entry on SQLite.
pub struct Oltp {
    params: Params,
    setup: Setup,
    path: PathBuf,
    /// The file that all users open.
    file: OnceLock<Option<FileIdentity>>,
}

impl Workload for Oltp {
    const NAME: &'static str = "oltp";
    const SUMMARY: &'static str =
        "order entry: four selects, an insert and a delete in one transaction";
    const VERSION: u32 = 1;
    const OPERATIONS: &'static [&'static str] = statements::OPERATIONS;
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    const TARGETS: &'static [&'static str] = &[sqlite::SCHEME];
    const DEFAULT_TARGET: Option<&'static str> = Some("sqlite:///igen-oltp.sqlite");
    const PLACEMENT: Placement = Placement::Thread { pin: false };

    type Params = Params;
    type User = OltpUser;

    fn new(params: Params, setup: Setup) -> Result<Self, JobError> {
        params.check()?;
        let [target] = setup.targets.as_slice() else {
            return Err(
                JobError::at("targets", "one database is loaded and measured at a time")
                    .hint("give one target"),
            );
        };
        let path = sqlite::path_of(target, TARGET_FIELD)?;
        Ok(Self {
            params,
            setup,
            path,
            file: OnceLock::new(),
        })
    }

    async fn prepare(&self, progress: &Progress) -> Result<(), JobError> {
        self.load_if_missing(progress).await.map_err(about_target)
    }

    async fn verify(&self, after: bool) -> Result<(), JobError> {
        let file = if after {
            self.verify_same_file()
        } else {
            self.verify_file()
        };
        file.and_then(|()| self.verify_rows()).map_err(about_target)
    }

    fn facts(&self) -> Vec<(String, Value)> {
        let mut facts = vec![("oltp.transaction".to_owned(), self.boundaries().into())];
        if let Ok(session) = self.session(&[]) {
            for (name, value) in session.facts() {
                if let ("database_bytes", Some(bytes)) = (name, value.as_f64()) {
                    let per_customer = (bytes / f64::from(self.params.customers)).round();
                    facts.push(("oltp.bytes_per_customer".to_owned(), per_customer.into()));
                }
                facts.push((format!("target.sqlite.{name}"), value));
            }
        }
        facts
    }

    async fn user(&self, context: UserContext) -> Result<OltpUser, Failure> {
        let Some(file) = self.opened_file() else {
            return Err(Failure::lost("there is no database of iGen"));
        };
        let session = self.session(statements::STATEMENTS)?;
        if session.identity() != file {
            return Err(Failure::lost("the database file was removed or replaced"));
        }
        Ok(OltpUser::new(
            session,
            Chooser::new(&self.params, context.seed),
            &self.params,
        ))
    }

    async fn cleanup(&self) -> Result<(), JobError> {
        sqlite::remove(&self.path).map_err(about_target)
    }
}

impl Oltp {
    fn session(&self, statements: &'static [&'static str]) -> Result<Session, Failure> {
        let settings = Settings {
            synchronous: self.params.synchronous,
            cache_bytes: self.params.cache_bytes.0,
            busy_timeout: self.params.busy_timeout(),
        };
        Session::open(&self.path, settings, statements)
    }

    fn generator(&self) -> Generator {
        Generator::new(self.setup.seed, self.params.customers)
    }

    /// What one transaction is, for the report.
    fn boundaries(&self) -> &'static str {
        match (self.params.mode, self.params.read_only) {
            (Mode::Transaction, false) => {
                "one database transaction: BEGIN IMMEDIATE, six prepared statements, COMMIT \
                 (8 round trips, in process); the wait for SQLite's one writer, a look every 0.5 ms, is in BEGIN, \
                 which is part of the response time and of no operation"
            }
            (Mode::Transaction, true) => {
                "one read-only database transaction: BEGIN, four prepared selects, COMMIT \
                 (6 round trips, in process)"
            }
            (Mode::Autocommit, false) => {
                "six prepared statements, each a database transaction of its own \
                 (6 round trips, in process)"
            }
            (Mode::Autocommit, true) => {
                "four prepared selects, each a database transaction of its own \
                 (4 round trips, in process)"
            }
        }
    }
}

fn about_target(error: JobError) -> JobError {
    JobError {
        path: TARGET_FIELD.to_owned(),
        ..error
    }
}

#[cfg(test)]
mod tests;
