//! `scan` (table scans v1): how fast an engine reads all records of a table.
//!
//! Four tables of equal size with records from 19 to 8,232 bytes; a transaction scans one of them
//! with one predicate and checks the answer, which the generator knows. Records and bytes are those
//! of the table; bytes are nominal, so that MB/s can be compared with the published figures
//! whatever an engine makes of them.

mod cache;
mod cpu;
mod engine;
mod generate;
mod params;
mod predicate;
mod schema;
mod server;
mod table;
mod user;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use igen_engine::{Failure, ProgressReporter, Rate, Setup, UserContext, Workload};
use igen_job::{Fact, JobError, Placement, Seconds, facts};
use igen_sql::content::{Content, Found};
use igen_sql::database::{self, Database};
use serde_json::json;
use tokio::sync::OnceCell;

pub use params::Params;
pub use predicate::Predicate;
pub use table::Name;
pub use user::ScanUser;

use cpu::Meter;
use engine::{Caching, Engine};
use generate::Generator;
use user::Question;

const TARGET_FIELD: &str = "targets[0]";

/// Table scans.
pub struct Scan {
    params: Params,
    setup: Setup,
    engine: Arc<Engine>,
    question: OnceLock<Arc<Question>>,
    meter: OnceCell<Result<Arc<Meter>, String>>,
    caching: OnceLock<Caching>,
    /// Whether the table was scanned once, so that the first measured scan is as warm as the others.
    warm: OnceCell<()>,
    /// Seconds that the load took; absent if the tables were there.
    load_s: OnceLock<f64>,
}

impl Workload for Scan {
    const NAME: &'static str = "scan";
    const SUMMARY: &'static str = "scans a table with a predicate: records and bytes per second";
    const VERSION: u32 = 1;
    const TRANSACTIONS: &'static str = "scans";
    const OPERATIONS: &'static [&'static str] = user::OPERATIONS;
    const COUNTERS: &'static [&'static str] = user::COUNTERS;
    const RATES: &'static [Rate] = &[
        Rate {
            name: "records_per_ms",
            counter: "records",
            operations: &["scan"],
        },
        Rate {
            name: "bytes_per_ms",
            counter: "bytes",
            operations: &["scan"],
        },
    ];
    const TARGETS: &'static [&'static str] = database::SCHEMES;
    const DEFAULT_TARGET: Option<&'static str> = Some("duckdb:///igen-scan.duckdb");
    const PREPARES: bool = true;
    const PLACEMENT: Placement = Placement::THREADS;

    type Params = Params;
    type User = ScanUser;

    fn new(mut params: Params, setup: Setup) -> Result<Self, JobError> {
        let [target] = setup.targets.as_slice() else {
            return Err(
                JobError::at("targets", "scan supports only one target").hint("give one target")
            );
        };
        if !Database::blocks(target) {
            // A scan may take hours.
            let limit = &mut params.settings.statement_timeout_s;
            limit.get_or_insert(Seconds(0.0));
        }
        let database = Database::of(target, TARGET_FIELD, &params.settings, setup.credentials)?;
        params.check(setup.users, database.engine())?;
        let threads = params.threads;
        Ok(Self {
            params,
            setup,
            engine: Arc::new(Engine { database, threads }),
            question: OnceLock::new(),
            meter: OnceCell::new(),
            caching: OnceLock::new(),
            warm: OnceCell::new(),
            load_s: OnceLock::new(),
        })
    }

    async fn prepare(&self, progress: &ProgressReporter) -> Result<(), JobError> {
        let content = self.content();
        let database = &self.engine.database;
        if database.look(&content).await.map_err(about_target)? == Found::Nothing {
            let start = Instant::now();
            let loaded = database.load(&content, self.setup.force, progress).await;
            loaded.map_err(about_target)?;
            let _ = self.load_s.set(start.elapsed().as_secs_f64());
        }
        self.verify(false).await
    }

    async fn verify(&self, _after: bool) -> Result<(), JobError> {
        let content = self.content();
        let verified = self.engine.database.verify(self.target(), &content);
        verified.await.map_err(about_target)
    }

    async fn facts(&self) -> Vec<Fact> {
        let question = self.question();
        let caching = self.caching();
        let mut found = vec![
            facts::SCAN_TABLE.is(json!(self.params.table)),
            facts::SCAN_PREDICATE.is(json!(self.params.predicate)),
            facts::SCAN_SQL.is(question.sql.clone()),
            facts::SCAN_RECORDS.is(question.records),
            facts::SCAN_ZEROS.is(question.counts.zeros),
            facts::SCAN_RECORD_BYTES.is(self.params.table.record_bytes()),
            facts::SCAN_CACHE.is(caching.state),
            facts::SCAN_CACHE_REASON.is(caching.reason.clone()),
            facts::SCAN_CPU.is(self.cpu_text().await),
        ];
        if let Some(&load_s) = self.load_s.get() {
            let content = self.content();
            let rows = content.rows() as f64;
            let bytes: u64 = self
                .params
                .tables
                .iter()
                .map(|name| self.bytes(*name))
                .sum();
            found.push(facts::SCAN_LOAD_S.is(load_s));
            found.push(facts::SCAN_LOAD_ROWS.is((rows / load_s).round()));
            found.push(facts::SCAN_LOAD_MB.is((bytes as f64 / load_s / 1e6).round()));
        }
        if let Ok(mut session) = self.engine.session().await {
            if let Some(threads) = self.engine.parallelism(&mut session).await {
                found.push(facts::SCAN_THREADS.is(threads));
            }
            drop(session);
        }
        found.extend(self.engine.database.facts().await);
        found
    }

    async fn user(&self, _context: UserContext) -> Result<ScanUser, Failure> {
        let question = self.question();
        let mut session = self.engine.session().await?;
        let cache = self.caching().cache.clone();
        if cache.is_none() {
            self.warm
                .get_or_try_init(|| question.ask(&mut session))
                .await?;
        }
        let meter = self.meter().await.as_ref().ok().map(Arc::clone);
        Ok(ScanUser {
            engine: Arc::clone(&self.engine),
            question,
            meter,
            cache,
            session: Some(session),
        })
    }

    async fn cleanup(&self) -> Result<(), JobError> {
        let removed = self.engine.database.remove(&self.content()).await;
        removed.map_err(about_target)
    }
}

impl Scan {
    fn target(&self) -> &str {
        &self.setup.targets[0]
    }

    fn content(&self) -> Content<'static> {
        schema::content(
            Self::NAME,
            self.setup.seed,
            &self.params.tables,
            self.params.size_bytes.0,
        )
    }

    fn bytes(&self, name: Name) -> u64 {
        name.rows(self.params.size_bytes.0) * name.record_bytes()
    }

    /// What is asked; the first call counts what the answer must be.
    fn question(&self) -> Arc<Question> {
        let question = self.question.get_or_init(|| {
            let Params {
                table, predicate, ..
            } = self.params;
            let records = table.rows(self.params.size_bytes.0);
            Arc::new(Question {
                predicate,
                sql: predicate.sql(table),
                records,
                bytes: self.bytes(table),
                counts: Generator::new(self.setup.seed, table).counts(records),
            })
        });
        Arc::clone(question)
    }

    /// Found once, while no user has the database open.
    fn caching(&self) -> &Caching {
        self.caching
            .get_or_init(|| self.engine.caching(self.params.cold))
    }

    async fn meter(&self) -> &Result<Arc<Meter>, String> {
        let find = || async {
            let session = self.engine.session().await;
            let mut session = session.map_err(|failure| failure.reason.text.into_owned())?;
            let source = server::cpu_source(self.engine.database.engine(), &mut session).await?;
            Ok(Arc::new(Meter::new(source)))
        };
        self.meter.get_or_init(find).await
    }

    async fn cpu_text(&self) -> String {
        match self.meter().await {
            Err(why) => format!("not measured: {why}"),
            Ok(_) if Database::blocks(self.target()) => {
                "of this process, in which the engine runs".to_owned()
            }
            Ok(_) => "of the server and its workers".to_owned(),
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
