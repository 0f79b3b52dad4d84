//! A workload's tables in DuckDB's dialect.

use std::ops::Range;

use igen_job::JobError;

use super::load::Loader;
use crate::content::{Column, Filled, Kind, Table};
use crate::embedded::Load;

impl Load for Loader {
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
        .filter(|column| column.kind == Kind::Identity);
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
        Kind::Key => "INTEGER PRIMARY KEY".to_owned(),
        Kind::Identity => format!(
            "BIGINT PRIMARY KEY DEFAULT nextval('{}')",
            sequence(table, column)
        ),
        Kind::Integer => "INTEGER NOT NULL".to_owned(),
        Kind::BigInteger => "BIGINT NOT NULL".to_owned(),
        Kind::Amount => "DECIMAL(12,2) NOT NULL".to_owned(),
        Kind::Character(_) | Kind::Text(_) => "VARCHAR NOT NULL".to_owned(),
        Kind::Timestamp => "TIMESTAMP NOT NULL".to_owned(),
    }
}
