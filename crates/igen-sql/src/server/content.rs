//! A workload's tables on a server: whose they are, and removing them.
//!
//! Several connections load at the same time, so no one transaction holds the load: a row of
//! `igen_metadata` says from before the first table until all is done that a load goes on. What an
//! interrupted one left is known as iGen's.

use super::protocol::{Fault, Protocol};
use crate::content::{Content, Found, Metadata};

/// Name of the row that says that a load goes on, or was interrupted.
pub(super) const LOADING: &str = "loading";

/// The table that says what is iGen's, in the words that all servers understand.
pub(super) const CREATE_METADATA: &str = "CREATE TABLE IF NOT EXISTS igen_metadata (\
    workload VARCHAR(20) NOT NULL, name VARCHAR(40) NOT NULL, value BIGINT NOT NULL, \
    PRIMARY KEY (workload, name))";

/// What is there under the names of `content`'s tables.
pub(super) async fn look<P: Protocol>(
    connection: &mut P,
    content: &Content<'_>,
) -> Result<Found, P::Error> {
    let metadata = match metadata(connection, content.workload).await {
        Err(error) if error.is_no_column() => return Ok(foreign("igen_metadata")),
        metadata => metadata?,
    };
    Ok(if metadata.contains_key(LOADING) {
        Found::Nothing
    } else {
        let there = connection.tables(content).await?;
        let missing = content
            .tables
            .iter()
            .find(|filled| !there.iter().any(|name| name == filled.table.name));
        match (metadata.is_empty(), missing, there.first()) {
            (true, _, None) => Found::Nothing,
            (true, _, Some(table)) => foreign(table),
            (false, None, _) => Found::Igen(metadata),
            (false, Some(missing), _) => Found::Damaged(format!(
                "incomplete: the table {} is missing",
                missing.table.name
            )),
        }
    })
}

/// Takes the lock under which this database is loaded or its content removed; `false` if another
/// process has it.
pub(super) async fn lock<P: Protocol>(connection: &mut P) -> Result<bool, P::Error> {
    let rows = connection.query(P::LOCK).await?;
    Ok(rows.into_iter().flatten().flatten().next().as_deref() == Some(P::LOCKED))
}

/// Drops the tables and forgets them; with the last workload's, also the table of metadata.
pub(super) async fn remove<P: Protocol>(
    connection: &mut P,
    content: &Content<'_>,
) -> Result<(), P::Error> {
    connection.query(&drop_tables(content)).await?;
    match connection.query(&forget(content.workload)).await {
        Err(error) if error.is_no_table() => return Ok(()),
        forgotten => forgotten?,
    };
    let others = "SELECT 1 FROM igen_metadata LIMIT 1";
    if connection.query(others).await?.is_empty() {
        connection.query("DROP TABLE igen_metadata").await?;
    }
    Ok(())
}

/// Drops those of the tables that are there.
pub(super) fn drop_tables(content: &Content<'_>) -> String {
    let names: Vec<&str> = content
        .tables
        .iter()
        .map(|filled| filled.table.name)
        .collect();
    format!("DROP TABLE IF EXISTS {}", names.join(", "))
}

/// Forgets what is said of a workload's tables.
pub(super) fn forget(workload: &str) -> String {
    format!("DELETE FROM igen_metadata WHERE workload = '{workload}'")
}

/// Says with which figures `content` was loaded.
pub(super) fn finished(content: &Content<'_>) -> String {
    let workload = content.workload;
    let figures: Vec<String> = content
        .metadata
        .iter()
        .map(|(name, value)| format!("('{workload}', '{name}', {value})"))
        .collect();
    format!("INSERT INTO igen_metadata VALUES {}", figures.join(", "))
}

/// Figures of `workload`; empty where there are none.
async fn metadata<P: Protocol>(connection: &mut P, workload: &str) -> Result<Metadata, P::Error> {
    let sql = format!("SELECT name, value FROM igen_metadata WHERE workload = '{workload}'");
    let rows = match connection.query(&sql).await {
        Err(error) if error.is_no_table() => return Ok(Metadata::new()),
        rows => rows?,
    };
    let figure = |row: Vec<Option<String>>| match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(name), Some(value)]) => Some((name, value.parse().ok()?)),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(figure).collect())
}

fn foreign(table: &str) -> Found {
    Found::Foreign(format!(
        "a database in which another program created the table {table}"
    ))
}
