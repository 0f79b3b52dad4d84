//! What a connection says about itself: read back, not assumed.

use igen_job::fact::{Declared, Fact};
use igen_job::facts;
use serde_json::Value;

use super::SCHEME;
use super::session::Session;

impl Session {
    /// Returns facts that the connection reports, without facts that cannot be read.
    #[must_use]
    pub fn facts(&self) -> Vec<Fact> {
        let mut found = vec![
            facts::TARGET_VERSION.of(SCHEME, rusqlite::version()),
            facts::TARGET_PLACEMENT.of(SCHEME, "in process, a connection for each user"),
            facts::SQLITE_CONCURRENCY
                .is("many readers, but only one writer at a time: more writers do not raise the throughput"),
        ];
        let mut fact = |fact: &Declared, value: Option<Value>| {
            found.extend(value.map(|value| fact.of(SCHEME, value)));
        };
        let page_bytes = self.integer("page_size");
        fact(&facts::SQLITE_JOURNAL_MODE, self.pragma("journal_mode"));
        let level = self.integer("synchronous");
        fact(&facts::SQLITE_SYNCHRONOUS, level.map(synchronous));
        let read_uncommitted = self.integer("read_uncommitted");
        fact(&facts::TARGET_ISOLATION, read_uncommitted.map(isolation));
        fact(&facts::SQLITE_LOCKING_MODE, self.pragma("locking_mode"));
        fact(&facts::SQLITE_PAGE_BYTES, page_bytes.map(Value::from));
        fact(
            &facts::SQLITE_CACHE_BYTES,
            cache_bytes(self.integer("cache_size"), page_bytes),
        );
        fact(&facts::SQLITE_MMAP_BYTES, self.pragma("mmap_size"));
        let pages = self.pragma("wal_autocheckpoint");
        fact(&facts::SQLITE_CHECKPOINT_AFTER_PAGES, pages);
        let pages = self.integer("page_count");
        let database_bytes = pages.zip(page_bytes).map(|(pages, bytes)| pages * bytes);
        fact(
            &facts::TARGET_DATABASE_BYTES,
            database_bytes.map(Value::from),
        );
        fact(&facts::SQLITE_THREADING, self.threading());
        found
    }

    fn integer(&self, name: &str) -> Option<i64> {
        self.pragma(name).as_ref().and_then(Value::as_i64)
    }

    fn pragma(&self, name: &str) -> Option<Value> {
        use rusqlite::types::Value as Column;
        match self
            .connection()
            .pragma_query_value(None, name, |row| row.get(0))
            .ok()?
        {
            Column::Integer(integer) => Some(integer.into()),
            Column::Text(text) => Some(text.into()),
            _ => None,
        }
    }

    /// How the library was compiled, and that connections do without its mutex.
    fn threading(&self) -> Option<Value> {
        let mut statement = self.connection().prepare("PRAGMA compile_options").ok()?;
        let mut options = statement
            .query_map([], |row| row.get::<_, String>(0))
            .ok()?;
        options
            .find_map(|option| {
                option
                    .ok()
                    .filter(|option| option.starts_with("THREADSAFE="))
            })
            .map(|option| format!("{option}, connections opened with NOMUTEX").into())
    }
}

fn synchronous(level: i64) -> Value {
    match level {
        0 => "off".into(),
        1 => "normal".into(),
        2 => "full".into(),
        3 => "extra".into(),
        other => other.into(),
    }
}

fn isolation(read_uncommitted: i64) -> Value {
    if read_uncommitted == 0 {
        "serializable".into()
    } else {
        "read uncommitted".into()
    }
}

/// A negative size counts KiB, a positive one pages.
fn cache_bytes(size: Option<i64>, page_bytes: Option<i64>) -> Option<Value> {
    let bytes = match size? {
        kib @ ..0 => kib.checked_mul(-1024)?,
        pages => pages.checked_mul(page_bytes?)?,
    };
    Some(bytes.into())
}
