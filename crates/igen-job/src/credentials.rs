//! Passwords, keys and certificates that a job may use without naming them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Passwords, keys and certificates of this account that the job may use: those in `PGPASSWORD`, `~/.pgpass`,
/// `MYSQL_PWD`, `~/.my.cnf`, `LDAP_PASSWORD`, `~/.postgresql` and in files that a target names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Credentials {
    /// The job may use them: the owner of this account chose the targets.
    #[default]
    Own,
    /// The job may not use them: somebody else chose the targets.
    None,
}

impl Credentials {
    /// Returns true if the job may use them.
    #[must_use]
    pub fn are_own(self) -> bool {
        self == Self::Own
    }

    /// Returns the same, by reference as serde needs it.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub(crate) fn are_usual(&self) -> bool {
        self.are_own()
    }
}
