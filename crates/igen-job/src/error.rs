//! One error type for everything a user can get wrong: what, where, and the remedy.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An error as the user sees it: `path` says where in the job, `text` what, `hint` the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobError {
    /// Where in the job the fault is, such as `load.closed.users`; empty when it is not in the job.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What is wrong.
    pub text: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

impl JobError {
    /// An error that is not about a field of the job.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            text: text.into(),
            hint: String::new(),
        }
    }

    /// An error about the field at `path`.
    pub fn at(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            ..Self::new(text)
        }
    }

    /// The same error about the field at `path`.
    #[must_use]
    pub fn about(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// The same error with a remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.text)?;
        if !self.hint.is_empty() {
            write!(f, " (hint: {})", self.hint)?;
        }
        Ok(())
    }
}

impl std::error::Error for JobError {}
