//! The database that is scanned: connections with the degree of parallelism asked for, and what can
//! be dropped of its caches.

use igen_engine::Failure;
use igen_sql::database::Database;
use igen_sql::session::Session;

use super::cache::Cache;

/// Share of the files' pages that may stay in memory in a cold scan.
const COLD_FRACTION: f64 = 0.02;

/// A database and how it is scanned.
pub(super) struct Engine {
    pub(super) database: Database,
    pub(super) threads: Option<u32>,
}

/// What precedes each scan, and what is dropped for that.
pub(super) struct Caching {
    /// The state of the cache: warm, cold, or cold in part.
    pub(super) state: &'static str,
    /// The reason for it, for people.
    pub(super) reason: String,
    pub(super) cache: Option<Cache>,
}

impl Engine {
    /// Connects.
    pub(super) async fn session(&self) -> Result<Session, Failure> {
        let mut session = self.database.session(&[]).await?;
        if let Some(sql) = self.threads.and_then(|threads| self.set_threads(threads)) {
            session.query(&sql).await?;
        }
        Ok(session)
    }

    fn set_threads(&self, threads: u32) -> Option<String> {
        match self.database.engine() {
            "duckdb" => Some(format!("SET threads = {threads}")),
            // The process that serves the connection scans too.
            "postgresql" => Some(format!(
                "SET max_parallel_workers_per_gather = {}",
                threads.saturating_sub(1)
            )),
            _ => None,
        }
    }

    /// How many threads or processes scan at most, as the engine says.
    pub(super) async fn parallelism(&self, session: &mut Session) -> Option<i64> {
        let sql = match self.database.engine() {
            "duckdb" => "SELECT current_setting('threads')::bigint",
            "postgresql" => "SELECT current_setting('max_parallel_workers_per_gather')::int + 1",
            _ => return Some(1),
        };
        session.integers(sql).await.ok()??.first().copied()
    }

    /// What a cold scan can be, found by trying; a warm one needs nothing.
    pub(super) fn caching(&self, cold: bool) -> Caching {
        let files = self.database.files();
        let warm = |reason: &str| Caching {
            state: "warm",
            reason: reason.to_owned(),
            cache: None,
        };
        if !cold {
            return warm("the table is scanned once before the first measured scan");
        }
        let embedded = !files.is_empty();
        let cache = if embedded {
            Cache::Files(files)
        } else {
            Cache::Machine
        };
        let dropped = cache
            .drop()
            .and_then(|()| cache.resident_fraction())
            .and_then(|fraction| cache.drop().map(|()| fraction));
        let (state, reason) = match dropped {
            Err(error) if embedded => {
                return warm(&format!("cannot drop the page cache: {error}"));
            }
            Err(error) => {
                return warm(&format!(
                    "the page cache cannot be dropped, which takes root on the server's \
                     machine: {error}"
                ));
            }
            Ok(fraction) if fraction > COLD_FRACTION => {
                return warm(&format!(
                    "{:.0} % of the database stays in memory even after dropping the page cache",
                    100.0 * fraction
                ));
            }
            Ok(_) if embedded => (
                "cold",
                "before each scan the database is closed, its files are dropped from the page cache, \
                 and it is opened again",
            ),
            Ok(_) => (
                "cold in part",
                "before each scan the page cache of this machine is dropped, but not the cache of the server: \
                 that needs a restart of the server",
            ),
        };
        Caching {
            state,
            reason: reason.to_owned(),
            cache: Some(cache),
        }
    }
}
