//! What a server says about itself: read back, not assumed.

use igen_job::{Fact, facts};
use serde_json::Value;

use super::SCHEME;
use super::connection::Connection;
use super::error::Error;
use crate::settings::Settings;

/// Variables of the session, and the names of their facts. A server has those of its flavour.
const VARIABLES: &[(&str, &str)] = &[
    ("version", "version"),
    ("version_comment", "distribution"),
    ("tx_isolation", "isolation"),
    ("transaction_isolation", "isolation"),
    ("sql_mode", "sql_mode"),
    (
        "innodb_flush_log_at_trx_commit",
        "innodb_flush_log_at_trx_commit",
    ),
    ("sync_binlog", "sync_binlog"),
    ("log_bin", "log_bin"),
    ("innodb_doublewrite", "innodb_doublewrite"),
    ("innodb_buffer_pool_size", "innodb_buffer_pool_bytes"),
    ("innodb_log_file_size", "innodb_log_file_bytes"),
    ("innodb_redo_log_capacity", "innodb_redo_log_capacity_bytes"),
    ("innodb_flush_method", "innodb_flush_method"),
    ("max_connections", "max_connections"),
    ("read_only", "read_only"),
    ("thread_handling", "thread_handling"),
    ("binlog_commit_wait_count", "binlog_commit_wait_count"),
    ("binlog_commit_wait_usec", "binlog_commit_wait_us"),
    (
        "binlog_group_commit_sync_delay",
        "binlog_group_commit_sync_delay_us",
    ),
    ("performance_schema", "performance_schema"),
];

/// What it says; what cannot be read is left out.
pub(super) async fn read(connection: &mut Connection, settings: &Settings) -> Vec<Fact> {
    let flavour = if connection.is_mariadb() {
        "MariaDB"
    } else {
        "MySQL"
    };
    let mut found = vec![facts::MYSQL_FLAVOUR.is(flavour)];
    let way = connection.stream.facts();
    found.extend(way.into_iter().map(|(fact, value)| fact.of(SCHEME, value)));
    found.extend(variables(connection, settings).await.unwrap_or_default());
    if let Ok(Some(bytes)) = database_bytes(connection).await {
        found.push(facts::TARGET_DATABASE_BYTES.of(SCHEME, bytes));
    }
    found
}

async fn variables(connection: &mut Connection, settings: &Settings) -> Result<Vec<Fact>, Error> {
    let known = VARIABLES.iter().map(|(variable, _)| *variable);
    let set = settings.session_variables.keys().map(String::as_str);
    let names: Vec<String> = known
        .chain(set)
        .map(|variable| format!("'{variable}'"))
        .collect();
    let rows = connection
        .query(&format!(
            "SHOW SESSION VARIABLES WHERE Variable_name IN ({})",
            names.join(", ")
        ))
        .await?;
    let mut found = Vec::new();
    for row in rows {
        if let Ok([Some(variable), Some(text)]) = <[Option<String>; 2]>::try_from(row) {
            let known = VARIABLES.iter().find(|(known, _)| *known == variable);
            let name = known.map_or(variable.as_str(), |(_, name)| name);
            let value = text
                .parse::<i64>()
                .map_or_else(|_| text.into(), Value::from);
            found.push(facts::MYSQL_SETTING.of(name, value));
        }
    }
    found.sort_by(|one: &Fact, other| one.name.cmp(&other.name));
    found.dedup_by(|one, other| one.name == other.name);
    Ok(found)
}

/// Data and indexes, by the server's statistics.
async fn database_bytes(connection: &mut Connection) -> Result<Option<i64>, Error> {
    let rows = connection
        .query(
            "SELECT CAST(SUM(data_length + index_length) AS SIGNED) \
             FROM information_schema.tables WHERE table_schema = DATABASE()",
        )
        .await?;
    Ok(rows
        .into_iter()
        .flatten()
        .flatten()
        .next()
        .and_then(|bytes| bytes.parse().ok()))
}
