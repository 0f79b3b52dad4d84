//! A connection of any engine, with its prepared statements.

use igen_engine::{Failure, FailureKind};

use crate::server::{mysql, postgresql};
use crate::value::{LogWritten, Rows};
use crate::{duckdb, sqlite};

/// A connection with its prepared statements; a statement is known by its index. A failure that is
/// a `conflict` has ended the transaction, which may be run again.
pub enum Session {
    /// In process.
    Sqlite(sqlite::Session),
    /// In process.
    Duckdb(duckdb::Session),
    /// On a MariaDB or MySQL server.
    Mysql(mysql::Session),
    /// On a server.
    Postgresql(postgresql::Session),
}

impl Session {
    /// For one of many sessions on a thread that is a tokio `LocalRuntime`: shares its system calls
    /// with the others from now on. Goes on alone in process, under TLS, and where the system has no
    /// `io_uring`.
    pub fn join_ring(&mut self) -> Result<(), Failure> {
        match self {
            Self::Sqlite(_) | Self::Duckdb(_) => Ok(()),
            Self::Postgresql(session) => session.join_ring(),
            Self::Mysql(session) => session.join_ring(),
        }
    }

    /// Begins a transaction; on SQLite one that writes waits here until it is the one writer.
    pub async fn begin(&mut self, writes: bool) -> Result<(), Failure> {
        match self {
            Self::Sqlite(session) => session.begin(writes),
            Self::Duckdb(session) => session.begin(writes),
            Self::Postgresql(session) => session.begin(writes).await,
            Self::Mysql(session) => session.begin(writes).await,
        }
    }

    /// Commits the transaction.
    pub async fn commit(&mut self) -> Result<(), Failure> {
        match self {
            Self::Sqlite(session) => session.commit(),
            Self::Duckdb(session) => session.commit(),
            Self::Postgresql(session) => session.commit().await,
            Self::Mysql(session) => session.commit().await,
        }
    }

    /// Rolls back the transaction if one is open; where even this fails the next call fails.
    pub async fn rollback(&mut self) {
        match self {
            Self::Sqlite(session) => session.rollback(),
            Self::Duckdb(session) => session.rollback(),
            Self::Postgresql(session) => session.rollback().await,
            Self::Mysql(session) => session.rollback().await,
        }
    }

    /// Runs a prepared select and reads all of its rows.
    pub async fn select(&mut self, index: usize, parameters: &[i64]) -> Result<Rows, Failure> {
        match self {
            Self::Sqlite(session) => session.select(index, parameters),
            Self::Duckdb(session) => session.select(index, parameters),
            Self::Postgresql(session) => session.select(index, parameters).await,
            Self::Mysql(session) => session.select(index, parameters).await,
        }
    }

    /// Runs a prepared insert, update or delete; returns the number of rows it changed.
    pub async fn execute(&mut self, index: usize, parameters: &[i64]) -> Result<u64, Failure> {
        match self {
            Self::Sqlite(session) => session.execute(index, parameters),
            Self::Duckdb(session) => session.execute(index, parameters),
            Self::Postgresql(session) => session.execute(index, parameters).await,
            Self::Mysql(session) => session.execute(index, parameters).await,
        }
    }

    /// Runs statements that are not prepared, such as DDL, and returns the rows of the last one as
    /// text, NULL as `None`. Not for the hot path.
    pub async fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Failure> {
        match self {
            Self::Sqlite(session) => session.query(sql),
            Self::Duckdb(session) => session.query(sql),
            Self::Postgresql(session) => session.query(sql).await,
            Self::Mysql(session) => session.query(sql).await,
        }
    }

    /// The integers of the first row of a select that is not prepared, NULL as 0; `None` if there
    /// is no row.
    pub async fn integers(&mut self, sql: &str) -> Result<Option<Vec<i64>>, Failure> {
        let rows = self.query(sql).await?;
        let Some(row) = rows.into_iter().next() else {
            return Ok(None);
        };
        let integer = |value: Option<String>| match value {
            None => Ok(0),
            Some(text) => text.parse().map_err(|_| {
                Failure::new(FailureKind::Other, format!("`{text}` is not an integer"))
            }),
        };
        row.into_iter()
            .map(integer)
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// Times that this connection found a lock and tried again by itself, since it was last asked;
    /// servers wait for locks without telling.
    #[must_use]
    pub fn take_retries(&mut self) -> u64 {
        match self {
            Self::Sqlite(session) => session.take_retries(),
            Self::Duckdb(_) | Self::Postgresql(_) | Self::Mysql(_) => 0,
        }
    }

    /// What this connection's commits have written to the log of an embedded database since it was last
    /// asked; nothing for servers, which count for themselves.
    #[must_use]
    pub fn take_log(&mut self) -> LogWritten {
        match self {
            Self::Sqlite(session) => session.take_log(),
            Self::Duckdb(_) | Self::Postgresql(_) | Self::Mysql(_) => LogWritten::default(),
        }
    }

    /// Now and then checks that the database is still the one that was opened. Called once a
    /// transaction.
    pub fn check(&mut self) -> Result<(), Failure> {
        match self {
            Self::Sqlite(session) => session.check_file(),
            Self::Duckdb(session) => session.check_file(),
            Self::Postgresql(_) | Self::Mysql(_) => Ok(()),
        }
    }
}
