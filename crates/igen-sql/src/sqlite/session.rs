//! One user's connection: its transactions and statements.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use igen_engine::{Failure, FailureKind};
use rusqlite::config::DbConfig;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Statement};

use super::busy::wait_for_locks;
use super::error::failure;
use super::functions::add_functions;
use super::log::Log;
use super::prepared::{Control, Prepared};
use crate::embedded::FileIdentity;
use crate::settings::{Settings, Synchronous};
use crate::value::{Checksum, LogWritten, Rows};

/// Transactions between two looks at whether the file is still there: a look costs about 1 µs.
const TRANSACTIONS_PER_LOOK: u32 = 64;
/// SQLite's own default.
const CACHE_BYTES: u64 = 2_000 * 1024;

/// A connection with its prepared statements.
pub struct Session {
    prepared: Prepared,
    path: PathBuf,
    identity: FileIdentity,
    retries: Arc<AtomicU64>,
    log: Log,
    transactions_until_look: u32,
}

impl Session {
    /// Opens the database at `path`, which must be iGen's (`look`), and prepares `statements`.
    pub fn open(
        path: &Path,
        settings: &Settings,
        statements: &'static [&'static str],
    ) -> Result<Self, Failure> {
        let retries = Arc::new(AtomicU64::new(0));
        let connection = connect(path, settings, &retries).map_err(|error| failure(&error))?;
        let page_bytes = connection
            .pragma_query_value(None, "page_size", |row| row.get::<_, u32>(0))
            .map_err(|error| failure(&error))?;
        Ok(Self {
            prepared: Prepared::new(connection, statements).map_err(|error| failure(&error))?,
            path: path.to_owned(),
            identity: FileIdentity::of(path).ok_or_else(|| {
                Failure::anew(
                    FailureKind::Other,
                    "the database file was removed or replaced",
                )
            })?,
            retries,
            log: Log::of(settings, page_bytes.into()),
            transactions_until_look: TRANSACTIONS_PER_LOOK,
        })
    }

    pub(super) fn connection(&self) -> &Connection {
        self.prepared.connection()
    }

    /// The file that this connection opened.
    #[must_use]
    pub(crate) fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// Begins a transaction; one that writes waits here until it is the one writer.
    ///
    /// IMMEDIATE, because a transaction that starts with a select and then writes must start
    /// again whenever another one committed in between. Medians of 5 alternating runs with 8
    /// users: synchronous=normal 9.7 k tx/s against 3.2 k with 9.9 new starts each, full 1.05 k
    /// against 73 tx/s with 710.
    pub fn begin(&mut self, writes: bool) -> Result<(), Failure> {
        self.log.begun(writes);
        self.control(if writes {
            Control::BeginImmediate
        } else {
            Control::Begin
        })
    }

    /// Commits the transaction.
    pub fn commit(&mut self) -> Result<(), Failure> {
        self.control(Control::Commit)?;
        self.log.committed();
        Ok(())
    }

    /// Rolls back the transaction, if one is open: some errors have done so already.
    pub fn rollback(&mut self) {
        if !self.connection().is_autocommit() {
            // Where even this fails the next BEGIN fails too, and says so.
            let _ = self.control(Control::Rollback);
        }
    }

    /// Runs the select at `index` of the prepared statements and reads all of its rows.
    pub fn select(&mut self, index: usize, parameters: &[i64]) -> Result<Rows, Failure> {
        let select = |statement: &mut Statement<'_>| {
            let columns = statement.column_count();
            let mut cursor = statement.raw_query();
            let mut rows = Rows::default();
            while let Some(row) = cursor.next()? {
                rows.count += 1;
                for column in 0..columns {
                    add(&mut rows.checksum, row.get_ref(column)?);
                }
            }
            Ok(rows)
        };
        let rows = self.prepared.run(index, parameters, select);
        rows.map_err(|error| failure(&error))
    }

    /// Runs the insert, update or delete at `index` of the prepared statements; returns the
    /// number of rows it changed.
    pub fn execute(&mut self, index: usize, parameters: &[i64]) -> Result<u64, Failure> {
        let rows = self.prepared.run(index, parameters, |statement| {
            statement.raw_execute().map(|rows| rows as u64)
        });
        rows.map_err(|error| failure(&error))
    }

    /// Runs a statement that is not prepared and returns its rows as text.
    pub fn query(&self, sql: &str) -> Result<Vec<Vec<Option<String>>>, Failure> {
        let select = || {
            let mut statement = self.connection().prepare(sql)?;
            let columns = statement.column_count();
            let mut cursor = statement.raw_query();
            let mut rows = Vec::new();
            while let Some(row) = cursor.next()? {
                let row = (0..columns).map(|column| row.get_ref(column).map(text));
                rows.push(row.collect::<rusqlite::Result<_>>()?);
            }
            Ok(rows)
        };
        select().map_err(|error| failure(&error))
    }

    /// Times that this connection found a lock and tried again, since it was last asked.
    #[must_use]
    pub fn take_retries(&mut self) -> u64 {
        self.retries.swap(0, Ordering::Relaxed)
    }

    /// What this connection has written to the log since it was last asked.
    #[must_use]
    pub fn take_log(&mut self) -> LogWritten {
        self.log.take(self.prepared.connection())
    }

    /// Now and then checks that the file is still the one that was opened: SQLite would go on
    /// with a file that no longer has a name. Called once a transaction.
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

    fn control(&mut self, control: Control) -> Result<(), Failure> {
        let done = self.prepared.control(control);
        done.map_err(|error| failure(&error))
    }
}

fn connect(
    path: &Path,
    settings: &Settings,
    retries: &Arc<AtomicU64>,
) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    // Statements keep their plan: otherwise a bundled SQLite (compiled with STAT4) prepares some of
    // them again for each new parameter, such as a select with ORDER BY and LIMIT.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    add_functions(&connection)?;
    wait_for_locks(
        &mut connection,
        settings.busy_timeout(),
        Arc::clone(retries),
    )?;
    connection.pragma_update(
        None,
        "synchronous",
        word(settings.synchronous.unwrap_or_default()),
    )?;
    let cache_bytes = settings.cache_bytes.map_or(CACHE_BYTES, |bytes| bytes.0);
    // A negative cache size counts KiB.
    let cache_kib = i64::try_from(cache_bytes.div_ceil(1024)).unwrap_or(i64::MAX);
    connection.pragma_update(None, "cache_size", -cache_kib)?;
    Ok(connection)
}

fn word(synchronous: Synchronous) -> &'static str {
    match synchronous {
        Synchronous::Normal => "NORMAL",
        Synchronous::Full => "FULL",
    }
}

fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null => None,
        ValueRef::Integer(integer) => Some(integer.to_string()),
        ValueRef::Real(real) => Some(real.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            Some(String::from_utf8_lossy(text).into_owned())
        }
    }
}

fn add(checksum: &mut Checksum, value: ValueRef<'_>) {
    match value {
        ValueRef::Integer(integer) => checksum.integer(integer),
        ValueRef::Text(text) | ValueRef::Blob(text) => checksum.text(text),
        ValueRef::Real(real) => checksum.integer(real.to_bits().cast_signed()),
        ValueRef::Null => checksum.integer(i64::MIN),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use igen_job::Seconds;
    use rusqlite::StatementStatus;

    use super::*;
    use crate::sqlite::load::Loader;
    use crate::value::Value;

    fn settings() -> Settings {
        Settings {
            synchronous: Some(Synchronous::Normal),
            busy_timeout_s: Some(Seconds(0.01)),
            ..Settings::default()
        }
    }

    const STATEMENTS: &[&str] = &[
        "SELECT id, word FROM words WHERE kind = ? ORDER BY id DESC LIMIT 1",
        "DELETE FROM words WHERE id = (SELECT MIN(id) FROM words WHERE kind = ?)",
        "INSERT INTO words (kind, word) VALUES (?, 'new')",
    ];

    /// A database with 100 words of 10 kinds.
    fn words() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("words.db");
        let loader = Loader::start(&path, 0, false)
            .unwrap()
            .expect("nobody else");
        loader
            .execute("CREATE TABLE words (id INTEGER PRIMARY KEY, kind INTEGER, word TEXT)")
            .unwrap();
        let mut batch = loader.batch("INSERT INTO words VALUES (?, ?, ?)").unwrap();
        for id in 1..=100 {
            let row = [
                Value::Integer(id),
                Value::Integer(id % 10),
                Value::Text("old"),
            ];
            batch.insert(&row).unwrap();
        }
        batch.commit().unwrap();
        loader
            .execute("CREATE INDEX words_by_kind ON words (kind)")
            .unwrap();
        loader.finish().unwrap();
        (directory, path)
    }

    #[test]
    fn statements_are_prepared_once() {
        let (_directory, path) = words();
        let mut session = Session::open(&path, &settings(), STATEMENTS).unwrap();
        for kind in 0..10 {
            assert_eq!(session.select(0, &[kind]).unwrap().count, 1);
            assert_eq!(session.execute(1, &[kind]).unwrap(), 1);
        }
        for index in 0..2 {
            let statuses = [StatementStatus::Run, StatementStatus::RePrepare];
            let counted = session.prepared.run(index, &[], |statement| {
                Ok(statuses.map(|status| statement.get_status(status)))
            });
            assert_eq!(counted, Ok([10, 0]), "{index}");
        }
    }

    #[test]
    fn every_value_of_every_row_is_in_the_checksum() {
        let (_directory, path) = words();
        let mut session = Session::open(&path, &settings(), STATEMENTS).unwrap();
        let mut expected = Checksum::default();
        expected.row(&[Value::Integer(93), Value::Text("old")]);
        assert_eq!(
            session.select(0, &[3]).unwrap(),
            Rows {
                count: 1,
                checksum: expected
            }
        );
        assert_eq!(session.select(0, &[10]).unwrap(), Rows::default());
    }

    #[test]
    fn a_transaction_commits_or_rolls_back_as_a_whole() {
        let (_directory, path) = words();
        let mut session = Session::open(&path, &settings(), STATEMENTS).unwrap();
        let count = "SELECT COUNT(*) FROM words";
        session.begin(true).unwrap();
        session.execute(2, &[1]).unwrap();
        session.rollback();
        assert_eq!(session.query(count).unwrap(), [[Some("100".to_owned())]]);
        session.begin(true).unwrap();
        session.execute(2, &[1]).unwrap();
        session.commit().unwrap();
        assert_eq!(session.query(count).unwrap(), [[Some("101".to_owned())]]);
    }

    #[test]
    fn waiting_for_the_writer_ends_and_is_counted() {
        let (_directory, path) = words();
        let mut writer = Session::open(&path, &settings(), &[]).unwrap();
        let mut other = Session::open(&path, &settings(), &[]).unwrap();
        writer.begin(true).unwrap();
        other.begin(false).expect("readers do not wait");
        other.commit().unwrap();
        assert_eq!(other.take_retries(), 0);
        assert_eq!(
            other.begin(true),
            Err(Failure::new(FailureKind::Other, "database is locked"))
        );
        assert!(other.take_retries() > 0);
        assert_eq!(other.take_retries(), 0, "since it was last asked");
    }
}
