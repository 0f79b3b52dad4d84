//! A PostgreSQL server, as it sees itself.
//!
//! Reads ten times a second what each session of the target's database does or waits for
//! (`pg_stat_get_activity`), and `pg_locks` where one waits for a lock; with each reading the views of
//! `totals.rs` and the processor time, memory and I/O of the server's processes, where they run on this
//! host. The counters of log, checkpoints and I/O are the whole server's, the others the database's; the
//! server's own count of transactions less those of the monitor. A session reports its counts up to 1 s late,
//! many of them at the same moment, so they are read ten times a second and a reading is the mean of the last
//! second: differences between readings are right while the load is steady. Samples are sessions at moments: `wait_samples.running`
//! is a session on a processor or ready for one, `@lock:table t` names what the lock that is waited for
//! belongs to, `@statement:table t` the one table in the statement that waits for a page, because the server
//! does not report more. With each reading it lists the clients' sessions of the whole server. Active sessions
//! that iGen did not open are a fact, `sessions.others.PLACE`.
//! Resolution: 100 ms between samples, longer where the server takes longer than 9 ms to answer.
//! Overhead, measured with 16 sessions: 6 to 17 ms of processor time a second on the server, 2 ms in the agent.
//! Requirements: the target's user; sessions of other roles need `pg_monitor`. A version that has the
//! view; I/O of processes needs the right to trace them.

mod process;
mod recent;
mod sessions;
mod totals;

use std::time::Instant;

use igen_engine::{Failure, FailureKind};
use igen_sql::session::Session;

use crate::server::{Opened, Seen, Source, Totals, Waits};
use recent::Recent;

const SAMPLE: &str = "EXECUTE igen_sample";
const SESSIONS: &str = "EXECUTE igen_sessions";
const TOTALS: &str = "EXECUTE igen_totals";

pub(crate) struct Postgresql {
    session: Session,
    /// Object id of the database.
    database: u32,
    /// Counters of the last second.
    recent: Recent,
    /// Names of the tables of the database; read with the first sample, when they are all there.
    tables: Option<Vec<String>>,
    /// Each of the monitor's own statements is a transaction to the server.
    own_transactions: f64,
}

impl Source for Postgresql {
    const NAME: &'static str = "postgresql";

    async fn open(mut session: Session) -> Result<Opened<Self>, Failure> {
        let rows = session.query(process::IDENTITY).await?;
        let identity = rows.first().and_then(|row| process::Identity::of(row));
        let identity = identity.ok_or_else(|| {
            Failure::new(FailureKind::Other, "the server does not identify itself")
        })?;
        let views = session.query(totals::VIEWS).await?;
        // Planned once: that is most of what they cost.
        for (name, sql) in [
            ("igen_sample", sessions::sample_sql(&identity)),
            ("igen_totals", totals::sql(&views)),
            ("igen_sessions", sessions::CLIENTS.to_owned()),
        ] {
            session.query(&format!("PREPARE {name} AS {sql}")).await?;
        }
        Ok(Opened {
            pid: identity.server_pid(),
            source: Self {
                session,
                database: identity.database,
                recent: Recent::default(),
                tables: None,
                own_transactions: 0.0,
            },
            // It lists all of them, and hides what some of them do.
            lists_all: true,
            warning: None,
        })
    }

    async fn sessions(&mut self) -> Result<Vec<Seen>, Failure> {
        let rows = self.query(SESSIONS).await?;
        Ok(rows.iter().filter_map(|row| sessions::seen(row)).collect())
    }

    async fn sample(&mut self, waits: &mut Waits) -> Result<(), Failure> {
        if self.tables.is_none() {
            let rows = self.query(sessions::TABLES).await?;
            self.tables = Some(rows.into_iter().flatten().flatten().collect());
        }
        let rows = self.query(SAMPLE).await?;
        let sessions: Vec<_> = rows
            .iter()
            .filter_map(|row| sessions::Group::of(row))
            .collect();
        let locks = match sessions::locks_sql(self.database, &sessions) {
            Some(sql) => sessions::locks(&self.query(&sql).await?),
            None => Vec::new(),
        };
        let tables = self.tables.as_deref().unwrap_or_default();
        sessions::add(waits, &sessions, &locks, tables);
        Ok(())
    }

    async fn tick(&mut self) -> Result<(), Failure> {
        let mut totals = totals::of(&self.query(TOTALS).await?);
        if let Some(commits) = totals.counters.get_mut("commits") {
            *commits -= self.own_transactions;
        }
        self.recent.add(Instant::now(), totals);
        Ok(())
    }

    async fn totals(&mut self) -> Result<Totals, Failure> {
        self.tick().await?;
        Ok(self.recent.mean())
    }
}

impl Postgresql {
    async fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Failure> {
        self.own_transactions += 1.0;
        self.session.query(sql).await
    }
}
