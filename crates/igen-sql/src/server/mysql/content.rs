//! A workload's tables in the dialect of MariaDB and MySQL: whose they are, creating, filling and
//! removing them.
//!
//! DDL commits by itself here, so a row of `igen_metadata` says from before the first table until
//! all is done that a load goes on: what an interrupted one left is known as iGen's.

use igen_engine::Progress;

use super::connection::Connection;
use super::error::Error;
use super::rows::{Connections, Way, load};
use crate::content::{Column, Content, Found, Kind, Metadata, Table};

/// Name of the row that says that a load goes on, or was interrupted.
const LOADING: &str = "loading";
const NO_SUCH_TABLE: u16 = 1146;
const NO_SUCH_COLUMN: u16 = 1054;

const CREATE_METADATA: &str = "CREATE TABLE IF NOT EXISTS igen_metadata (\
    workload VARCHAR(20) NOT NULL, name VARCHAR(40) NOT NULL, value BIGINT NOT NULL, \
    PRIMARY KEY (workload, name)) ENGINE = InnoDB";

/// What is there under the names of `content`'s tables.
pub(super) async fn look(
    connection: &mut Connection,
    content: &Content<'_>,
) -> Result<Found, Error> {
    let metadata = match metadata(connection, content.workload).await {
        Err(error) if error.code() == Some(NO_SUCH_COLUMN) => {
            return Ok(foreign("igen_metadata"));
        }
        metadata => metadata?,
    };
    Ok(if metadata.contains_key(LOADING) {
        Found::Nothing
    } else if !metadata.is_empty() {
        Found::Igen(metadata)
    } else if let Some(table) = any_table(connection, content).await? {
        foreign(&table)
    } else {
        Found::Nothing
    })
}

/// A name of a lock is valid for the whole server, and at most 64 characters long.
const LOCK: &str = "CONCAT('igen load ', LEFT(DATABASE(), 50))";

/// Takes the lock under which this database is loaded or its content removed, and which ends with
/// the connection; `false` if another process has it.
pub(super) async fn lock(connection: &mut Connection) -> Result<bool, Error> {
    let rows = connection
        .query(&format!("SELECT GET_LOCK({LOCK}, 0)"))
        .await?;
    Ok(rows.first().and_then(|row| row.first()) == Some(&Some("1".to_owned())))
}

/// Gives the lock back: the end of a connection takes a moment to reach the server.
pub(super) async fn unlock(connection: &mut Connection) -> Result<(), Error> {
    let unlock = format!("SELECT RELEASE_LOCK({LOCK})");
    connection.query(&unlock).await.map(|_| ())
}

/// Creates and fills the tables.
pub(super) async fn fill(
    connection: &mut Connection,
    loaders: &mut Connections,
    content: &Content<'_>,
    progress: &Progress,
) -> Result<(), Error> {
    let workload = content.workload;
    connection.query(CREATE_METADATA).await?;
    connection
        .query(&format!(
            "REPLACE INTO igen_metadata VALUES ('{workload}', '{LOADING}', 1)"
        ))
        .await?;
    drop_tables(connection, content).await?;
    let way = way(connection).await?;
    let total = content.rows();
    let done = std::cell::Cell::new(0);
    for filled in &content.tables {
        connection.query(&create_table(filled.table)).await?;
        let text = match way {
            Way::LoadData => format!("loading {}", filled.table.name),
            Way::Insert => format!(
                "loading {} slowly, because the server has local_infile off",
                filled.table.name
            ),
        };
        let report = |rows: u64| {
            done.set(done.get() + rows);
            // The last report follows when all is done.
            progress.report(
                &text,
                done.get().min(total.saturating_sub(1)),
                total,
                "rows",
            );
        };
        load(loaders, way, filled, &report).await?;
    }
    for index in content.indexes {
        progress.report(
            &format!("creating index {}", index.name),
            total,
            total,
            "rows",
        );
        connection
            .query(&format!(
                "CREATE INDEX {} ON {} ({})",
                index.name, index.table, index.column
            ))
            .await?;
    }
    for filled in &content.tables {
        connection
            .query(&format!("ANALYZE TABLE {}", filled.table.name))
            .await?;
    }
    finish(connection, content).await?;
    progress.report("loaded", total, total, "rows");
    Ok(())
}

/// Drops the tables and forgets them; with the last workload's, also the table of metadata.
pub(super) async fn remove(
    connection: &mut Connection,
    content: &Content<'_>,
) -> Result<(), Error> {
    drop_tables(connection, content).await?;
    let forget = format!(
        "DELETE FROM igen_metadata WHERE workload = '{}'",
        content.workload
    );
    match connection.query(&forget).await {
        Err(error) if error.code() == Some(NO_SUCH_TABLE) => return Ok(()),
        forgotten => forgotten?,
    };
    let others = "SELECT 1 FROM igen_metadata LIMIT 1";
    if connection.query(others).await?.is_empty() {
        connection.query("DROP TABLE igen_metadata").await?;
    }
    Ok(())
}

/// The load is complete: writes down its figures.
async fn finish(connection: &mut Connection, content: &Content<'_>) -> Result<(), Error> {
    let workload = content.workload;
    let figures: Vec<String> = content
        .metadata
        .iter()
        .map(|(name, value)| format!("('{workload}', '{name}', {value})"))
        .collect();
    for sql in [
        "BEGIN".to_owned(),
        format!("DELETE FROM igen_metadata WHERE workload = '{workload}'"),
        format!("INSERT INTO igen_metadata VALUES {}", figures.join(", ")),
        "COMMIT".to_owned(),
    ] {
        connection.query(&sql).await?;
    }
    Ok(())
}

/// Figures of `workload`; empty where there are none.
async fn metadata(connection: &mut Connection, workload: &str) -> Result<Metadata, Error> {
    let sql = format!("SELECT name, value FROM igen_metadata WHERE workload = '{workload}'");
    let rows = match connection.query(&sql).await {
        Err(error) if error.code() == Some(NO_SUCH_TABLE) => return Ok(Metadata::new()),
        rows => rows?,
    };
    let figure = |row: Vec<Option<String>>| match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(name), Some(value)]) => Some((name, value.parse().ok()?)),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(figure).collect())
}

/// One of `content`'s tables that is there.
async fn any_table(
    connection: &mut Connection,
    content: &Content<'_>,
) -> Result<Option<String>, Error> {
    let names: Vec<String> = content
        .tables
        .iter()
        .map(|filled| format!("'{}'", filled.table.name))
        .collect();
    let rows = connection
        .query(&format!(
            "SELECT table_name FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_name IN ({}) ORDER BY table_name",
            names.join(", ")
        ))
        .await?;
    Ok(rows.into_iter().flatten().flatten().next())
}

async fn drop_tables(connection: &mut Connection, content: &Content<'_>) -> Result<(), Error> {
    let names: Vec<&str> = content
        .tables
        .iter()
        .map(|filled| filled.table.name)
        .collect();
    connection
        .query(&format!("DROP TABLE IF EXISTS {}", names.join(", ")))
        .await?;
    Ok(())
}

async fn way(connection: &mut Connection) -> Result<Way, Error> {
    let rows = connection.query("SELECT @@local_infile").await?;
    Ok(match rows.first().and_then(|row| row.first()) {
        Some(Some(on)) if on == "1" => Way::LoadData,
        _ => Way::Insert,
    })
}

fn foreign(table: &str) -> Found {
    Found::Foreign(format!(
        "a database with a table {table} that iGen did not create"
    ))
}

/// Texts are stored as utf8mb4, MySQL's and since 11.6 MariaDB's default, and compared by their
/// bytes: ASCII takes one byte a character, and nothing is converted on its way.
fn create_table(table: &Table) -> String {
    let columns: Vec<String> = table.columns.iter().map(column).collect();
    format!(
        "CREATE TABLE {} ({}) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        table.name,
        columns.join(", ")
    )
}

fn column(column: &Column) -> String {
    let kind = match column.kind {
        Kind::Key => "INT PRIMARY KEY".to_owned(),
        Kind::Identity => "BIGINT AUTO_INCREMENT PRIMARY KEY".to_owned(),
        Kind::Integer => "INT NOT NULL".to_owned(),
        Kind::BigInteger => "BIGINT NOT NULL".to_owned(),
        Kind::Amount => "DECIMAL(12,2) NOT NULL".to_owned(),
        Kind::Character(length) => format!("CHAR({length}) NOT NULL"),
        Kind::Text(most) => format!("VARCHAR({most}) NOT NULL"),
        // A TIMESTAMP would depend on the time zone and end in 2038.
        Kind::Timestamp => "DATETIME NOT NULL".to_owned(),
    };
    format!("{} {kind}", column.name)
}
