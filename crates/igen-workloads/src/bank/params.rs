//! Parameters of `bank`.

use igen_job::JobError;
use igen_sql::database::Database;
use igen_sql::settings::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::conflict::Retry;

/// Most branches: their accounts' keys are positive integers of 32 bits.
const MOST_BRANCHES: u32 = 100_000;

/// Parameters of `bank`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Params {
    /// Branches of each target, 1 to 100,000, with 10,000 accounts each.
    ///
    /// A branch also has 10 tellers; 1,000 branches are the published size. With less than a few branches for
    /// each user their rows are hot.
    #[schemars(range(min = 1, max = 100_000))]
    pub branches: u32,
    /// Seven statements, or one call of a stored procedure (servers only).
    pub form: Form,
    /// Retries after a conflict.
    #[serde(flatten)]
    pub retry: Retry,
    /// Settings of each connection.
    #[serde(flatten)]
    pub settings: Settings,
}

/// How the transaction is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Seven statements, each waited for: BEGIN, three updates, a select, an insert, COMMIT.
    #[default]
    Statements,
    /// One call of a stored function; servers only.
    Procedure,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            branches: 100,
            form: Form::default(),
            retry: Retry::default(),
            settings: Settings::default(),
        }
    }
}

impl Params {
    /// Checks what the types cannot say.
    pub(super) fn check(&self, targets: &[String]) -> Result<(), JobError> {
        self.retry.check()?;
        if !(1..=MOST_BRANCHES).contains(&self.branches) {
            return Err(JobError::at(
                "params.branches",
                format!("a number of {} branches is out of range", self.branches),
            )
            .hint(format!("use 1 to {MOST_BRANCHES}")));
        }
        let embedded = targets.iter().find(|target| Database::blocks(target));
        match (self.form, embedded) {
            (Form::Procedure, Some(target)) => Err(JobError::at(
                "params.form",
                format!("{target} does not support stored procedures"),
            )
            .hint("use form = \"statements\", or a postgresql:// or mysql:// target")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn check(json: &str, target: &str) -> Result<(), String> {
        let params: Params = serde_json::from_str(json).map_err(|error| error.to_string())?;
        params
            .check(&[target.to_owned()])
            .map_err(|error| error.path)
    }

    #[test]
    fn nonsense_is_refused() {
        for (json, target, expected) in [
            ("{}", "sqlite:///a.db", Ok(())),
            (r#"{"branches": 1000}"#, "sqlite:///a.db", Ok(())),
            (r#"{"form": "procedure"}"#, "postgresql:///a", Ok(())),
            (r#"{"form": "procedure"}"#, "mysql://b/a", Ok(())),
            (
                r#"{"form": "procedure"}"#,
                "sqlite:///a.db",
                Err("params.form"),
            ),
            (
                r#"{"conflict_retries": 1001}"#,
                "sqlite:///a.db",
                Err("params.conflict_retries"),
            ),
            (
                r#"{"branches": 0}"#,
                "sqlite:///a.db",
                Err("params.branches"),
            ),
            (
                r#"{"branches": 100001}"#,
                "mysql://b/a",
                Err("params.branches"),
            ),
        ] {
            let found = check(json, target);
            assert_eq!(found, expected.map_err(str::to_owned), "{json} {target}");
        }
        assert!(check(r#"{"branch": 5}"#, "mysql://b/a").is_err());
    }
}
