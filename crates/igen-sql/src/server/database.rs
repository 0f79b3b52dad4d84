//! A database on a server: what is in it, and connections to it.

use std::marker::PhantomData;
use std::time::Duration;

use igen_engine::{Failure, ProgressReporter};
use igen_job::{Credentials, Fact, JobError, facts};
use tokio::sync::OnceCell;

use super::open::open;
use super::protocol::{Fault, Protocol, Server, set, set_variables};
use super::session::Session;
use super::{content, pooler};
use crate::content::{Content, Found, WAITING};
use crate::settings::Settings;

/// Time between two looks at a load by another process.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A database on a server.
pub struct Database<P> {
    server: Server,
    settings: Settings,
    /// True if a pooler stands before the server; looked at once, before anything else.
    pooled: OnceCell<bool>,
    connections: PhantomData<fn() -> P>,
}

impl<P: Protocol> Database<P> {
    /// Returns the database that `target` names; an error is about the field `field` of the job.
    pub fn of(
        target: &str,
        field: &str,
        settings: &Settings,
        credentials: Credentials,
    ) -> Result<Self, JobError> {
        Ok(Self {
            server: P::server(target, field, credentials)?,
            settings: settings.clone(),
            pooled: OnceCell::new(),
            connections: PhantomData,
        })
    }

    /// Returns its place for messages: `db.lab:5432/shop`.
    #[must_use]
    pub fn place(&self) -> String {
        self.server.endpoint.place()
    }

    /// Returns where its server is: `db.lab:5432`.
    #[must_use]
    pub fn server(&self) -> String {
        self.server.endpoint.server()
    }

    /// Returns the content of the database under the names of `content`'s tables.
    pub async fn look(&self, content: &Content<'_>) -> Result<Found, JobError> {
        let look = async { content::look(&mut self.connect().await?, content).await };
        look.await.map_err(|error: P::Error| self.job_error(&error))
    }

    /// Creates and loads the tables, unless another process has done so meanwhile.
    pub async fn load(
        &self,
        content: &Content<'_>,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        self.try_load(content, progress)
            .await
            .map_err(|error| self.job_error(&error))
    }

    async fn try_load(
        &self,
        content: &Content<'_>,
        progress: &ProgressReporter,
    ) -> Result<(), P::Error> {
        let mut connection = self.connect_to_load().await?;
        while !content::lock(&mut connection).await? {
            progress.report(WAITING, 0, 1, "databases");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        if content::look(&mut connection, content).await? != Found::Nothing {
            return connection.query(P::UNLOCK).await.map(drop);
        }
        let mut loaders = [
            self.connect_to_load().await?,
            self.connect_to_load().await?,
            self.connect_to_load().await?,
            self.connect_to_load().await?,
        ];
        let filled = connection.fill(&mut loaders, content, progress).await;
        if filled.is_err() {
            drop(loaders);
            // Where even this fails, the next load removes what is left.
            let _ = content::remove(&mut connection, content).await;
        }
        let unlocked = connection.query(P::UNLOCK).await.map(drop);
        filled.and(unlocked)
    }

    /// Connects and prepares `statements`.
    pub async fn session(&self, statements: &[&str]) -> Result<Session<P>, Failure> {
        self.open_session(&self.settings, statements).await
    }

    /// Opens a session without a time limit for statements.
    pub async fn long_session(&self, statements: &[&str]) -> Result<Session<P>, Failure> {
        let settings = self.settings.without_statement_timeout();
        self.open_session(&settings, statements).await
    }

    async fn open_session(
        &self,
        settings: &Settings,
        statements: &[&str],
    ) -> Result<Session<P>, Failure> {
        let open = async {
            let pooled = self.is_pooled().await?;
            Session::open(&self.server, settings, pooled, statements).await
        };
        open.await.map_err(|error: P::Error| error.failure())
    }

    /// Returns facts that the server reports.
    pub async fn facts(&self) -> Vec<Fact> {
        match self.connect().await {
            Ok(mut connection) => {
                let mut found = connection.facts(&self.settings).await;
                let pooled = self.pooled.get();
                found.extend(pooled.map(|pooled| facts::TARGET_POOLER.of(P::SCHEME, *pooled)));
                found
            }
            Err(_) => Vec::new(),
        }
    }

    /// Removes the tables, if they are iGen's.
    pub async fn remove(&self, content: &Content<'_>) -> Result<(), JobError> {
        let place = self.server.endpoint.place();
        let remove = async {
            let mut connection = self.connect_to_load().await?;
            if !content::lock(&mut connection).await? {
                return Ok(Err(JobError::new(format!(
                    "another process is loading {place}"
                ))
                .hint("wait until it has finished, or stop that process")));
            }
            if let Found::Foreign(what) = content::look(&mut connection, content).await? {
                return Ok(Err(JobError::new(format!(
                    "{place} is {what}, so it was not removed"
                ))));
            }
            content::remove(&mut connection, content).await.map(Ok)
        };
        remove
            .await
            .unwrap_or_else(|error: P::Error| Err(self.job_error(&error)))
    }

    /// Returns true if a pooler stands before the server; fails if it shares connections.
    async fn is_pooled(&self) -> Result<bool, P::Error> {
        let look = async || pooler::look(&mut self.open().await?, async || self.open().await).await;
        self.pooled.get_or_try_init(look).await.copied()
    }

    async fn connect(&self) -> Result<P, P::Error> {
        self.is_pooled().await?;
        let mut connection = self.open().await?;
        set(&mut connection, &self.settings).await?;
        Ok(connection)
    }

    async fn connect_to_load(&self) -> Result<P, P::Error> {
        self.is_pooled().await?;
        let mut connection = self.open().await?;
        set_variables(&mut connection, &self.settings).await?;
        connection.begin_load().await?;
        Ok(connection)
    }

    async fn open(&self) -> Result<P, P::Error> {
        let pooled = self.pooled.get().is_some_and(|pooled| *pooled);
        open(&self.server, self.settings.connect_timeout(), pooled).await
    }

    fn job_error(&self, error: &P::Error) -> JobError {
        error.job_error(&self.server.endpoint.place())
    }
}
