//! A database of any engine: what is in it, and connections to it.

use std::path::PathBuf;

use igen_engine::{Failure, ProgressReporter};
use igen_job::{Credentials, Fact, JobError, facts};
use igen_net::CONNECTING;

use crate::content::{Content, Found, Metadata};
use crate::server::{mysql, postgresql};
use crate::session::Session;
use crate::settings::Settings;
use crate::{duckdb, sqlite};

/// A database of any engine.
pub enum Database {
    /// A file.
    Sqlite(sqlite::Database),
    /// A file, laid out for scans.
    Duckdb(duckdb::Database),
    /// A database on a MariaDB or MySQL server.
    Mysql(mysql::Database),
    /// On a server.
    Postgresql(postgresql::Database),
}

/// Schemes of the targets that are databases for transactions.
pub const SCHEMES: &[&str] = &[
    sqlite::SCHEME,
    postgresql::SCHEME,
    mysql::SCHEME,
    duckdb::SCHEME,
];

impl Database {
    /// Returns the database that `target` names, without connecting to it. An error is about the field `field` of the
    /// job, or about a setting.
    pub fn of(
        target: &str,
        field: &str,
        settings: &Settings,
        credentials: Credentials,
    ) -> Result<Self, JobError> {
        let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
        settings.check(scheme)?;
        match scheme {
            sqlite::SCHEME => sqlite::Database::of(target, field, settings).map(Self::Sqlite),
            duckdb::SCHEME => duckdb::Database::of(target, field, settings).map(Self::Duckdb),
            postgresql::SCHEME => {
                postgresql::Database::of(target, field, settings, credentials).map(Self::Postgresql)
            }
            mysql::SCHEME => {
                mysql::Database::of(target, field, settings, credentials).map(Self::Mysql)
            }
            _ => Err(
                JobError::at(field, format!("`{target}` is not a supported database")).hint(
                    format!("use a target that begins with {}://", SCHEMES.join("://, ")),
                ),
            ),
        }
    }

    /// Returns its name in facts: `target.<engine>.version`.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite::SCHEME,
            Self::Duckdb(_) => duckdb::SCHEME,
            Self::Postgresql(_) => postgresql::SCHEME,
            Self::Mysql(_) => mysql::SCHEME,
        }
    }

    /// Returns the files of an embedded database, its log last, even if they do not exist; empty for a server.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Sqlite(database) => database.files(),
            Self::Duckdb(database) => database.files(),
            Self::Mysql(_) | Self::Postgresql(_) => Vec::new(),
        }
    }

    /// Returns its place for messages: `db.lab:5432/shop`; `None` for an embedded database.
    #[must_use]
    pub fn place(&self) -> Option<String> {
        match self {
            Self::Sqlite(_) | Self::Duckdb(_) => None,
            Self::Postgresql(database) => Some(database.place()),
            Self::Mysql(database) => Some(database.place()),
        }
    }

    /// Returns where its server is, as `db.lab:5432`; `None` without a server.
    #[must_use]
    pub fn server(&self) -> Option<String> {
        match self {
            Self::Sqlite(_) | Self::Duckdb(_) => None,
            Self::Postgresql(database) => Some(database.server()),
            Self::Mysql(database) => Some(database.server()),
        }
    }

    /// Returns true if its calls block the thread, so that each user needs one of its own.
    #[must_use]
    pub fn blocks(target: &str) -> bool {
        target.starts_with(sqlite::SCHEME) || target.starts_with(duckdb::SCHEME)
    }

    /// Loads `content` unless it is there. `target` is the database's name in an error.
    pub async fn prepare(
        &self,
        target: &str,
        content: &Content<'_>,
        force: bool,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        if self.look(content).await? == Found::Nothing {
            self.load(content, force, progress).await?;
        }
        self.verify(target, content).await
    }

    /// Checks that `content` is there and was loaded with the same figures.
    pub async fn verify(&self, target: &str, content: &Content<'_>) -> Result<(), JobError> {
        match self.look(content).await? {
            Found::Igen(found) if found == content.metadata => Ok(()),
            Found::Igen(found) => Err(JobError::new(format!(
                "{target} was loaded with {}, but this job needs {}",
                others(&found, &content.metadata),
                others(&content.metadata, &found)
            ))
            .hint(format!(
                "use the same values, use another target, or remove the data with \
                 `igen data cleanup {} --target {target}`",
                content.workload
            ))),
            Found::Damaged(what) => Err(JobError::new(format!("{target} is {what}")).hint(format!(
                "remove the remains with `igen data cleanup {} --target {target}`, and load it again",
                content.workload
            ))),
            Found::Foreign(what) => Err(JobError::new(format!("{target} is {what}, so it was not changed"))
                .hint("use a database without tables of these names, or a new file")),
            Found::Nothing => Err(JobError::new(format!(
                "{target} has no tables of the workload {}",
                content.workload
            ))
            .hint("add the step `prepare`, which creates and loads them")),
        }
    }

    /// Returns the content of the database under the names of `content`'s tables.
    pub async fn look(&self, content: &Content<'_>) -> Result<Found, JobError> {
        match self {
            Self::Sqlite(database) => database.look(content),
            Self::Duckdb(database) => database.look(content),
            Self::Postgresql(database) => database.look(content).await,
            Self::Mysql(database) => database.look(content).await,
        }
    }

    /// Creates and loads `content` as a whole or not at all; does nothing if another process has
    /// done so meanwhile. With `force` whatever space is free.
    pub async fn load(
        &self,
        content: &Content<'_>,
        force: bool,
        progress: &ProgressReporter,
    ) -> Result<(), JobError> {
        match self {
            Self::Sqlite(database) => database.load(content, force, progress).await,
            Self::Duckdb(database) => database.load(content, force, progress).await,
            Self::Postgresql(database) => database.load(content, progress).await,
            Self::Mysql(database) => database.load(content, progress).await,
        }
    }

    /// Connects and prepares `statements`, whose placeholders are `?`.
    pub async fn session(&self, statements: &'static [&'static str]) -> Result<Session, Failure> {
        match self {
            Self::Sqlite(database) => database.session(statements).map(Session::Sqlite),
            Self::Duckdb(database) => database.session(statements).map(Session::Duckdb),
            Self::Postgresql(database) => {
                let _turn = CONNECTING.acquire().await;
                database.session(statements).await.map(Session::Postgresql)
            }
            Self::Mysql(database) => {
                let _turn = CONNECTING.acquire().await;
                database.session(statements).await.map(Session::Mysql)
            }
        }
    }

    /// Opens a session for statements that read whole tables, without a time limit.
    pub async fn long_session(
        &self,
        statements: &'static [&'static str],
    ) -> Result<Session, Failure> {
        match self {
            Self::Sqlite(_) | Self::Duckdb(_) => self.session(statements).await,
            Self::Postgresql(database) => database
                .long_session(statements)
                .await
                .map(Session::Postgresql),
            Self::Mysql(database) => database.long_session(statements).await.map(Session::Mysql),
        }
    }

    /// Returns the size of the database, as it says about itself.
    pub fn bytes_in(&self, found: &[Fact]) -> Option<f64> {
        let name = facts::TARGET_DATABASE_BYTES.name_of(self.engine());
        let fact = found.iter().find(|fact| fact.name == name)?;
        fact.value.as_f64()
    }

    /// Returns facts that the database reports.
    pub async fn facts(&self) -> Vec<Fact> {
        match self {
            Self::Sqlite(database) => database.facts(),
            Self::Duckdb(database) => database.facts(),
            Self::Postgresql(database) => database.facts().await,
            Self::Mysql(database) => database.facts().await,
        }
    }

    /// Removes `content`, if it is iGen's, and what an interrupted load left of it.
    pub async fn remove(&self, content: &Content<'_>) -> Result<(), JobError> {
        match self {
            Self::Sqlite(database) => database.remove(content),
            Self::Duckdb(database) => database.remove(content),
            Self::Postgresql(database) => database.remove(content).await,
            Self::Mysql(database) => database.remove(content).await,
        }
    }
}

/// The figures of `one` that are not the same in `other`.
fn others(one: &Metadata, other: &Metadata) -> String {
    let figures: Vec<String> = one
        .iter()
        .filter(|(name, value)| other.get(*name) != Some(value))
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    figures.join(", ")
}
