//! Why transactions failed: what the judge decides by, and what people read.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of a failure: the judge decides by the kind only.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The connection to the server was cut.
    Lost,
    /// A connection could not be made: the server does not run, or refuses connections.
    Refused,
    /// The server did not answer in time.
    Silent,
    /// The server sent data that its protocol does not allow.
    Protocol,
    /// The answer of the server was wrong.
    Check,
    /// A device or a file system failed an I/O, or is full.
    Device,
    /// The transaction conflicted with another one, such as in a deadlock: it may succeed if it is retried.
    Conflict,
    /// Anything else.
    Other,
}

/// Reason of a failed transaction; many failures share one reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// Kind of the failure.
    pub kind: FailureKind,
    /// Failed step of the transaction, such as `search 3` or `GET /`; empty if the transaction has no steps.
    pub step: Cow<'static, str>,
    /// Description for people, without keys, ids or times.
    pub text: Cow<'static, str>,
}

impl Reason {
    /// Returns a reason without a step.
    pub fn new(kind: FailureKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            step: Cow::Borrowed(""),
            text: text.into(),
        }
    }

    /// Returns the reason for a wrong answer.
    pub fn wrong(text: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FailureKind::Check, text)
    }

    /// Returns the reason with a step; a step inside it follows its name.
    #[must_use]
    pub fn in_step(mut self, step: impl Into<Cow<'static, str>>) -> Self {
        let step = step.into();
        self.step = if self.step.is_empty() {
            step
        } else {
            Cow::Owned(format!("{step}: {}", self.step))
        };
        self
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.step.is_empty() {
            write!(f, "{}: ", self.step)?;
        }
        f.write_str(&self.text)
    }
}

/// Number of transactions that failed in one interval for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureCount {
    /// Kind of the failure.
    pub kind: FailureKind,
    /// Failed step of the transaction; empty if the transaction has no steps.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub step: Cow<'static, str>,
    /// Description for people; programs do not use it.
    pub text: Cow<'static, str>,
    /// Number of transactions.
    pub count: u64,
}

impl From<(Reason, u64)> for FailureCount {
    fn from((reason, count): (Reason, u64)) -> Self {
        Self {
            kind: reason.kind,
            step: reason.step,
            text: reason.text,
            count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_a_step_is_named_behind_it() {
        let reason = Reason::new(FailureKind::Refused, "connection refused");
        assert_eq!(reason.to_string(), "connection refused");
        let reason = reason.in_step("connect").in_step("home");
        assert_eq!(reason.step, "home: connect");
        assert_eq!(reason.to_string(), "home: connect: connection refused");
    }
}
