//! Parameters of `scan`.

use igen_job::{Bytes, JobError};
use igen_sql::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::predicate::Predicate;
use super::table::Name;

/// A dozen records of the widest table.
const LEAST_BYTES: u64 = 100_000;

/// Parameters of `scan`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Table to scan.
    pub table: Name,
    /// Computation for each record.
    pub predicate: Predicate,
    /// Tables to load.
    pub tables: Vec<Name>,
    /// Nominal size of each table, from 100kB; measure with 100MB or more.
    pub size_bytes: Bytes,
    /// Threads or processes of a scan, 1 to 1,024; SQLite and MariaDB use 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "the engine's"))]
    pub threads: Option<u32>,
    /// Drop the caches of the tables before each scan; one user only.
    ///
    /// The fact `scan.cache_reason` says how far this is possible.
    pub cold: bool,
    /// Settings of each connection.
    #[serde(flatten)]
    pub settings: Settings,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            table: Name::default(),
            predicate: Predicate::default(),
            tables: Name::ALL.to_vec(),
            size_bytes: Bytes(256_000_000),
            threads: None,
            cold: false,
            settings: Settings::default(),
        }
    }
}

impl Params {
    /// Checks what the types cannot say, for so many `users` of a database of `engine`.
    pub(super) fn check(&self, users: u32, engine: &str) -> Result<(), JobError> {
        if !self.tables.contains(&self.table) {
            let table = self.table.table().name;
            return Err(JobError::at(
                "params.tables",
                format!("the scanned table {table} is missing"),
            )
            .hint(format!("add \"{table}\", or scan one of these tables")));
        }
        if let Some(twice) = self.tables.iter().enumerate().find_map(|(index, name)| {
            self.tables[..index]
                .contains(name)
                .then_some(name.table().name)
        }) {
            return Err(JobError::at(
                "params.tables",
                format!("{twice} is listed twice"),
            ));
        }
        if self.size_bytes.0 < LEAST_BYTES {
            return Err(JobError::at("params.size_bytes", "too small for a table")
                .hint(format!("use at least {LEAST_BYTES} bytes")));
        }
        let serial = matches!(engine, "sqlite" | "mysql");
        match self.threads {
            Some(0 | 1_025..) => {
                return Err(JobError::at("params.threads", "out of range").hint("use 1 to 1024"));
            }
            Some(2..) if serial => {
                return Err(JobError::at(
                    "params.threads",
                    format!("{engine} supports only one thread for a scan"),
                )
                .hint("remove it, or use another target"));
            }
            _ => (),
        }
        if self.cold && users != 1 {
            return Err(JobError::at(
                "params.cold",
                format!("a cold scan needs one user, because {users} users would drop the caches of each other"),
            )
            .hint("use one user"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn field(json: &str, users: u32, engine: &str) -> String {
        let params: Params = serde_json::from_str(json).unwrap();
        let checked = params.check(users, engine);
        checked.err().map(|error| error.path).unwrap_or_default()
    }

    #[test]
    fn nonsense_is_refused_with_its_field() {
        for (json, users, engine, wrong) in [
            ("{}", 8, "duckdb", ""),
            (r#"{"threads": 4}"#, 1, "postgresql", ""),
            (r#"{"threads": 1}"#, 1, "sqlite", ""),
            (r#"{"tables": ["page"], "table": "page"}"#, 1, "sqlite", ""),
            (r#"{"tables": ["page"]}"#, 1, "duckdb", "params.tables"),
            (
                r#"{"tables": ["ten", "ten"]}"#,
                1,
                "duckdb",
                "params.tables",
            ),
            (r#"{"size_bytes": "1kB"}"#, 1, "duckdb", "params.size_bytes"),
            (r#"{"threads": 0}"#, 1, "duckdb", "params.threads"),
            (r#"{"threads": 2}"#, 1, "mysql", "params.threads"),
            (r#"{"cold": true}"#, 2, "duckdb", "params.cold"),
        ] {
            assert_eq!(field(json, users, engine), wrong, "{json}");
        }
    }
}
