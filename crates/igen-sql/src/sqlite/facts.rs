//! What a connection says about itself: read back, not assumed.

use serde_json::Value;

use super::session::Session;

impl Session {
    /// Names below `target.sqlite` and values; what cannot be read is left out.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, Value)> {
        let mut facts = vec![
            ("version", rusqlite::version().into()),
            ("placement", "in process, a connection for each user".into()),
            (
                "concurrency",
                "many readers, one writer: throughput of writers is flat by design".into(),
            ),
        ];
        let mut fact = |name, value: Option<Value>| facts.extend(value.map(|value| (name, value)));
        let page_bytes = self.integer("page_size");
        fact("journal_mode", self.pragma("journal_mode"));
        fact("synchronous", self.integer("synchronous").map(synchronous));
        fact("isolation", self.integer("read_uncommitted").map(isolation));
        fact("locking_mode", self.pragma("locking_mode"));
        fact("page_bytes", page_bytes.map(Value::from));
        fact(
            "cache_bytes",
            cache_bytes(self.integer("cache_size"), page_bytes),
        );
        fact("mmap_bytes", self.pragma("mmap_size"));
        fact("checkpoint_after_pages", self.pragma("wal_autocheckpoint"));
        let pages = self.integer("page_count");
        let database_bytes = pages.zip(page_bytes).map(|(pages, bytes)| pages * bytes);
        fact("database_bytes", database_bytes.map(Value::from));
        fact("threading", self.threading());
        facts
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
