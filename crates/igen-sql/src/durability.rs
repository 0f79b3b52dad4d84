//! Whether a database keeps what it has acknowledged, from what it says about itself.

use serde_json::Value;

use crate::server::{mysql, postgresql};
use crate::sqlite;

/// Whether a commit that was acknowledged is there after the power has failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Durability {
    /// No acknowledged transaction may be missing.
    pub durable: bool,
    /// What this rests on, for the report.
    pub text: String,
}

/// What decides for one engine: names of facts, and the values that keep everything.
type Rule = &'static [(&'static str, &'static [&'static str])];

const SQLITE: Rule = &[("synchronous", &["full", "extra"])];
const POSTGRESQL: Rule = &[
    ("fsync", &["on"]),
    (
        "synchronous_commit",
        &["on", "local", "remote_write", "remote_apply"],
    ),
    ("full_page_writes", &["on"]),
];
const MYSQL: Rule = &[("innodb_flush_log_at_trx_commit", &["1"])];
/// With a binary log a commit rests on that.
const MYSQL_WITH_BINARY_LOG: Rule = &[
    ("innodb_flush_log_at_trx_commit", &["1"]),
    ("sync_binlog", &["1"]),
];

/// Durability of a database of `engine` that says `facts` about itself.
#[must_use]
pub fn of(engine: &str, facts: &[(String, Value)]) -> Durability {
    let value = |name: &str| {
        let (_, value) = facts.iter().find(|(known, _)| known == name)?;
        Some(
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    };
    let rule = match engine {
        sqlite::SCHEME => SQLITE,
        postgresql::SCHEME => POSTGRESQL,
        mysql::SCHEME if value("log_bin").is_some_and(|log| log == "ON") => MYSQL_WITH_BINARY_LOG,
        mysql::SCHEME => MYSQL,
        _ => &[],
    };
    let found: Vec<(&str, Option<String>)> =
        rule.iter().map(|(name, _)| (*name, value(name))).collect();
    let durable = !rule.is_empty()
        && rule.iter().zip(&found).all(|((_, safe), (_, value))| {
            value.as_deref().is_some_and(|value| safe.contains(&value))
        });
    let settings: Vec<String> = found
        .into_iter()
        .map(|(name, value)| format!("{name}={}", value.as_deref().unwrap_or("unknown")))
        .collect();
    let settings = settings.join(", ");
    let text = if durable {
        format!("durable: a commit is on disk before it is acknowledged ({settings})")
    } else {
        format!("not durable: a failure may lose acknowledged commits ({settings})")
    };
    Durability { durable, text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_setting_that_may_lose_commits_is_enough() {
        for (engine, facts, durable) in [
            ("sqlite", &[("synchronous", "full")][..], true),
            ("sqlite", &[("synchronous", "normal")], false),
            (
                "postgresql",
                &[
                    ("fsync", "on"),
                    ("synchronous_commit", "on"),
                    ("full_page_writes", "on"),
                ],
                true,
            ),
            (
                "postgresql",
                &[
                    ("fsync", "on"),
                    ("synchronous_commit", "off"),
                    ("full_page_writes", "on"),
                ],
                false,
            ),
            (
                "postgresql",
                &[("fsync", "off"), ("synchronous_commit", "on")],
                false,
            ),
            ("postgresql", &[("synchronous_commit", "on")], false),
            ("mysql", &[("innodb_flush_log_at_trx_commit", "1")], true),
            ("mysql", &[("innodb_flush_log_at_trx_commit", "2")], false),
            (
                "mysql",
                &[
                    ("innodb_flush_log_at_trx_commit", "1"),
                    ("log_bin", "ON"),
                    ("sync_binlog", "0"),
                ],
                false,
            ),
            (
                "mysql",
                &[
                    ("innodb_flush_log_at_trx_commit", "1"),
                    ("log_bin", "OFF"),
                    ("sync_binlog", "0"),
                ],
                true,
            ),
            ("duckdb", &[], false),
        ] {
            let facts: Vec<(String, Value)> = facts
                .iter()
                .map(|(name, value)| {
                    let integer = value.parse::<i64>().map(Value::from);
                    (
                        (*name).to_owned(),
                        integer.unwrap_or_else(|_| (*value).into()),
                    )
                })
                .collect();
            let found = of(engine, &facts);
            assert_eq!(found.durable, durable, "{engine} {facts:?}: {}", found.text);
        }
    }
}
