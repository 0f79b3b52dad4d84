//! A connection with its prepared statements.

use igen_engine::{Failure, FailureKind};

use super::open::open;
use super::protocol::{Answer, Fault, Protocol, Server, TextRows, set};
use crate::settings::Settings;
use crate::value::Rows;

/// A connection with its prepared statements; a statement is known by its index.
pub struct Session<P: Protocol> {
    connection: P,
    statements: Vec<P::Statement>,
    /// A transaction is open, as far as this side knows.
    open: bool,
    begin: Vec<u8>,
    commit: Vec<u8>,
    rollback: Vec<u8>,
}

impl<P: Protocol> Session<P> {
    pub(super) async fn open(
        server: &Server,
        settings: &Settings,
        pooled: bool,
        statements: &[&str],
    ) -> Result<Self, P::Error> {
        let limit = settings.connect_timeout();
        let mut connection = open::<P>(server, limit, pooled).await?;
        let prepare = async {
            set(&mut connection, settings).await?;
            let mut prepared = Vec::with_capacity(statements.len());
            for (index, sql) in statements.iter().enumerate() {
                prepared.push(connection.prepare(index, sql).await?);
            }
            Ok::<_, P::Error>(prepared)
        };
        let statements = tokio::time::timeout(limit, prepare)
            .await
            .map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))??;
        Ok(Self {
            connection,
            statements,
            open: false,
            begin: P::message("START TRANSACTION"),
            commit: P::message("COMMIT"),
            rollback: P::message("ROLLBACK"),
        })
    }

    /// Shares its system calls with other sessions of the current thread from now on.
    pub(crate) fn join_ring(&mut self) -> Result<(), Failure> {
        let joined = self.connection.stream().join_ring();
        joined.map_err(|error| P::Error::from(error).failure())
    }

    /// Begins a transaction.
    pub async fn begin(&mut self, _writes: bool) -> Result<(), Failure> {
        self.open = true;
        let begun = self.connection.control(&self.begin).await;
        begun.map(|_| ()).map_err(|error| error.failure())
    }

    /// Commits the transaction.
    pub async fn commit(&mut self) -> Result<(), Failure> {
        let committed = self.connection.control(&self.commit).await;
        let committed = committed.map_err(|error| error.failure())?;
        self.open = false;
        if !committed {
            // What the server answers, without an error, where a statement has failed before.
            return Err(Failure::new(
                FailureKind::Other,
                "rolled back instead of committed",
            ));
        }
        Ok(())
    }

    /// Rolls back the transaction if one is open; where even this fails the next call fails.
    pub async fn rollback(&mut self) {
        if std::mem::take(&mut self.open) {
            let _ = self.connection.control(&self.rollback).await;
        }
    }

    /// Runs a prepared select and reads all of its rows.
    pub async fn select(&mut self, index: usize, parameters: &[i64]) -> Result<Rows, Failure> {
        self.run(index, parameters).await.map(|answer| answer.rows)
    }

    /// Runs a prepared insert, update or delete; returns the number of rows it changed.
    pub async fn execute(&mut self, index: usize, parameters: &[i64]) -> Result<u64, Failure> {
        self.run(index, parameters)
            .await
            .map(|answer| answer.changed)
    }

    /// Runs what is not prepared and returns its rows.
    pub async fn query(&mut self, sql: &str) -> Result<TextRows, Failure> {
        let rows = self.connection.query(sql).await;
        rows.map_err(|error| error.failure())
    }

    async fn run(&mut self, index: usize, parameters: &[i64]) -> Result<Answer, Failure> {
        let statement = &mut self.statements[index];
        let answer = self.connection.execute(statement, parameters).await;
        answer.map_err(|error| error.failure())
    }
}
