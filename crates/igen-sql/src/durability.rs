//! Whether a database keeps what it has acknowledged, from what it says about itself.

use igen_job::fact::{Declared, Fact};
use igen_job::facts;

use crate::server::{mysql, postgresql};
use crate::sqlite;

/// Durability of acknowledged commits after a power failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Durability {
    /// True if no acknowledged transaction may be missing.
    pub durable: bool,
    /// Explanation for the report.
    pub text: String,
}

/// What decides for one engine: facts, and the values that keep everything.
type Rule = &'static [(&'static Declared, &'static [&'static str])];

const SQLITE: Rule = &[(&facts::SQLITE_SYNCHRONOUS, &["full", "extra"])];
const POSTGRESQL: Rule = &[
    (&facts::POSTGRESQL_FSYNC, &["on"]),
    (
        &facts::POSTGRESQL_SYNCHRONOUS_COMMIT,
        &["on", "local", "remote_write", "remote_apply"],
    ),
    (&facts::POSTGRESQL_FULL_PAGE_WRITES, &["on"]),
];
const MYSQL: Rule = &[(&facts::MYSQL_FLUSH_LOG_AT_COMMIT, &["1"])];
/// With a binary log a commit rests on that.
const MYSQL_WITH_BINARY_LOG: Rule = &[
    (&facts::MYSQL_FLUSH_LOG_AT_COMMIT, &["1"]),
    (&facts::MYSQL_SYNC_BINLOG, &["1"]),
];

/// Returns the durability of a database of `engine` with these facts.
#[must_use]
pub fn of(engine: &str, said: &[Fact]) -> Durability {
    let value = |fact: &Declared| {
        let Fact { value, .. } = said.iter().find(|known| known.name == fact.name)?;
        Some(
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    };
    let rule = match engine {
        sqlite::SCHEME => SQLITE,
        postgresql::SCHEME => POSTGRESQL,
        mysql::SCHEME if value(&facts::MYSQL_LOG_BIN).is_some_and(|log| log == "ON") => {
            MYSQL_WITH_BINARY_LOG
        }
        mysql::SCHEME => MYSQL,
        _ => &[],
    };
    let found: Vec<(&str, Option<String>)> = rule
        .iter()
        .map(|(fact, _)| (fact.name, value(fact)))
        .collect();
    let durable = !rule.is_empty()
        && rule.iter().zip(&found).all(|((_, safe), (_, value))| {
            value.as_deref().is_some_and(|value| safe.contains(&value))
        });
    let settings: Vec<String> = found
        .into_iter()
        .map(|(name, value)| {
            let setting = name.rsplit('.').next().unwrap_or(name);
            format!("{setting}={}", value.as_deref().unwrap_or("unknown"))
        })
        .collect();
    let settings = settings.join(", ");
    let text = if durable {
        format!("durable: a commit is on disk before it is acknowledged ({settings})")
    } else {
        format!("not durable: a crash can lose acknowledged commits ({settings})")
    };
    Durability { durable, text }
}

#[cfg(test)]
mod tests {
    use igen_job::facts::{
        MYSQL_FLUSH_LOG_AT_COMMIT, MYSQL_LOG_BIN, MYSQL_SYNC_BINLOG, POSTGRESQL_FSYNC,
        POSTGRESQL_FULL_PAGE_WRITES, POSTGRESQL_SYNCHRONOUS_COMMIT, SQLITE_SYNCHRONOUS,
    };
    use serde_json::Value;

    use super::*;

    #[test]
    fn one_setting_that_may_lose_commits_is_enough() {
        for (engine, facts, durable) in [
            ("sqlite", &[(&SQLITE_SYNCHRONOUS, "full")][..], true),
            ("sqlite", &[(&SQLITE_SYNCHRONOUS, "normal")], false),
            (
                "postgresql",
                &[
                    (&POSTGRESQL_FSYNC, "on"),
                    (&POSTGRESQL_SYNCHRONOUS_COMMIT, "on"),
                    (&POSTGRESQL_FULL_PAGE_WRITES, "on"),
                ],
                true,
            ),
            (
                "postgresql",
                &[
                    (&POSTGRESQL_FSYNC, "on"),
                    (&POSTGRESQL_SYNCHRONOUS_COMMIT, "off"),
                    (&POSTGRESQL_FULL_PAGE_WRITES, "on"),
                ],
                false,
            ),
            (
                "postgresql",
                &[
                    (&POSTGRESQL_FSYNC, "off"),
                    (&POSTGRESQL_SYNCHRONOUS_COMMIT, "on"),
                ],
                false,
            ),
            (
                "postgresql",
                &[(&POSTGRESQL_SYNCHRONOUS_COMMIT, "on")],
                false,
            ),
            ("mysql", &[(&MYSQL_FLUSH_LOG_AT_COMMIT, "1")], true),
            ("mysql", &[(&MYSQL_FLUSH_LOG_AT_COMMIT, "2")], false),
            (
                "mysql",
                &[
                    (&MYSQL_FLUSH_LOG_AT_COMMIT, "1"),
                    (&MYSQL_LOG_BIN, "ON"),
                    (&MYSQL_SYNC_BINLOG, "0"),
                ],
                false,
            ),
            (
                "mysql",
                &[
                    (&MYSQL_FLUSH_LOG_AT_COMMIT, "1"),
                    (&MYSQL_LOG_BIN, "OFF"),
                    (&MYSQL_SYNC_BINLOG, "0"),
                ],
                true,
            ),
            ("duckdb", &[], false),
        ] {
            let facts: Vec<Fact> = facts
                .iter()
                .map(|(fact, value)| {
                    let integer = value.parse::<i64>().map(Value::from);
                    fact.is(integer.unwrap_or_else(|_| (*value).into()))
                })
                .collect();
            let found = of(engine, &facts);
            assert_eq!(found.durable, durable, "{engine} {facts:?}: {}", found.text);
        }
    }
}
