//! PostgreSQL's protocol as the client of all servers uses it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use igen_engine::ProgressReporter;
use igen_job::{Credentials, Fact, JobError};
use igen_net::{
    Encryption, Endpoint, PathKind, Scheme, SocketOption, Stream, password, surroundings,
};

use super::connection::{Connection, query_message};
use super::error::Error;
use super::statement::Statement;
use super::{SCHEME, content, facts};
use crate::content::Content;
use crate::server::protocol::{Answer, LOADERS, Protocol, Server, TextRows};
use crate::settings::{Settings, Variable};

const LOAD_SETTINGS: &str =
    "SET statement_timeout = 0; SET maintenance_work_mem = '256MB'; SET synchronous_commit = off";

pub(crate) const TARGETS: Scheme = Scheme {
    name: SCHEME,
    port: 5432,
    socket: Some(SocketOption {
        name: "host",
        path: |folder, port| PathBuf::from(format!("{folder}/.s.PGSQL.{port}")),
    }),
    path: PathKind::Name {
        what: "database",
        example: ("user", "database"),
    },
    password_file: false,
    application: true,
    surroundings: surroundings::postgresql,
    encryption: Encryption::Agreed,
};

impl Protocol for Connection {
    type Error = Error;
    type Statement = Statement;

    /// The number is "iGen", which nobody else is likely to lock.
    const SCHEME: &'static str = SCHEME;
    const LOCK: &'static str = "SELECT pg_try_advisory_lock(1766287726)";
    const LOCKED: &'static str = "t";
    const UNLOCK: &'static str = "SELECT pg_advisory_unlock(1766287726)";

    const NUMBER: &'static str = "SELECT pg_backend_pid()";

    fn announced(&self) -> Option<u32> {
        self.process
    }

    /// The user is the target's, or `PGUSER`, or the operating system's.
    fn server(target: &str, field: &str, credentials: Credentials) -> Result<Server, JobError> {
        let endpoint = Endpoint::of(target, field, &TARGETS, credentials)?;
        let variable = |name| std::env::var(name).ok();
        let user = endpoint.user.clone();
        let user = user
            .or_else(|| variable("PGUSER"))
            .or_else(|| variable("USER"));
        let user = user.unwrap_or_else(|| "postgres".to_owned());
        Ok(Server {
            password: password::postgresql(&endpoint, &user),
            endpoint,
            user,
        })
    }

    async fn open(server: &Server, limit: Duration) -> Result<Self, Error> {
        Self::connect(server, limit).await
    }

    fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    async fn limit_statements(&mut self, limit: Option<Duration>) -> Result<(), Error> {
        Self::limit_statements(self, limit).await
    }

    fn set_sql(variables: &BTreeMap<String, Variable>) -> String {
        variables_sql(variables)
    }

    async fn prepare(&mut self, index: usize, sql: &str) -> Result<Statement, Error> {
        Self::prepare(self, &format!("s{index}"), sql).await
    }

    fn execute(
        &mut self,
        statement: &mut Statement,
        parameters: &[i64],
    ) -> impl Future<Output = Result<Answer, Error>> {
        Self::execute(self, statement, parameters)
    }

    fn message(sql: &str) -> Vec<u8> {
        query_message(sql)
    }

    fn control(&mut self, message: &[u8]) -> impl Future<Output = Result<bool, Error>> {
        Self::control(self, message)
    }

    async fn query(&mut self, sql: &str) -> Result<TextRows, Error> {
        Self::query(self, sql).await
    }

    /// No limit on statements; the memory that makes sorting an index fast.
    async fn begin_load(&mut self) -> Result<(), Error> {
        Self::query(self, LOAD_SETTINGS).await.map(drop)
    }

    async fn tables(&mut self, content: &Content<'_>) -> Result<Vec<String>, Error> {
        content::tables(self, content).await
    }

    async fn fill(
        &mut self,
        loaders: &mut [Self; LOADERS],
        content: &Content<'_>,
        progress: &ProgressReporter,
    ) -> Result<(), Error> {
        content::fill(self, loaders, content, progress).await
    }

    async fn facts(&mut self, settings: &Settings) -> Vec<Fact> {
        facts::read(self, settings).await
    }
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
