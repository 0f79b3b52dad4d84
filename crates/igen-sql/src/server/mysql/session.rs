//! A connection with its prepared statements.

use std::collections::BTreeMap;

use igen_engine::Failure;

use super::connection::{Answer, Connection, TextRows, query_packet};
use super::error::Error;
use super::server::Server;
use super::statement::Statement;
use crate::settings::{Settings, Variable};
use crate::value::Rows;

/// A connection with its prepared statements; a statement is known by its index.
pub struct Session {
    connection: Connection,
    statements: Vec<Statement>,
    /// A transaction is open, as far as this side knows.
    open: bool,
    begin: Vec<u8>,
    commit: Vec<u8>,
    rollback: Vec<u8>,
}

impl Session {
    pub(super) async fn open(
        server: &Server,
        settings: &Settings,
        statements: &[&str],
    ) -> Result<Self, Error> {
        let limit = settings.connect_timeout();
        let mut connection = Connection::open(server, limit).await?;
        let prepare = async {
            set(&mut connection, settings).await?;
            let mut prepared = Vec::with_capacity(statements.len());
            for sql in statements {
                prepared.push(connection.prepare(sql).await?);
            }
            Ok::<_, Error>(prepared)
        };
        let statements = tokio::time::timeout(limit, prepare)
            .await
            .map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))??;
        Ok(Self {
            connection,
            statements,
            open: false,
            begin: query_packet("BEGIN"),
            commit: query_packet("COMMIT"),
            rollback: query_packet("ROLLBACK"),
        })
    }

    /// Shares its system calls with other sessions of the current thread from now on.
    pub(crate) fn join_ring(&mut self) -> Result<(), Failure> {
        let joined = self.connection.stream.join_ring();
        joined.map_err(|error| Error::from(error).failure())
    }

    /// Begins a transaction.
    pub async fn begin(&mut self, _writes: bool) -> Result<(), Failure> {
        self.open = true;
        let begun = self.connection.control(&self.begin).await;
        begun.map_err(|error| error.failure())
    }

    /// Commits the transaction.
    pub async fn commit(&mut self) -> Result<(), Failure> {
        let committed = self.connection.control(&self.commit).await;
        committed.map_err(|error| error.failure())?;
        self.open = false;
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

    /// Runs a statement that is not prepared and returns its rows.
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

/// Limits the time of each statement, and sets what the job wants set.
pub(super) async fn set(connection: &mut Connection, settings: &Settings) -> Result<(), Error> {
    connection
        .limit_statements(settings.statement_timeout())
        .await?;
    if !settings.session_variables.is_empty() {
        let sql = variables_sql(&settings.session_variables);
        connection.query(&sql).await?;
    }
    Ok(())
}

fn variables_sql(variables: &BTreeMap<String, Variable>) -> String {
    let assignments = variables.iter().map(|(name, variable)| match variable {
        Variable::Switch(on) => format!("{name} = {}", u8::from(*on)),
        Variable::Integer(integer) => format!("{name} = {integer}"),
        Variable::Text(text) => format!("{name} = '{text}'"),
    });
    format!("SET SESSION {}", assignments.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_set_as_what_they_are() {
        let variables = BTreeMap::from([
            ("a".to_owned(), Variable::Integer(5)),
            ("b".to_owned(), Variable::Text("it is".to_owned())),
            ("c".to_owned(), Variable::Switch(true)),
        ]);
        assert_eq!(
            variables_sql(&variables),
            "SET SESSION a = 5, b = 'it is', c = 1"
        );
    }
}
