//! Settings of each connection, whatever the engine.

use std::collections::BTreeMap;
use std::time::Duration;

use igen_job::{Bytes, JobError, Seconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of each connection, flattened into a workload's parameters. One that an engine does not
/// have is refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Settings {
    /// SQLite: write each commit to the disk (full), or at checkpoints (normal).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "full"))]
    pub synchronous: Option<Synchronous>,
    /// SQLite: page cache of each connection.
    ///
    /// A larger cache does not help if others write: each commit invalidates the caches of all other
    /// connections. The pages are in the page cache of the operating system anyway.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-default" = "2000KiB"))]
    pub cache_bytes: Option<Bytes>,
    /// SQLite: longest wait for the write lock; then the transaction fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 10.0))]
    pub busy_timeout_s: Option<Seconds>,
    /// Servers: longest time of a statement, which then fails; 0: no limit.
    ///
    /// The server cancels the statement, and the transaction fails.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 8.0))]
    pub statement_timeout_s: Option<Seconds>,
    /// Servers: longest time to connect.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = 5.0))]
    pub connect_timeout_s: Option<Seconds>,
    /// Servers: settings of each session, by name.
    ///
    /// The names are the server's: `session_variables.commit_delay=1000`. A user who may not set a
    /// variable cannot connect.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-default" = "none"))]
    pub session_variables: BTreeMap<String, Variable>,
}

/// Value of a server's setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Variable {
    /// On or off.
    Switch(bool),
    /// A number in the setting's own unit.
    Integer(i64),
    /// Anything else.
    Text(String),
}

/// Time at which a commit reaches the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Synchronous {
    /// At the next checkpoint: a power failure may lose the last commits, never consistency.
    Normal,
    /// Before the commit returns: a power failure loses nothing.
    #[default]
    Full,
}

impl Settings {
    /// Checks the ranges, and that `engine`, embedded or a server, has each setting that is given.
    pub(crate) fn check(&self, engine: &str) -> Result<(), JobError> {
        let server = engine == "postgresql" || engine == "mysql";
        for (name, given, meant) in [
            (
                "synchronous",
                self.synchronous.is_some(),
                engine == "sqlite",
            ),
            (
                "cache_bytes",
                self.cache_bytes.is_some(),
                engine == "sqlite",
            ),
            (
                "busy_timeout_s",
                self.busy_timeout_s.is_some(),
                engine == "sqlite",
            ),
            (
                "statement_timeout_s",
                self.statement_timeout_s.is_some(),
                server,
            ),
            (
                "connect_timeout_s",
                self.connect_timeout_s.is_some(),
                server,
            ),
            (
                "session_variables",
                !self.session_variables.is_empty(),
                server,
            ),
        ] {
            if given && !meant {
                return Err(JobError::at(
                    format!("params.{name}"),
                    format!("{engine} does not have this setting"),
                )
                .hint("remove it, or use another target"));
            }
        }
        for (name, value) in [
            ("busy_timeout_s", self.busy_timeout_s),
            ("statement_timeout_s", self.statement_timeout_s),
            ("connect_timeout_s", self.connect_timeout_s),
        ] {
            if value.is_some_and(|value| !(0.0..=3_600.0).contains(&value.0)) {
                return Err(JobError::at(format!("params.{name}"), "out of range")
                    .hint("use 0 to 3600 seconds"));
            }
        }
        for (name, variable) in &self.session_variables {
            if !is_name(name) || !variable.is_plain() {
                return Err(JobError::at(
                    format!("params.session_variables.{name}"),
                    "not a valid setting of a server",
                )
                .hint(
                    "use only letters, digits and underscores in the name, and no quotes or backslashes in \
                     the value",
                ));
            }
        }
        Ok(())
    }

    /// Returns the maximum wait for SQLite's single writer.
    #[must_use]
    pub fn busy_timeout(&self) -> Duration {
        duration(self.busy_timeout_s, 10.0)
    }

    /// Returns the time limit of a statement; `None` for no limit.
    #[must_use]
    pub fn statement_timeout(&self) -> Option<Duration> {
        Some(duration(self.statement_timeout_s, 8.0)).filter(|limit| !limit.is_zero())
    }

    /// The same without a limit of statements, for those that read whole tables.
    pub(crate) fn without_statement_timeout(&self) -> Self {
        Self {
            statement_timeout_s: Some(Seconds(0.0)),
            ..self.clone()
        }
    }

    /// Returns the time limit for connecting.
    #[must_use]
    pub fn connect_timeout(&self) -> Duration {
        duration(self.connect_timeout_s, 5.0)
    }
}

impl Variable {
    /// Whether it can stand between quotes as it is.
    fn is_plain(&self) -> bool {
        match self {
            Self::Text(text) => !text.contains(['\'', '\\', '\0']),
            Self::Switch(_) | Self::Integer(_) => true,
        }
    }
}

/// Returns true if a name can stand in SQL as it is.
fn is_name(name: &str) -> bool {
    let inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    name.starts_with(|first: char| first.is_ascii_alphabetic()) && name.chars().all(inside)
}

fn duration(value: Option<Seconds>, default_s: f64) -> Duration {
    Duration::from_secs_f64(value.map_or(default_s, |value| value.0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn check(json: &str, engine: &str) -> Result<(), String> {
        let settings: Settings = serde_json::from_str(json).unwrap();
        settings.check(engine).map_err(|error| error.path)
    }

    #[test]
    fn settings_that_an_engine_lacks_and_names_that_are_none_are_refused() {
        for (json, engine, expected) in [
            (
                r#"{"session_variables": {"commit_delay": 1000}}"#,
                "postgresql",
                Ok(()),
            ),
            (
                r#"{"session_variables": {"a_b": "x", "c": true}}"#,
                "mysql",
                Ok(()),
            ),
            (
                r#"{"session_variables": {"a": 1}}"#,
                "sqlite",
                Err("params.session_variables"),
            ),
            (
                r#"{"session_variables": {"a;b": 1}}"#,
                "mysql",
                Err("params.session_variables.a;b"),
            ),
            (
                r#"{"session_variables": {"": 1}}"#,
                "mysql",
                Err("params.session_variables."),
            ),
            (
                r#"{"session_variables": {"1a": 1}}"#,
                "mysql",
                Err("params.session_variables.1a"),
            ),
            (
                r#"{"session_variables": {"a": "'"}}"#,
                "mysql",
                Err("params.session_variables.a"),
            ),
            (
                r#"{"session_variables": {"a": "\\"}}"#,
                "mysql",
                Err("params.session_variables.a"),
            ),
            (
                r#"{"synchronous": "full"}"#,
                "postgresql",
                Err("params.synchronous"),
            ),
            (
                r#"{"connect_timeout_s": "2h"}"#,
                "postgresql",
                Err("params.connect_timeout_s"),
            ),
        ] {
            assert_eq!(
                check(json, engine),
                expected.map_err(str::to_owned),
                "{json} {engine}"
            );
        }
    }
}
