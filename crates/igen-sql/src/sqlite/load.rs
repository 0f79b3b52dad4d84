//! Loading a database under another name, so that an interrupted load never looks complete.

use std::path::Path;

use igen_job::JobError;
use rusqlite::{CachedStatement, Connection, ErrorCode, OpenFlags};

use super::error::failure;
use super::file::APPLICATION_ID;
use crate::embedded::Claim;
use crate::value::{Value, timestamp_text};

/// Without a log and without waiting for the disk: if it fails, all of it is thrown away. The
/// cache also bounds the memory that the sort for an index takes.
const SETTINGS: &str = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
                        PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -65536;";

/// A database that is being loaded. Dropped before `finish`, it leaves nothing behind.
pub struct Loader {
    connection: Option<Connection>,
    /// Declared after the connection, because closing any descriptor of a file drops SQLite's own
    /// locks.
    claim: Claim,
}

impl Loader {
    /// Starts to load a database that will take about `needed_bytes` at `path`, where there is
    /// nothing; with `force` whatever space is free. `None` if another process is loading it or
    /// has just finished: look again.
    pub fn start(path: &Path, needed_bytes: u64, force: bool) -> Result<Option<Self>, JobError> {
        let Some(claim) = Claim::of(path, needed_bytes)? else {
            return Ok(None);
        };
        let mut loader = Self {
            connection: None,
            claim,
        };
        // Not before the claim: a database that has just been finished may have a log by now.
        loader.claim.check_no_log(&["-wal", "-journal"])?;
        if !force {
            loader.claim.check_space()?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(loader.claim.loading(), flags)
            .map_err(|error| loader.fault(&error))?;
        loader.connection = Some(connection);
        loader.execute(SETTINGS)?;
        loader.execute(&format!("PRAGMA application_id = {APPLICATION_ID}"))?;
        Ok(Some(loader))
    }

    /// Runs statements such as CREATE TABLE and CREATE INDEX.
    pub fn execute(&self, sql: &str) -> Result<(), JobError> {
        self.connection()?
            .execute_batch(sql)
            .map_err(|error| self.fault(&error))
    }

    /// Starts a batch of rows for the insert statement `sql`.
    pub fn batch(&self, sql: &str) -> Result<Batch<'_>, JobError> {
        self.execute("BEGIN")?;
        let insert = self
            .connection()?
            .prepare_cached(sql)
            .map_err(|error| self.fault(&error))?;
        Ok(Batch {
            loader: self,
            insert,
        })
    }

    /// Puts the complete database on disk and gives it its name.
    pub fn finish(mut self) -> Result<(), JobError> {
        self.execute("PRAGMA journal_mode = WAL")?;
        if let Some(Err((_, error))) = self.connection.take().map(Connection::close) {
            return Err(self.fault(&error));
        }
        let loading = self.claim.loading().to_owned();
        self.claim.finish(&loading)
    }

    fn connection(&self) -> Result<&Connection, JobError> {
        self.connection
            .as_ref()
            .ok_or_else(|| JobError::new("loading has already ended"))
    }

    fn fault(&self, error: &rusqlite::Error) -> JobError {
        if error.sqlite_error_code() == Some(ErrorCode::DiskFull) {
            return self.claim.disk_full();
        }
        JobError::new(format!(
            "cannot load {}: {}",
            self.claim.path().display(),
            failure(error).reason
        ))
    }
}

/// Rows of one insert statement, written together.
pub struct Batch<'a> {
    loader: &'a Loader,
    insert: CachedStatement<'a>,
}

impl Batch<'_> {
    /// Adds a row.
    pub fn insert(&mut self, row: &[Value<'_>]) -> Result<(), JobError> {
        self.try_insert(row)
            .map_err(|error| self.loader.fault(&error))
    }

    /// Writes the batch.
    pub fn commit(self) -> Result<(), JobError> {
        let loader = self.loader;
        drop(self);
        loader.execute("COMMIT")
    }

    fn try_insert(&mut self, row: &[Value<'_>]) -> rusqlite::Result<()> {
        for (position, value) in row.iter().enumerate() {
            let position = position + 1;
            match *value {
                Value::Integer(integer) => self.insert.raw_bind_parameter(position, integer)?,
                Value::Text(text) => self.insert.raw_bind_parameter(position, text)?,
                Value::Timestamp(unix_s) => {
                    let text = timestamp_text(unix_s);
                    let text = str::from_utf8(&text)?;
                    self.insert.raw_bind_parameter(position, text)?;
                }
            }
        }
        self.insert.raw_execute().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use std::fs;

    use super::*;
    use crate::embedded::discard_interrupted;

    const CREATE: &str = "CREATE TABLE words (word TEXT)";

    fn start(path: &Path) -> Loader {
        Loader::start(path, 0, false)
            .unwrap()
            .expect("nobody else loads it")
    }

    fn names(directory: &tempfile::TempDir) -> Vec<std::ffi::OsString> {
        fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect()
    }

    #[test]
    fn a_name_appears_when_the_database_is_complete() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("words.db");
        let loader = start(&path);
        loader.execute(CREATE).unwrap();
        assert!(!path.exists());
        loader.finish().unwrap();
        assert_eq!(names(&directory), ["words.db"]);
        assert!(
            Loader::start(&path, 0, false).unwrap().is_none(),
            "it is there"
        );
        assert_eq!(names(&directory), ["words.db"]);
    }

    #[test]
    fn only_one_loads_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("words.db");
        let loader = start(&path);
        assert!(Loader::start(&path, 0, false).unwrap().is_none());
        let error = discard_interrupted(&path).expect_err("not interrupted");
        assert!(error.text.contains("is loading"), "{error}");
        drop(loader);
        assert!(names(&directory).is_empty());
        drop(start(&path));
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("words.db");
        let loader = start(&path);
        fs::write(&path, "mine").unwrap();
        loader.finish().expect_err("it exists");
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        assert_eq!(names(&directory), ["words.db"]);
    }

    #[test]
    fn too_little_space_is_said_with_figures_before_and_during_the_load() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("words.db");
        let most = u64::MAX;
        let error = Loader::start(&path, most, false).err().expect("too much");
        assert!(
            error.text.contains("MB needed") && error.text.contains("words.db"),
            "{error}"
        );
        let loader = Loader::start(&path, most, true).unwrap().expect("forced");
        loader.execute(CREATE).unwrap();
        loader.execute("PRAGMA max_page_count = 4").unwrap();
        let mut batch = loader.batch("INSERT INTO words VALUES (?)").unwrap();
        let word = "x".repeat(1_000);
        let error = (0..100).find_map(|_| batch.insert(&[Value::Text(&word)]).err());
        assert!(error.expect("full").text.contains("MB free"));
        drop(batch);
        drop(loader);
        assert!(names(&directory).is_empty());
    }

    #[test]
    fn a_directory_that_is_not_there_is_named() {
        let error = Loader::start(Path::new("/nowhere/words.db"), 0, false)
            .err()
            .expect("no");
        assert!(error.text.contains("/nowhere"), "{error}");
    }
}
