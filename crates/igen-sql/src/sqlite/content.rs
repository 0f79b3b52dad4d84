//! A workload's tables in SQLite's dialect.

use std::ops::Range;

use igen_job::JobError;

use super::load::Loader;
use crate::content::{Column, ColumnType, Filled, Table};
use crate::embedded::FileLoader;

impl FileLoader for Loader {
    fn execute(&mut self, sql: &str) -> Result<(), JobError> {
        Self::execute(self, sql)
    }

    fn create(&mut self, filled: &Filled<'_>) -> Result<(), JobError> {
        Self::execute(self, &create_table(filled.table))
    }

    fn insert(&mut self, filled: &Filled<'_>, indexes: Range<u64>) -> Result<(), JobError> {
        let mut batch = self.batch(&insert_into(filled.table))?;
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

    fn finish(self) -> Result<(), JobError> {
        Self::finish(self)
    }
}

fn create_table(table: &Table) -> String {
    let columns: Vec<String> = table.columns.iter().map(column).collect();
    format!("CREATE TABLE {} ({})", table.name, columns.join(", "))
}

/// A primary key that the database assigns is the rowid, which is the largest one in the table plus
/// one. (AUTOINCREMENT would write a second table with each insert.)
fn column(column: &Column) -> String {
    let kind = match column.kind {
        ColumnType::Key | ColumnType::Identity => "INTEGER PRIMARY KEY".to_owned(),
        ColumnType::Integer => "INTEGER NOT NULL".to_owned(),
        ColumnType::BigInteger => "BIGINT NOT NULL".to_owned(),
        ColumnType::Amount => "DECIMAL(12,2) NOT NULL".to_owned(),
        ColumnType::Character(length) => format!("CHAR({length}) NOT NULL"),
        ColumnType::Text(most) => format!("VARCHAR({most}) NOT NULL"),
        ColumnType::Timestamp => "TIMESTAMP NOT NULL".to_owned(),
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
