//! What a connection can do, whichever protocol it speaks.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use igen_engine::{Failure, ProgressReporter};
use igen_job::{Credentials, Fact, JobError};
use igen_net::{Endpoint, Password, Stream};

use crate::content::Content;
use crate::settings::{Settings, Variable};
use crate::value::Rows;

/// Connections that load at the same time.
pub const LOADERS: usize = 4;

/// The rows of a statement that is not prepared: text as of `said`, NULL as `None`.
pub type TextRows = Vec<Vec<Option<String>>>;

/// Whom to connect to, and as whom.
#[derive(Debug, Clone)]
pub struct Server {
    /// Where the database is.
    pub endpoint: Endpoint,
    /// The user's name.
    pub user: String,
    /// The user's password, where there is one.
    pub password: Option<Password>,
}

impl Server {
    /// Returns the name under which the connections are known to the server.
    pub(super) fn application(&self) -> &str {
        self.endpoint.application.as_deref().unwrap_or("igen")
    }
}

/// What a prepared statement answered.
#[derive(Debug, Default)]
pub struct Answer {
    /// Those of a select.
    pub rows: Rows,
    /// Rows that an insert, update or delete changed.
    pub changed: u64,
}

/// What goes wrong on a connection.
pub trait Fault: From<std::io::Error> {
    /// As a failure of a transaction.
    fn failure(&self) -> Failure;

    /// As an error of a job, about the server at `place`.
    fn job_error(&self, place: &str) -> JobError;

    /// A statement names a table that is not there.
    fn is_no_table(&self) -> bool;

    /// A statement names a column that is not there.
    fn is_no_column(&self) -> bool;

    /// The refusal of a pooler that shares connections.
    fn shared() -> Self;
}

/// A connection after authentication.
pub trait Protocol: Sized {
    /// What goes wrong.
    type Error: Fault;
    /// A prepared statement.
    type Statement;

    /// Scheme of its targets.
    const SCHEME: &'static str;
    /// Selects one value: whether the lock is taken under which this database is loaded or its content
    /// removed. It ends with the connection.
    const LOCK: &'static str;
    /// That value where it is taken; where not, another process has it.
    const LOCKED: &'static str;
    /// Gives the lock back: the end of a connection takes a moment to reach the server.
    const UNLOCK: &'static str;

    /// Selects the number by which the server knows the connection that executes the statement.
    const NUMBER: &'static str;

    /// Returns that number as whoever accepted this connection announced it.
    fn announced(&self) -> Option<u32>;

    /// The server that `target` names; an error is about the field `field` of the job.
    fn server(target: &str, field: &str, credentials: Credentials) -> Result<Server, JobError>;

    /// Connects and authenticates within `limit`.
    fn open(server: &Server, limit: Duration) -> impl Future<Output = Result<Self, Self::Error>>;

    /// What it is made of.
    fn stream(&mut self) -> &mut Stream;

    /// Lets the server end statements that take longer than `limit`; one that does not even do that
    /// counts as gone.
    fn limit_statements(
        &mut self,
        limit: Option<Duration>,
    ) -> impl Future<Output = Result<(), Self::Error>>;

    /// The statement that sets what a job wants set.
    fn set_sql(variables: &BTreeMap<String, Variable>) -> String;

    /// Prepares the statement of that index, whose parameters are integers of 64 bits.
    fn prepare(
        &mut self,
        index: usize,
        sql: &str,
    ) -> impl Future<Output = Result<Self::Statement, Self::Error>>;

    /// Runs a prepared statement and reads all of its rows.
    fn execute(
        &mut self,
        statement: &mut Self::Statement,
        parameters: &[i64],
    ) -> impl Future<Output = Result<Answer, Self::Error>>;

    /// What `control` sends for a statement without rows.
    fn message(sql: &str) -> Vec<u8>;

    /// Runs a statement without rows; `false` where the server has rolled back instead.
    fn control(&mut self, message: &[u8]) -> impl Future<Output = Result<bool, Self::Error>>;

    /// Runs what is not prepared and returns its rows.
    fn query(&mut self, sql: &str) -> impl Future<Output = Result<TextRows, Self::Error>>;

    /// Makes a fresh connection, on which the job's own variables are set, ready to load.
    fn begin_load(&mut self) -> impl Future<Output = Result<(), Self::Error>>;

    /// Returns the names of those of `content`'s tables that are there.
    fn tables(
        &mut self,
        content: &Content<'_>,
    ) -> impl Future<Output = Result<Vec<String>, Self::Error>>;

    /// Creates and fills the tables.
    fn fill(
        &mut self,
        loaders: &mut [Self; LOADERS],
        content: &Content<'_>,
        progress: &ProgressReporter,
    ) -> impl Future<Output = Result<(), Self::Error>>;

    /// What the server says about itself; what cannot be read is left out.
    fn facts(&mut self, settings: &Settings) -> impl Future<Output = Vec<Fact>>;
}

/// Limits the time of each statement, and sets what the job wants set.
pub(super) async fn set<P: Protocol>(
    connection: &mut P,
    settings: &Settings,
) -> Result<(), P::Error> {
    connection
        .limit_statements(settings.statement_timeout())
        .await?;
    set_variables(connection, settings).await
}

/// Sets what the job wants set.
pub(super) async fn set_variables<P: Protocol>(
    connection: &mut P,
    settings: &Settings,
) -> Result<(), P::Error> {
    if !settings.session_variables.is_empty() {
        let sql = P::set_sql(&settings.session_variables);
        connection.query(&sql).await?;
    }
    Ok(())
}
