//! One error type for everything a user can get wrong: what, where, and the remedy.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Error for the user: `path` is the place in the job, `text` the problem, `hint` the remedy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobError {
    /// Field of the job with the error, such as `load.closed.users`; empty if it is not in the job.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Problem.
    pub text: String,
    /// Remedy.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub hint: String,
}

impl JobError {
    /// Returns an error that is not about a field of the job.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            text: text.into(),
            hint: String::new(),
        }
    }

    /// Returns an error about the field at `path`.
    pub fn at(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            ..Self::new(text)
        }
    }

    /// Returns the same error about the field at `path`.
    #[must_use]
    pub fn about(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Returns the same error with a remedy.
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
