//! A MariaDB or MySQL server, as it sees itself.
//!
//! Reads `SHOW GLOBAL STATUS` with each reading: these counters are the whole server's. Ten times a second
//! it looks at what each session of the target's database does: in `performance_schema` where that is on and
//! its consumer `events_waits_current` too, else in `information_schema.PROCESSLIST`, whose states name a
//! step of the statement and no wait (`state.Commit` is the commit with the flush of the log); in both cases
//! `INNODB_TRX` and the locks tell which table and index a session waits for. `log_flushes` is
//! `Innodb_os_log_fsyncs` or, where there is none (MariaDB 10.8 and later), `Innodb_data_fsyncs`, which counts
//! the data files' too. Where the server runs on this host: processor time, memory and I/O of its process.
//! With each reading it lists the sessions of the whole server: those that are not iGen's and did something are a
//! fact, `sessions.others.PLACE`.
//! Resolution: 100 ms between samples, longer where the server takes longer than 9 ms to answer; InnoDB's
//! tables of transactions and locks are renewed every 100 ms.
//! Overhead, measured with 16 sessions: 6 ms of processor time a second on the server, 1 ms in the agent.
//! Requirements: `GRANT PROCESS` for locks, for transactions that wait for their client, and for sessions of
//! other users. For the process a file of its id that may be read.

mod clients;
mod process;
mod sessions;
mod status;
mod waits;

use igen_engine::Failure;
use igen_job::JobError;
use igen_sql::session::Session;

use crate::server::{Opened, Seen, Source, Totals, Waits};

pub(crate) struct Mysql {
    session: Session,
    sample_sql: String,
    sessions_sql: String,
    /// The samples come from the performance schema.
    instrumented: bool,
}

impl Source for Mysql {
    const NAME: &'static str = "mysql";

    async fn open(mut session: Session) -> Result<Opened<Self>, Failure> {
        let rows = session.query(process::IDENTITY).await?;
        let pid = rows.first().and_then(|row| process::server_pid(row));
        // Where something may not be read, the error is the answer.
        let mut allowed = async |sql| session.query(sql).await.is_ok_and(|rows| !rows.is_empty());
        let transactions = allowed(sessions::MAY_READ_TRANSACTIONS).await;
        let locks = if !transactions {
            None
        } else if allowed(sessions::HAS_INNODB_LOCKS).await {
            Some(sessions::INNODB_LOCKS)
        } else if allowed(sessions::HAS_DATA_LOCKS).await {
            Some(sessions::DATA_LOCKS)
        } else {
            None
        };
        let instrumented = allowed(waits::CONSUMER_IS_ON).await;
        let numbers_statements = allowed(clients::NUMBERS_STATEMENTS).await;
        let names_applications = allowed(clients::NAMES_APPLICATIONS).await;
        let sample_sql = if instrumented {
            waits::sample_sql(transactions, locks)
        } else {
            sessions::sample_sql(transactions, locks)
        };
        let warning = (!transactions).then(|| {
            JobError::new("monitor mysql: this user may not read locks and open transactions")
                .hint("GRANT PROCESS ON *.* TO the user of the target")
        });
        Ok(Opened {
            source: Self {
                session,
                sample_sql,
                sessions_sql: clients::sql(numbers_statements, names_applications),
                instrumented,
            },
            pid,
            lists_all: transactions,
            warning,
        })
    }

    async fn sessions(&mut self) -> Result<Vec<Seen>, Failure> {
        let rows = self.session.query(&self.sessions_sql).await?;
        Ok(rows.iter().filter_map(|row| clients::seen(row)).collect())
    }

    async fn sample(&mut self, waits: &mut Waits) -> Result<(), Failure> {
        let rows = self.session.query(&self.sample_sql).await?;
        if self.instrumented {
            waits::add(waits, &rows);
        } else {
            sessions::add(waits, &rows);
        }
        Ok(())
    }

    async fn totals(&mut self) -> Result<Totals, Failure> {
        let rows = self.session.query(&status::sql()).await?;
        Ok(status::of(&rows))
    }
}
