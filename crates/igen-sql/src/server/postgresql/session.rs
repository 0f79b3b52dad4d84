//! A connection with its prepared statements.

use std::collections::BTreeMap;

use igen_engine::Failure;

use super::connection::{Answer, Connection, Server, TextRows, query_message};
use super::error::Error;
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
            for (index, sql) in statements.iter().enumerate() {
                prepared.push(connection.prepare(&format!("s{index}"), sql).await?);
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
            begin: query_message("BEGIN"),
            commit: query_message("COMMIT"),
            rollback: query_message("ROLLBACK"),
        })
    }

    /// The server's process for this connection.
    #[must_use]
    pub fn process_id(&self) -> i32 {
        self.connection.process_id
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
        begun.map(|_| ()).map_err(|error| error.failure())
    }

    /// Commits the transaction.
    pub async fn commit(&mut self) -> Result<(), Failure> {
        let answer = self.connection.control(&self.commit).await;
        let answer = answer.map_err(|error| error.failure())?;
        self.open = false;
        if answer.rolled_back {
            // What the server answers, without an error, where a statement has failed before.
            return Err(Failure::new("rolled back instead of committed"));
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

    /// Runs statements that are not prepared and returns the rows of the last one.
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
    let assignments = variables.iter().map(|(name, variable)| {
        let value = match variable {
            Variable::Switch(on) => if *on { "on" } else { "off" }.to_owned(),
            Variable::Integer(integer) => integer.to_string(),
            Variable::Text(text) => text.clone(),
        };
        format!("SET {name} TO '{value}'")
    });
    assignments.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_set_as_texts() {
        let variables = BTreeMap::from([
            ("a".to_owned(), Variable::Integer(-5)),
            ("b".to_owned(), Variable::Text("it is".to_owned())),
            ("d".to_owned(), Variable::Switch(true)),
        ]);
        assert_eq!(
            variables_sql(&variables),
            "SET a TO '-5'; SET b TO 'it is'; SET d TO 'on'"
        );
    }
}
