//! A workload's tables in DuckDB's dialect.

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
        for sequence in sequences(filled) {
            self.execute(&sequence)?;
        }
        Self::create(self, &create_table(filled.table))
    }

    fn insert(&mut self, filled: &Filled<'_>, indexes: Range<u64>) -> Result<(), JobError> {
        let mut source = (filled.source)();
        self.append(filled.table.name, |appender| {
            let mut outcome = Ok(());
            for index in indexes {
                source.row(index, &mut |values| {
                    if outcome.is_ok() {
                        outcome = appender.append(values);
                    }
                });
            }
            outcome
        })
    }

    fn finish(self) -> Result<(), JobError> {
        Self::finish(self)
    }
}

fn create_table(table: &Table) -> String {
    let columns: Vec<String> = table
        .columns
        .iter()
        .map(|column| format!("{} {}", column.name, kind(table, column)))
        .collect();
    format!("CREATE TABLE {} ({})", table.name, columns.join(", "))
}

/// DuckDB has no identity columns: a sequence that goes on after the loaded rows assigns them.
fn sequences(filled: &Filled<'_>) -> impl Iterator<Item = String> {
    let identities = filled
        .table
        .columns
        .iter()
        .filter(|column| column.kind == ColumnType::Identity);
    identities.map(|column| {
        format!(
            "CREATE SEQUENCE {} START {}",
            sequence(filled.table, column),
            filled.rows + 1
        )
    })
}

fn sequence(table: &Table, column: &Column) -> String {
    format!("{}_{}_sequence", table.name, column.name)
}

/// Texts have no declared length here: DuckDB accepts one and ignores it.
fn kind(table: &Table, column: &Column) -> String {
    match column.kind {
        ColumnType::Key => "INTEGER PRIMARY KEY".to_owned(),
        ColumnType::Identity => format!(
            "BIGINT PRIMARY KEY DEFAULT nextval('{}')",
            sequence(table, column)
        ),
        ColumnType::Integer => "INTEGER NOT NULL".to_owned(),
        ColumnType::BigInteger => "BIGINT NOT NULL".to_owned(),
        ColumnType::Amount => "DECIMAL(12,2) NOT NULL".to_owned(),
        ColumnType::Character(_) | ColumnType::Text(_) => "VARCHAR NOT NULL".to_owned(),
        ColumnType::Timestamp => "TIMESTAMP NOT NULL".to_owned(),
    }
}
