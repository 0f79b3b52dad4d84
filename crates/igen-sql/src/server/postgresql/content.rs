//! A workload's tables in PostgreSQL's dialect: creating and filling them.

use std::cell::{Cell, RefCell};

use igen_engine::ProgressReporter;

use super::connection::Connection;
use super::copy::load;
use super::error::Error;
use crate::content::{Column, ColumnType, Content, Filled, Table};
use crate::server::content::{CREATE_METADATA, LOADING, drop_tables, finished, forget};
use crate::server::protocol::LOADERS;

/// About the length of a row from which the server moves its texts elsewhere.
const LEAST_MOVED_BYTES: u16 = 2_000;
/// About the longest text for which a page has room.
const MOST_IN_ROW_BYTES: u16 = 8_000;

/// Creates and fills the tables.
pub(super) async fn fill(
    connection: &mut Connection,
    loaders: &mut [Connection; LOADERS],
    content: &Content<'_>,
    progress: &ProgressReporter,
) -> Result<(), Error> {
    create(connection, content).await?;
    let total = content.rows();
    let done = Cell::new(0);
    for filled in &content.tables {
        let text = format!("loading {}", filled.table.name);
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
        load(loaders, filled, &report).await?;
    }
    // Before there are indexes, which it would look at, too; the scans for the indexes then read rows
    // known to be visible to all.
    progress.report("vacuuming", total - 1, total, "rows");
    two_at_a_time(loaders, vacuums(content)).await?;
    progress.report("creating keys and indexes", total - 1, total, "rows");
    // Most that the load has written is written to disk while processors sort.
    tokio::join!(
        checkpoint(connection),
        two_at_a_time(loaders, sorts(content))
    )
    .1?;
    for filled in &content.tables {
        add_key(connection, filled.table).await?;
        restart(connection, filled.table, filled.rows).await?;
    }
    finish(connection, content).await?;
    progress.report("loaded", total, total, "rows");
    Ok(())
}

/// Runs statements, the last one first; two at a time: what one sorts, the other reads.
async fn two_at_a_time(
    loaders: &mut [Connection; LOADERS],
    statements: Vec<String>,
) -> Result<(), Error> {
    let statements = RefCell::new(statements);
    let next = || statements.borrow_mut().pop();
    let share = async |connection: &mut Connection| {
        while let Some(sql) = next() {
            connection.query(&sql).await?;
        }
        Ok(())
    };
    let [one, other, ..] = loaders;
    tokio::try_join!(share(one), share(other)).map(|_| ())
}

/// Writes to disk what the load has written so far, as far as the user may ask for it: otherwise it
/// would be written during the measurement.
async fn checkpoint(connection: &mut Connection) {
    let _ = connection.query("CHECKPOINT").await;
}

/// Creates the tables, without keys, and says that they are being loaded.
async fn create(connection: &mut Connection, content: &Content<'_>) -> Result<(), Error> {
    let mut sql = vec![
        "BEGIN".to_owned(),
        CREATE_METADATA.to_owned(),
        drop_tables(content),
        forget(content.workload),
        format!(
            "INSERT INTO igen_metadata VALUES ('{}', '{LOADING}', 1)",
            content.workload
        ),
    ];
    sql.extend(
        content
            .tables
            .iter()
            .map(|filled| create_table(filled.table)),
    );
    sql.push("COMMIT".to_owned());
    connection.query(&sql.join("; ")).await.map(|_| ())
}

/// The load is complete: writes down its figures.
async fn finish(connection: &mut Connection, content: &Content<'_>) -> Result<(), Error> {
    let sql = format!(
        "BEGIN; {}; {}; SET LOCAL synchronous_commit = on; COMMIT",
        forget(content.workload),
        finished(content)
    );
    connection.query(&sql).await?;
    checkpoint(connection).await;
    Ok(())
}

/// Returns the names of those of `content`'s tables that are there.
pub(super) async fn tables(
    connection: &mut Connection,
    content: &Content<'_>,
) -> Result<Vec<String>, Error> {
    let mut tables = Vec::new();
    for filled in &content.tables {
        let name = filled.table.name;
        let rows = connection
            .query(&format!("SELECT to_regclass('{name}') IS NOT NULL"))
            .await?;
        if rows
            .into_iter()
            .flatten()
            .flatten()
            .any(|there| there == "t")
        {
            tables.push(name.to_owned());
        }
    }
    Ok(tables)
}

/// Long texts that fit into a page stay in their row: the server's default puts them into a table of
/// their own, which a scan of the rows does not read.
fn create_table(table: &Table) -> String {
    let columns: Vec<String> = table.columns.iter().map(column).collect();
    let mut sql = vec![format!(
        "CREATE TABLE {} ({})",
        table.name,
        columns.join(", ")
    )];
    for column in table.columns {
        if matches!(
            column.kind,
            ColumnType::Text(LEAST_MOVED_BYTES..=MOST_IN_ROW_BYTES)
        ) {
            sql.push(format!(
                "ALTER TABLE {} ALTER COLUMN {} SET STORAGE PLAIN",
                table.name, column.name
            ));
        }
    }
    sql.join("; ")
}

fn column(column: &Column) -> String {
    let kind = match column.kind {
        ColumnType::Key | ColumnType::Integer => "INTEGER".to_owned(),
        ColumnType::Identity => "BIGINT GENERATED BY DEFAULT AS IDENTITY".to_owned(),
        ColumnType::BigInteger => "BIGINT".to_owned(),
        ColumnType::Amount => "NUMERIC(12,2)".to_owned(),
        ColumnType::Character(length) => format!("CHAR({length})"),
        ColumnType::Text(most) => format!("VARCHAR({most})"),
        ColumnType::Timestamp => "TIMESTAMP(0)".to_owned(),
    };
    format!("{} {kind} NOT NULL", column.name)
}

/// Statements that vacuum and analyze, the longest last.
fn vacuums(content: &Content<'_>) -> Vec<String> {
    let vacuum = |filled: &Filled<'_>| {
        let sql = format!("VACUUM (ANALYZE) {}", filled.table.name);
        (filled.rows, sql)
    };
    longest_last(content.tables.iter().map(vacuum).collect())
}

/// Statements that create the indexes of keys and all others, the longest last. An index becomes its
/// table's key later: a key added at once would wait until no other index of its table is created.
fn sorts(content: &Content<'_>) -> Vec<String> {
    let mut sorts = Vec::new();
    for filled in &content.tables {
        if let Some(column) = key(filled.table) {
            let table = filled.table.name;
            let sql = format!("CREATE UNIQUE INDEX {table}_pkey ON {table} ({column})");
            sorts.push((filled.rows, sql));
        }
    }
    for index in content.indexes {
        let rows = content
            .tables
            .iter()
            .find(|filled| filled.table.name == index.table)
            .map_or(0, |filled| filled.rows);
        let sql = format!(
            "CREATE INDEX {} ON {} ({})",
            index.name, index.table, index.column
        );
        sorts.push((rows, sql));
    }
    longest_last(sorts)
}

fn longest_last(mut statements: Vec<(u64, String)>) -> Vec<String> {
    statements.sort_by_key(|(rows, _)| *rows);
    statements.into_iter().map(|(_, sql)| sql).collect()
}

/// The column that is the primary key.
fn key(table: &Table) -> Option<&'static str> {
    let is_key = |column: &&Column| matches!(column.kind, ColumnType::Key | ColumnType::Identity);
    table.columns.iter().find(is_key).map(|column| column.name)
}

/// Makes the index of the key column the primary key.
async fn add_key(connection: &mut Connection, table: &Table) -> Result<(), Error> {
    if key(table).is_some() {
        let table = table.name;
        let sql = format!("ALTER TABLE {table} ADD PRIMARY KEY USING INDEX {table}_pkey");
        connection.query(&sql).await?;
    }
    Ok(())
}

/// Lets the database assign keys after the loaded ones.
async fn restart(connection: &mut Connection, table: &Table, rows: u64) -> Result<(), Error> {
    for column in table.columns {
        if column.kind == ColumnType::Identity {
            connection
                .query(&format!(
                    "ALTER TABLE {} ALTER COLUMN {} RESTART WITH {}",
                    table.name,
                    column.name,
                    rows + 1
                ))
                .await?;
        }
    }
    Ok(())
}
