//! Filling a database file with a workload's tables.

use std::ops::Range;

use igen_engine::ProgressReporter;
use igen_job::JobError;

use crate::content::{Content, Filled, Metadata};

/// Rows written together; between batches the load may be interrupted.
const ROWS_PER_BATCH: u64 = 10_000;

const CREATE_METADATA: &str = "CREATE TABLE igen_metadata (workload VARCHAR(20) NOT NULL, \
    name VARCHAR(40) NOT NULL, value BIGINT NOT NULL, PRIMARY KEY (workload, name))";

/// A database that is being loaded; dropped before `finish`, it leaves nothing behind.
pub(crate) trait FileLoader: Sized {
    /// Runs a statement such as CREATE INDEX.
    fn execute(&mut self, sql: &str) -> Result<(), JobError>;

    /// Creates a table.
    fn create(&mut self, filled: &Filled<'_>) -> Result<(), JobError>;

    /// Writes the rows of these numbers.
    fn insert(&mut self, filled: &Filled<'_>, indexes: Range<u64>) -> Result<(), JobError>;

    /// Puts the complete database on disk and gives it its name.
    fn finish(self) -> Result<(), JobError>;
}

/// Creates and fills the tables of `content`, then gives the database its name.
pub(crate) async fn fill(
    mut loader: impl FileLoader,
    content: &Content<'_>,
    progress: &ProgressReporter,
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
        loader.create(filled)?;
        let text = format!("loading {}", filled.table.name);
        let mut rows = 0;
        while rows < filled.rows {
            progress.report(&text, done + rows, total, "rows");
            let batch = rows..filled.rows.min(rows + ROWS_PER_BATCH);
            rows = batch.end;
            loader.insert(filled, batch)?;
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

/// Selects names and values of the metadata that the database was loaded with for `workload`.
pub(crate) fn select_metadata(workload: &str) -> String {
    format!("SELECT name, value FROM igen_metadata WHERE workload = '{workload}'")
}

/// The metadata in the rows of `select_metadata`; `None` if the database is another workload's.
pub(crate) fn metadata_of(rows: Vec<Vec<Option<String>>>) -> Option<Metadata> {
    let metadata: Metadata = rows
        .into_iter()
        .filter_map(|row| match <[Option<String>; 2]>::try_from(row) {
            Ok([Some(name), Some(value)]) => Some((name, value.parse().ok()?)),
            _ => None,
        })
        .collect();
    Some(metadata).filter(|metadata| !metadata.is_empty())
}
