//! MariaDB's and MySQL's protocol as the client of all servers uses it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use igen_engine::ProgressReporter;
use igen_job::{Credentials, Fact, JobError};
use igen_net::{
    Encryption, Endpoint, PathKind, Scheme, SocketOption, Stream, password, surroundings,
};

use super::connection::{Connection, query_packet};
use super::error::Error;
use super::statement::Statement;
use super::{SCHEME, content, facts};
use crate::content::Content;
use crate::server::protocol::{Answer, LOADERS, Protocol, Server, TextRows};
use crate::settings::{Settings, Variable};

const LOAD_SETTINGS: &str = "SET SESSION sql_mode = 'STRICT_ALL_TABLES'";

pub(crate) const TARGETS: Scheme = Scheme {
    name: SCHEME,
    port: 3306,
    socket: Some(SocketOption {
        name: "socket",
        path: |path, _port| PathBuf::from(path),
    }),
    path: PathKind::Name {
        what: "database",
        example: ("user", "database"),
    },
    password_file: false,
    application: true,
    surroundings: surroundings::mysql,
    encryption: Encryption::Agreed,
};

impl Protocol for Connection {
    type Error = Error;
    type Statement = Statement;

    /// A name of a lock is valid for the whole server, and at most 64 characters long.
    const SCHEME: &'static str = SCHEME;
    const LOCK: &'static str = "SELECT GET_LOCK(CONCAT('igen load ', LEFT(DATABASE(), 50)), 0)";
    const LOCKED: &'static str = "1";
    const UNLOCK: &'static str = "SELECT RELEASE_LOCK(CONCAT('igen load ', LEFT(DATABASE(), 50)))";

    const NUMBER: &'static str = "SELECT CONNECTION_ID()";

    fn announced(&self) -> Option<u32> {
        Some(self.number)
    }

    /// User and password come from where MariaDB's and MySQL's own clients take them, the user last of all
    /// from the name of this process's user.
    fn server(target: &str, field: &str, credentials: Credentials) -> Result<Server, JobError> {
        let endpoint = Endpoint::of(target, field, &TARGETS, credentials)?;
        let (user, password) = password::mysql(&endpoint);
        let user = endpoint.user.clone().or(user);
        Ok(Server {
            user: user.unwrap_or_else(|| std::env::var("USER").unwrap_or("root".to_owned())),
            endpoint,
            password,
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

    async fn prepare(&mut self, _index: usize, sql: &str) -> Result<Statement, Error> {
        Self::prepare(self, sql).await
    }

    fn execute(
        &mut self,
        statement: &mut Statement,
        parameters: &[i64],
    ) -> impl Future<Output = Result<Answer, Error>> {
        Self::execute(self, statement, parameters)
    }

    fn message(sql: &str) -> Vec<u8> {
        query_packet(sql)
    }

    fn control(&mut self, message: &[u8]) -> impl Future<Output = Result<bool, Error>> {
        Self::control(self, message)
    }

    async fn query(&mut self, sql: &str) -> Result<TextRows, Error> {
        Self::query(self, sql).await
    }

    /// Loading does not depend on the server's settings: what does not fit is an error, and escapes are
    /// understood.
    async fn begin_load(&mut self) -> Result<(), Error> {
        Self::limit_statements(self, None).await?;
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
