//! What a server says about itself: read back, not assumed.

use igen_job::{Fact, facts};
use serde_json::Value;

use super::SCHEME;
use super::connection::Connection;
use super::error::Error;
use crate::server::protocol::TextRows;
use crate::settings::Settings;

/// Settings of the session, and the names of their facts.
const SETTINGS: &[(&str, &str)] = &[
    ("server_version", "version"),
    ("transaction_isolation", "isolation"),
    ("synchronous_commit", "synchronous_commit"),
    ("fsync", "fsync"),
    ("full_page_writes", "full_page_writes"),
    ("wal_level", "wal_level"),
    ("wal_sync_method", "wal_sync_method"),
    ("wal_compression", "wal_compression"),
    ("commit_delay", "commit_delay_us"),
    ("commit_siblings", "commit_siblings"),
    ("shared_buffers", "shared_buffers"),
    ("max_wal_size", "max_wal_size"),
    ("checkpoint_timeout", "checkpoint_timeout"),
    ("max_connections", "max_connections"),
    ("transaction_read_only", "read_only"),
    (
        "max_parallel_workers_per_gather",
        "max_parallel_workers_per_gather",
    ),
    ("jit", "jit"),
    ("autovacuum", "autovacuum"),
    ("data_checksums", "data_checksums"),
];

/// What it says; what cannot be read is left out.
pub(super) async fn read(connection: &mut Connection, settings: &Settings) -> Vec<Fact> {
    let way = connection.stream.facts();
    let mut found: Vec<_> = way
        .into_iter()
        .map(|(fact, value)| fact.of(SCHEME, value))
        .collect();
    found.extend(
        read_settings(connection, settings)
            .await
            .unwrap_or_default(),
    );
    if let Ok(rows) = connection.query("SELECT pg_is_in_recovery()").await
        && let Some(replica) = first(rows)
    {
        found.push(facts::POSTGRESQL_REPLICA.is(replica == "t"));
    }
    if let Ok(rows) = connection
        .query("SELECT pg_database_size(current_database())")
        .await
        && let Some(bytes) = first(rows).and_then(|bytes| bytes.parse::<i64>().ok())
    {
        found.push(facts::TARGET_DATABASE_BYTES.of(SCHEME, bytes));
    }
    found
}

/// What every report shows, and what the job has set.
async fn read_settings(
    connection: &mut Connection,
    settings: &Settings,
) -> Result<Vec<Fact>, Error> {
    let known = |name: &str| SETTINGS.iter().any(|(setting, _)| *setting == name);
    let set = settings.session_variables.keys().map(String::as_str);
    let set = set.filter(|name| !known(name)).map(|name| (name, name));
    let mut found = Vec::new();
    for (setting, name) in SETTINGS.iter().copied().chain(set) {
        // A version may not have all of them.
        let sql = format!("SELECT current_setting('{setting}', true)");
        if let Some(text) = first(connection.query(&sql).await?) {
            let value = text
                .parse::<i64>()
                .map_or_else(|_| text.into(), Value::from);
            found.push(facts::POSTGRESQL_SETTING.of(name, value));
        }
    }
    Ok(found)
}

fn first(rows: TextRows) -> Option<String> {
    rows.into_iter().flatten().flatten().next()
}
