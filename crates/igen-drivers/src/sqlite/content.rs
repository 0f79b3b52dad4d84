//! A workload's tables in SQLite's dialect.

use igen_engine::{Failure, Progress};
use igen_job::JobError;

use super::load::Loader;
use super::session::Session;
use crate::table::{Column, Content, Filled, Kind, Metadata, Table};

/// Rows written together; between batches the load may be interrupted.
const ROWS_PER_BATCH: u64 = 10_000;

const CREATE_METADATA: &str = "CREATE TABLE igen_metadata (workload VARCHAR(20) NOT NULL, \
    name VARCHAR(40) NOT NULL, value BIGINT NOT NULL, PRIMARY KEY (workload, name))";

/// The figures that the database was loaded with for `workload`; `None` if it is another's, or of a
/// version that kept them otherwise.
pub(super) fn metadata(session: &Session, workload: &str) -> Result<Option<Metadata>, Failure> {
    let sql = format!("SELECT name, value FROM igen_metadata WHERE workload = '{workload}'");
    let rows = match session.query(&sql) {
        Err(failure) if failure.reason.contains("no such column") => return Ok(None),
        rows => rows?,
    };
    let metadata: Metadata = rows
        .into_iter()
        .filter_map(|row| match <[Option<String>; 2]>::try_from(row) {
            Ok([Some(name), Some(value)]) => Some((name, value.parse().ok()?)),
            _ => None,
        })
        .collect();
    Ok(Some(metadata).filter(|metadata| !metadata.is_empty()))
}

/// Creates and fills the tables of `content`, then gives the database its name.
pub(super) async fn fill(
    loader: Loader,
    content: &Content<'_>,
    progress: &Progress,
) -> Result<(), JobError> {
    loader.execute(CREATE_METADATA)?;
    for (name, value) in &content.metadata {
        loader.execute(&format!(
            "INSERT INTO igen_metadata VALUES ('{}', '{name}', {value})",
            content.workload
        ))?;
    }
    let total = content.rows();
    let mut done = 0;
    for filled in &content.tables {
        loader.execute(&create_table(filled.table))?;
        let text = format!("loading {}", filled.table.name);
        let mut rows = 0;
        while rows < filled.rows {
            progress.report(&text, done + rows, total, "rows");
            let batch = rows..filled.rows.min(rows + ROWS_PER_BATCH);
            rows = batch.end;
            insert(&loader, filled, batch)?;
            tokio::task::yield_now().await;
        }
        done += rows;
    }
    for index in content.indexes {
        loader.execute(&format!(
            "CREATE INDEX {} ON {} ({})",
            index.name, index.table, index.column
        ))?;
    }
    loader.finish()?;
    progress.report("loaded", total, total, "rows");
    Ok(())
}

fn insert(
    loader: &Loader,
    filled: &Filled<'_>,
    indexes: std::ops::Range<u64>,
) -> Result<(), JobError> {
    let mut batch = loader.batch(&insert_into(filled.table))?;
    let mut source = (filled.source)();
    let mut outcome = Ok(());
    for index in indexes {
        source.row(index, &mut |values| {
            if outcome.is_ok() {
                outcome = batch.insert(values);
            }
        });
    }
    outcome?;
    batch.commit()
}

fn create_table(table: &Table) -> String {
    let columns: Vec<String> = table.columns.iter().map(column).collect();
    format!("CREATE TABLE {} ({})", table.name, columns.join(", "))
}

/// A primary key that the database assigns is the rowid, which is the largest one in the table plus
/// one. (AUTOINCREMENT would write a second table with each insert.)
fn column(column: &Column) -> String {
    let kind = match column.kind {
        Kind::Key | Kind::Identity => "INTEGER PRIMARY KEY".to_owned(),
        Kind::Integer => "INTEGER NOT NULL".to_owned(),
        Kind::BigInteger => "BIGINT NOT NULL".to_owned(),
        Kind::Amount => "DECIMAL(12,2) NOT NULL".to_owned(),
        Kind::Character(length) => format!("CHAR({length}) NOT NULL"),
        Kind::Text(most) => format!("VARCHAR({most}) NOT NULL"),
        Kind::Timestamp => "TIMESTAMP NOT NULL".to_owned(),
    };
    format!("{} {kind}", column.name)
}

fn insert_into(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let places = vec!["?"; names.len()];
    format!(
        "INSERT INTO {} ({}) VALUES ({})",
        table.name,
        names.join(", "),
        places.join(", ")
    )
}
