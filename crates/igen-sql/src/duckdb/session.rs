//! One user's connection: its transactions and statements.

use std::path::{Path, PathBuf};

use igen_engine::{Failure, FailureKind};

use super::ffi::{Cell, Connection, Library, Prepared};
use super::shared::{Access, Shared};
use crate::embedded::FileIdentity;
use crate::value::{Checksum, Rows, timestamp_text};

/// Transactions between two looks at whether the file is still there: a look costs about 1 µs.
const TRANSACTIONS_PER_LOOK: u32 = 64;

/// A connection with its prepared statements.
pub struct Session {
    /// Dropped before the connection.
    statements: Vec<Prepared>,
    connection: Connection,
    path: PathBuf,
    identity: FileIdentity,
    in_transaction: bool,
    transactions_until_look: u32,
}

impl Session {
    /// Opens the database at `path` and prepares `statements`.
    pub(super) fn open(
        library: &'static Library,
        path: &Path,
        access: Access,
        statements: &[&str],
    ) -> Result<Self, Failure> {
        let file = Shared::open(library, path, access)
            .map_err(|text| Failure::anew(FailureKind::Other, text))?;
        let mut connection = Connection::new(file)?;
        Ok(Self {
            statements: statements
                .iter()
                .map(|sql| connection.prepare(sql))
                .collect::<Result<_, _>>()?,
            connection,
            path: path.to_owned(),
            identity: FileIdentity::of(path).ok_or_else(|| {
                Failure::anew(
                    FailureKind::Other,
                    "the database file was removed or replaced",
                )
            })?,
            in_transaction: false,
            transactions_until_look: TRANSACTIONS_PER_LOOK,
        })
    }

    /// The file that this connection opened.
    pub(super) fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// Begins a transaction. DuckDB lets many write at once: who changes a row that another has
    /// changed fails with a conflict.
    pub fn begin(&mut self, _writes: bool) -> Result<(), Failure> {
        self.connection.query("BEGIN TRANSACTION")?;
        self.in_transaction = true;
        Ok(())
    }

    /// Commits the transaction.
    pub fn commit(&mut self) -> Result<(), Failure> {
        self.connection.query("COMMIT")?;
        self.in_transaction = false;
        Ok(())
    }

    /// Rolls back the transaction, if one is open.
    pub fn rollback(&mut self) {
        if std::mem::take(&mut self.in_transaction) {
            // Where even this fails the next BEGIN fails too, and says so.
            let _ = self.connection.query("ROLLBACK");
        }
    }

    /// Runs the select at `index` of the prepared statements and reads all of its rows.
    pub fn select(&mut self, index: usize, parameters: &[i64]) -> Result<Rows, Failure> {
        let mut rows = Rows::default();
        self.statements[index].run(parameters)?.for_each(|row| {
            rows.count += 1;
            for cell in row {
                add(&mut rows.checksum, *cell);
            }
        })?;
        Ok(rows)
    }

    /// Runs the insert, update or delete at `index` of the prepared statements; returns the
    /// number of rows it changed.
    pub fn execute(&mut self, index: usize, parameters: &[i64]) -> Result<u64, Failure> {
        let mut answer = self.statements[index].run(parameters)?;
        Ok(answer.rows_changed())
    }

    /// Runs statements that are not prepared and returns the rows of the last one as text.
    pub fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Failure> {
        let mut rows = Vec::new();
        self.connection
            .query(sql)?
            .for_each(|row| rows.push(row.iter().map(|cell| text(*cell)).collect()))?;
        Ok(rows)
    }

    /// Now and then checks that the file is still the one that was opened. Called once a
    /// transaction.
    pub fn check_file(&mut self) -> Result<(), Failure> {
        self.transactions_until_look -= 1;
        if self.transactions_until_look > 0 {
            return Ok(());
        }
        self.transactions_until_look = TRANSACTIONS_PER_LOOK;
        if FileIdentity::of(&self.path) == Some(self.identity) {
            Ok(())
        } else {
            Err(Failure::anew(
                FailureKind::Other,
                "the database file was removed or replaced",
            ))
        }
    }
}

fn text(cell: Cell<'_>) -> Option<String> {
    match cell {
        Cell::Null => None,
        Cell::Integer(integer) => Some(integer.to_string()),
        Cell::Real(real) => Some(real.to_string()),
        Cell::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
        Cell::Timestamp(unix_s) => {
            Some(String::from_utf8_lossy(&timestamp_text(unix_s)).into_owned())
        }
    }
}

fn add(checksum: &mut Checksum, cell: Cell<'_>) {
    match cell {
        Cell::Integer(integer) => checksum.integer(integer),
        Cell::Text(text) => checksum.text(text),
        Cell::Timestamp(unix_s) => checksum.text(&timestamp_text(unix_s)),
        Cell::Real(real) => checksum.integer(real.to_bits().cast_signed()),
        Cell::Null => checksum.integer(i64::MIN),
    }
}
